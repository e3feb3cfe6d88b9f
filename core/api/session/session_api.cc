// SPDX-License-Identifier: MIT
// ort_c/session.h: making sessions, running them, asking what they take and give.
#include <algorithm>
#include <functional>

#include "core/api/env/allocator.h"
#include "core/api/env/config_entries.h"
#include "core/api/env/ort_allocators.h"
#include "core/api/guard.h"
#include "core/api/handles.h"
#include "core/api/session/run_values.h"
#include "core/api/session/session_making.h"
#include "core/api/session/session_settings.h"
#include "core/api/value/element_type.h"
#include "ort_c/session.h"

namespace ortc::api {
namespace {

using Ports = const std::vector<Port>& (Session::*)() const;

OrtStatus* count_ports(const OrtSession* session, Ports ports, size_t* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(session);
    *out = ((*session->session).*ports)().size();
    return {};
  });
}

Result<const Port*> port_at(const OrtSession& session, Ports ports, size_t index) {
  const std::vector<Port>& all = ((*session.session).*ports)();
  if (index < all.size()) return &all[index];
  return invalid_argument("'index' is ", index, ", expected less than ", all.size());
}

OrtStatus* name_port(const OrtSession* session, Ports ports, size_t index, OrtAllocator* allocator,
                     char** value) {
  return guard([&]() -> Status {
    ORTC_OUT(value);
    ORTC_NEEDED(session);
    ORTC_NEEDED(allocator);
    ASSIGN_OR_RETURN(const Port* port, port_at(*session, ports, index));
    ASSIGN_OR_RETURN(*value, copy_text(*allocator, port->name));
    return {};
  });
}

OrtStatus* type_port(const OrtSession* session, Ports ports, size_t index,
                     OrtTypeInfo** type_info) {
  return guard([&]() -> Status {
    ORTC_OUT(type_info);
    ORTC_NEEDED(session);
    ASSIGN_OR_RETURN(const Port* port, port_at(*session, ports, index));
    *type_info = new OrtTypeInfo(type_info_of(port->type));
    return {};
  });
}

// A run on another thread: its own copy of everything that the caller may let go.
struct AsyncRun {
  OrtSession* session;
  const OrtRunOptions* options;
  std::vector<std::string> names;  // inputs, then outputs
  std::vector<const char*> name_texts;
  std::vector<OrtValue> inputs;
  std::vector<const OrtValue*> input_list;
  OrtValue** outputs;
  size_t output_count;
  RunAsyncCallbackFn callback;
  void* user_data;

  void run();
};

void begin_async(OrtSession& session) {
  const std::lock_guard lock(session.mutex);
  ++session.run_count;
}

void end_async(OrtSession& session) {
  const std::lock_guard lock(session.mutex);
  --session.run_count;
  session.runs_ended.notify_all();
}

void AsyncRun::run() {
  OrtStatus* status = guard([&]() -> Status {
    RunValues values;
    RETURN_IF_ERROR(values.collect(name_texts.data(), input_list.data(), input_list.size(),
                                   name_texts.data() + input_list.size(), outputs, output_count));
    RETURN_IF_ERROR(values.separate_inputs());
    RETURN_IF_ERROR(values.run(*session, options));
    values.give(*session, outputs);
    return {};
  });
  // Nobody touches the session any more: it may be released while the callback is under way.
  end_async(*session);
  callback(user_data, status == nullptr ? outputs : nullptr, status == nullptr ? output_count : 0,
           status);
}

Status check_texts(std::string_view what, const char* const* texts, size_t count) {
  if (count != 0 && texts == nullptr) return invalid_argument("'", what, "' must not be NULL");
  for (size_t i = 0; i < count; ++i) {
    if (texts[i] == nullptr) return invalid_argument("'", what, "[", i, "]' must not be NULL");
  }
  return {};
}

// One answer for each of `count` ports: `what` names the array.
template <typename T>
OrtStatus* fill_ports(const OrtSession* session, Ports ports, std::string_view what, T* out,
                      size_t room, const std::function<T(const OrtSession&)>& answer) {
  return guard([&]() -> Status {
    ORTC_NEEDED(session);
    const size_t count = ((*session->session).*ports)().size();
    if (room < count) {
      return invalid_argument("'", what, "' has room for ", room, ", but there are ", count);
    }
    if (count != 0 && out == nullptr) return invalid_argument("'", what, "' must not be NULL");
    std::fill_n(out, count, answer(*session));
    return {};
  });
}

const OrtMemoryInfo* memory_of(const OrtSession& session) {
  return session.allocator != nullptr ? session.allocator->Info(session.allocator.get())
                                      : &cpu_memory();
}

const OrtEpDevice* device_of(const OrtSession& session) { return session.shared->devices.cpu(); }

}  // namespace

Result<ModelSource> file_source(const char* path) {
  if (*path == '\0') return invalid_argument("'model_path' must not be empty");
  ModelSource source;
  source.path = path;
  return source;
}

Result<ModelSource> memory_source(const void* data, size_t size) {
  if (size == 0 || size > INT32_MAX) {
    return invalid_argument("'model_data_length' is ", size, ", expected 1 to ", INT32_MAX);
  }
  ModelSource source;
  source.from_memory = true;
  source.bytes = Blob::copy_of({static_cast<const std::byte*>(data), size});
  return source;
}

Status make_session(const OrtEnv& env, const ModelSource& source, const OrtSessionOptions* options,
                    std::shared_ptr<PackedWeights> weights, OrtSession** out) {
  ASSIGN_OR_RETURN(ortc::SessionOptions resolved, resolve_options(options, *env.shared));
  auto session = std::make_unique<OrtSession>();
  session->shared = env.shared;
  if (resolved.use_env_allocators) {
    session->allocator = find_registered(env.shared->allocators, cpu_memory());
    if (session->allocator != nullptr) resolved.tensor_maker = tensors_from(session->allocator);
  }
  OrtMemoryInfo arena_memory;
  arena_memory.allocator_type = OrtArenaAllocator;
  session->arena = make_arena_allocator({}, arena_memory);
  resolved.packed_weights = std::move(weights);
  ASSIGN_OR_RETURN(session->session, Session::create(env.shared->environment, source, resolved));
  show_assignment(*session);
  *out = session.release();
  return {};
}

}  // namespace ortc::api

using namespace ortc;
using api::guard;

OrtSession::~OrtSession() {
  std::unique_lock lock(mutex);
  runs_ended.wait(lock, [&] { return run_count == 0; });
}

extern "C" {

OrtStatus* OrtCreateSession(const OrtEnv* env, const char* model_path,
                            const OrtSessionOptions* options, OrtSession** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(env);
    ORTC_NEEDED(model_path);
    ASSIGN_OR_RETURN(const ModelSource source, api::file_source(model_path));
    return api::make_session(*env, source, options, nullptr, out);
  });
}

OrtStatus* OrtCreateSessionFromArray(const OrtEnv* env, const void* model_data,
                                     size_t model_data_length, const OrtSessionOptions* options,
                                     OrtSession** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(env);
    ORTC_NEEDED(model_data);
    ASSIGN_OR_RETURN(const ModelSource source, api::memory_source(model_data, model_data_length));
    return api::make_session(*env, source, options, nullptr, out);
  });
}

void OrtReleaseSession(OrtSession* session) { delete session; }

OrtStatus* OrtRun(OrtSession* session, const OrtRunOptions* run_options,
                  const char* const* input_names, const OrtValue* const* inputs, size_t input_len,
                  const char* const* output_names, size_t output_names_len, OrtValue** outputs) {
  return guard([&]() -> Status {
    ORTC_NEEDED(session);
    api::RunValues values;
    RETURN_IF_ERROR(
        values.collect(input_names, inputs, input_len, output_names, outputs, output_names_len));
    RETURN_IF_ERROR(values.separate_inputs());
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
    RETURN_IF_ERROR(api::check_texts("input_names", input_names, input_len));
    RETURN_IF_ERROR(api::check_texts("output_names", output_names, output_names_len));
    if (input_len != 0) ORTC_NEEDED(input);
    ORTC_NEEDED(output);
    auto run = std::make_shared<api::AsyncRun>();
    run->session = session;
    run->options = run_options;
    for (size_t i = 0; i < input_len; ++i) {
      if (input[i] == nullptr) {
        return invalid_argument("'input[", i, "]' (", input_names[i], ") must not be NULL");
      }
      run->names.emplace_back(input_names[i]);
      run->inputs.push_back(*input[i]);
    }
    for (size_t i = 0; i < output_names_len; ++i) run->names.emplace_back(output_names[i]);
    for (const std::string& name : run->names) run->name_texts.push_back(name.c_str());
    for (const OrtValue& value : run->inputs) run->input_list.push_back(&value);
    run->outputs = output;
    run->output_count = output_names_len;
    run->callback = run_async_callback;
    run->user_data = user_data;
    api::begin_async(*session);
    Status status = session->session->submit([run] { run->run(); });
    if (!status.is_ok()) api::end_async(*session);
    return status;
  });
}

OrtStatus* OrtSessionGetInputCount(const OrtSession* session, size_t* out) {
  return api::count_ports(session, &Session::inputs, out);
}

OrtStatus* OrtSessionGetOutputCount(const OrtSession* session, size_t* out) {
  return api::count_ports(session, &Session::outputs, out);
}

OrtStatus* OrtSessionGetOverridableInitializerCount(const OrtSession* session, size_t* out) {
  return api::count_ports(session, &Session::overridable, out);
}

OrtStatus* OrtSessionGetInputName(const OrtSession* session, size_t index, OrtAllocator* allocator,
                                  char** value) {
  return api::name_port(session, &Session::inputs, index, allocator, value);
}

OrtStatus* OrtSessionGetOutputName(const OrtSession* session, size_t index, OrtAllocator* allocator,
                                   char** value) {
  return api::name_port(session, &Session::outputs, index, allocator, value);
}

OrtStatus* OrtSessionGetOverridableInitializerName(const OrtSession* session, size_t index,
                                                   OrtAllocator* allocator, char** value) {
  return api::name_port(session, &Session::overridable, index, allocator, value);
}

OrtStatus* OrtSessionGetInputTypeInfo(const OrtSession* session, size_t index,
                                      OrtTypeInfo** type_info) {
  return api::type_port(session, &Session::inputs, index, type_info);
}

OrtStatus* OrtSessionGetOutputTypeInfo(const OrtSession* session, size_t index,
                                       OrtTypeInfo** type_info) {
  return api::type_port(session, &Session::outputs, index, type_info);
}

OrtStatus* OrtSessionGetOverridableInitializerTypeInfo(const OrtSession* session, size_t index,
                                                       OrtTypeInfo** type_info) {
  return api::type_port(session, &Session::overridable, index, type_info);
}

OrtStatus* OrtSession_GetReportJson(const OrtSession* session, OrtAllocator* allocator,
                                    char** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(session);
    ORTC_NEEDED(allocator);
    ASSIGN_OR_RETURN(*out, api::copy_text(*allocator, session->session->report_json()));
    return {};
  });
}

OrtStatus* OrtSessionEndProfiling(OrtSession* session, OrtAllocator* allocator, char** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(session);
    ORTC_NEEDED(allocator);
    std::string name;
    if (const auto& profiler = session->session->profiler(); profiler != nullptr) {
      ASSIGN_OR_RETURN(name, profiler->end());
    }
    ASSIGN_OR_RETURN(*out, api::copy_text(*allocator, name));
    return {};
  });
}

OrtStatus* OrtSessionGetProfilingStartTimeNs(const OrtSession* session, uint64_t* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(session);
    const auto& profiler = session->session->profiler();
    *out = profiler != nullptr ? profiler->start_ns() : 0;
    return {};
  });
}

OrtStatus* OrtSessionGetMemoryInfoForInputs(const OrtSession* session,
                                            const OrtMemoryInfo** inputs_memory_info,
                                            size_t num_inputs) {
  return api::fill_ports<const OrtMemoryInfo*>(
      session, &Session::inputs, "inputs_memory_info", inputs_memory_info, num_inputs,
      [](const OrtSession&) { return &api::cpu_memory(); });
}

OrtStatus* OrtSessionGetMemoryInfoForOutputs(const OrtSession* session,
                                             const OrtMemoryInfo** outputs_memory_info,
                                             size_t num_outputs) {
  return api::fill_ports<const OrtMemoryInfo*>(session, &Session::outputs, "outputs_memory_info",
                                               outputs_memory_info, num_outputs, api::memory_of);
}

OrtStatus* OrtSessionGetEpDeviceForInputs(const OrtSession* session,
                                          const OrtEpDevice** inputs_ep_devices,
                                          size_t num_inputs) {
  return api::fill_ports<const OrtEpDevice*>(session, &Session::inputs, "inputs_ep_devices",
                                             inputs_ep_devices, num_inputs, api::device_of);
}

OrtStatus* OrtSessionGetEpDeviceForOutputs(const OrtSession* session,
                                           const OrtEpDevice** outputs_ep_devices,
                                           size_t num_outputs) {
  return api::fill_ports<const OrtEpDevice*>(session, &Session::outputs, "outputs_ep_devices",
                                             outputs_ep_devices, num_outputs, api::device_of);
}

OrtStatus* OrtSetEpDynamicOptions(OrtSession* sess, const char* const* keys,
                                  const char* const* values, size_t kv_len) {
  return guard([&]() -> Status {
    ORTC_NEEDED(sess);
    if (kv_len == 0) return invalid_argument("'kv_len' is 0, expected 1 or more");
    RETURN_IF_ERROR(api::check_texts("keys", keys, kv_len));
    RETURN_IF_ERROR(api::check_texts("values", values, kv_len));
    for (size_t i = 0; i < kv_len; ++i) {
      RETURN_IF_ERROR(api::check_dynamic_entry(keys[i], values[i]));
    }
    return {};
  });
}

}  // extern "C"
