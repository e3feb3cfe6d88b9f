// SPDX-License-Identifier: MIT
// ort_c/session.h: runs, on the caller's thread and on another.
#include <utility>

#include "core/api/check_texts.h"
#include "core/api/env/config_entries.h"
#include "core/api/guard.h"
#include "core/api/session/run_options_handle.h"
#include "core/api/session/run_values.h"
#include "core/api/session/session_handle.h"
#include "core/api/value/value_handle.h"
#include "ort_c/session.h"

namespace ortc::api {
namespace {

// While it lives, its session is not released.
class RunUnderWay {
 public:
  explicit RunUnderWay(OrtSession& session) : session_(&session) {
    const std::lock_guard lock(session.mutex);
    ++session.run_count;
  }
  ~RunUnderWay() { end(); }
  RunUnderWay(const RunUnderWay&) = delete;
  RunUnderWay& operator=(const RunUnderWay&) = delete;

  OrtSession& session() const { return *session_; }
  void end() {
    if (session_ == nullptr) return;
    OrtSession& session = *std::exchange(session_, nullptr);
    const std::lock_guard lock(session.mutex);
    --session.run_count;
    session.runs_ended.notify_all();
  }

 private:
  OrtSession* session_;
};

// A run on another thread: its own copy of everything that the caller may let go.
class AsyncRun {
 public:
  AsyncRun(OrtSession& session, const OrtRunOptions* options, RunAsyncCallbackFn callback,
           void* user_data)
      : under_way_(session), options_(options), callback_(callback), user_data_(user_data) {}

  Status collect(const char* const* input_names, const OrtValue* const* inputs, size_t input_count,
                 const char* const* output_names, OrtValue** outputs, size_t output_count);
  void run();

 private:
  Status run_now();

  RunUnderWay under_way_;
  const OrtRunOptions* options_;
  RunAsyncCallbackFn callback_;
  void* user_data_;
  std::vector<std::string> names_;  // inputs, then outputs
  std::vector<const char*> name_texts_;
  std::vector<OrtValue> inputs_;
  std::vector<const OrtValue*> input_list_;
  OrtValue** outputs_ = nullptr;
  size_t output_count_ = 0;
};

Status AsyncRun::collect(const char* const* input_names, const OrtValue* const* inputs,
                         size_t input_count, const char* const* output_names, OrtValue** outputs,
                         size_t output_count) {
  RETURN_IF_ERROR(check_texts("input_names", input_names, input_count));
  RETURN_IF_ERROR(check_texts("output_names", output_names, output_count));
  for (size_t i = 0; i < input_count; ++i) {
    if (inputs[i] == nullptr) {
      return invalid_argument("'input[", i, "]' (", input_names[i], ") must not be NULL");
    }
    names_.emplace_back(input_names[i]);
    inputs_.push_back(*inputs[i]);
  }
  for (size_t i = 0; i < output_count; ++i) names_.emplace_back(output_names[i]);
  for (const std::string& name : names_) name_texts_.push_back(name.c_str());
  for (const OrtValue& value : inputs_) input_list_.push_back(&value);
  outputs_ = outputs;
  output_count_ = output_count;
  return {};
}

Status AsyncRun::run_now() {
  RunValues values;
  RETURN_IF_ERROR(values.collect(name_texts_.data(), input_list_.data(), input_list_.size(),
                                 name_texts_.data() + input_list_.size(), outputs_, output_count_));
  RETURN_IF_ERROR(values.separate_inputs(under_way_.session()));
  RETURN_IF_ERROR(values.run(under_way_.session(), options_));
  values.give(under_way_.session(), outputs_);
  return {};
}

void AsyncRun::run() {
  OrtStatus* status = guard([&] { return run_now(); });
  // The callback may end all that the run has used: the inputs' allocators and the session.
  input_list_.clear();
  inputs_.clear();
  under_way_.end();
  const bool is_done = status == nullptr;
  callback_(user_data_, is_done ? outputs_ : nullptr, is_done ? output_count_ : 0, status);
}

}  // namespace
}  // namespace ortc::api

using namespace ortc;
using api::guard;

OrtSession::~OrtSession() {
  std::unique_lock lock(mutex);
  runs_ended.wait(lock, [&] { return run_count == 0; });
}

extern "C" {

OrtStatus* OrtRun(OrtSession* session, const OrtRunOptions* run_options,
                  const char* const* input_names, const OrtValue* const* inputs, size_t input_len,
                  const char* const* output_names, size_t output_names_len, OrtValue** outputs) {
  return guard([&]() -> Status {
    ORTC_NEEDED(session);
    api::RunValues values;
    RETURN_IF_ERROR(
        values.collect(input_names, inputs, input_len, output_names, outputs, output_names_len));
    RETURN_IF_ERROR(values.separate_inputs(*session));
    RETURN_IF_ERROR(values.run(*session, run_options));
    values.give(*session, outputs);
    return {};
  });
}

OrtStatus* OrtRunAsync(OrtSession* session, const OrtRunOptions* run_options,
                       const char* const* input_names, const OrtValue* const* input,
                       size_t input_len, const char* const* output_names, size_t output_names_len,
                       OrtValue** output, RunAsyncCallbackFn run_async_callback, void* user_data) {
  return guard([&]() -> Status {
    ORTC_NEEDED(session);
    ORTC_NEEDED(run_async_callback);
    if (input_len != 0) ORTC_NEEDED(input);
    ORTC_NEEDED(output);
    auto run =
        std::make_shared<api::AsyncRun>(*session, run_options, run_async_callback, user_data);
    RETURN_IF_ERROR(
        run->collect(input_names, input, input_len, output_names, output, output_names_len));
    ASSIGN_OR_RETURN(const Session* runnable, session->model.runnable());
    return runnable->submit([run = std::move(run)] { run->run(); });
  });
}

OrtStatus* OrtSetEpDynamicOptions(OrtSession* sess, const char* const* keys,
                                  const char* const* values, size_t kv_len) {
  return guard([&]() -> Status {
    ORTC_NEEDED(sess);
    if (kv_len == 0) return invalid_argument("'kv_len' is 0, expected 1 or more");
    RETURN_IF_ERROR(api::check_texts("keys", keys, kv_len));
    RETURN_IF_ERROR(api::check_texts("values", values, kv_len));
    KeyValues options;
    for (size_t i = 0; i < kv_len; ++i) {
      RETURN_IF_ERROR(api::check_dynamic_entry(keys[i], values[i]));
      options[keys[i]] = values[i];
    }
    ASSIGN_OR_RETURN(const Session* session, sess->model.runnable());
    return session->set_dynamic_options(options);
  });
}

OrtStatus* OrtSessionReleaseCapturedGraph(OrtSession* session, int graph_annotation_id) {
  return guard([&]() -> Status {
    ORTC_NEEDED(session);
    ASSIGN_OR_RETURN(const Session* runs, session->model.runnable());
    return runs->release_recording(graph_annotation_id);
  });
}

}  // extern "C"
