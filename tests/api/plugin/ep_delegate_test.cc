// SPDX-License-Identifier: MIT
// Functions of the program that choose the devices of a session.
#include <functional>
#include <stdexcept>

#include "core/api/session/resolve_options.h"
#include "core/api/session/session_options_handle.h"
#include "tests/api/plugin/device_testing.h"

using namespace ortc;
using namespace ortc::test;

namespace {

struct Call {
  std::vector<const OrtEpDevice*> devices;
  const OrtKeyValuePairs* model;
  const OrtKeyValuePairs* runtime;
  const OrtEpDevice** selected;
  size_t room;
  size_t* count;

  std::string name(size_t i) const { return OrtEpDevice_EpName(devices.at(i)); }
  std::string text(const char* key) const {
    const char* value = OrtGetKeyValue(model, key);
    return value != nullptr ? value : "(nothing)";
  }
  OrtStatus* choose(std::initializer_list<const OrtEpDevice*> chosen) const {
    std::copy(chosen.begin(), chosen.end(), selected);
    *count = chosen.size();
    return nullptr;
  }
};

struct Delegate {
  std::function<OrtStatus*(const Call&)> body;
  int calls = 0;
};

OrtStatus* call_delegate(const OrtEpDevice** devices, size_t device_count,
                         const OrtKeyValuePairs* model, const OrtKeyValuePairs* runtime,
                         const OrtEpDevice** selected, size_t room, size_t* count, void* state) {
  auto& delegate = *static_cast<Delegate*>(state);
  ++delegate.calls;
  return delegate.body({{devices, devices + device_count}, model, runtime, selected, room, count});
}

OrtStatus* choose_first(const Call& call) { return call.choose({call.devices[0]}); }

Options options_with(Delegate& delegate) {
  OrtSessionOptions* options = nullptr;
  CHECK(Outcome(OrtCreateSessionOptions(&options)).is_ok());
  CHECK(Outcome(OrtSessionOptionsSetEpSelectionPolicyDelegate(options, call_delegate, &delegate))
            .is_ok());
  return Options(options);
}

size_t count_of(const OrtKeyValuePairs* pairs) {
  const char *const *keys = nullptr, *const *values = nullptr;
  size_t count = 0;
  OrtGetKeyValuePairs(pairs, &keys, &values, &count);
  return count;
}

// The model with a producer, a version and an entry of metadata.
std::string model_with_texts() {
  using namespace std::string_literals;
  return dense_model() +
         "\x12\x06"
         "tester\x28\x07\x72\x0d\x0a\x06"
         "colour\x12\x03"
         "red"s;
}

void check_runs_on_the_device(const OwnSession& session, bool expected) {
  const int before = device_count("blocks");
  std::vector<float> y;
  CHECK(run_floats(session.get(), kDenseX, &y, {1, 2}).is_ok());
  CHECK(y == kDenseY);
  CHECK_EQ(device_count("blocks") > before, expected);
}

}  // namespace

TEST(ep_delegate, sees_every_device_in_order_and_what_the_model_says) {
  const Env env = env_with_device();
  CHECK(add_library(env, "test").is_ok());
  Delegate delegate{[](const Call& call) {
    CHECK_EQ(call.devices.size(), 4u);
    CHECK_EQ(call.name(0), std::string(kDeviceEp));  // the only NPU
    CHECK_EQ(call.name(1), std::string("AotExecutionProvider"));
    CHECK_EQ(call.name(2), std::string(kTestEp));
    CHECK_EQ(call.name(3), std::string("CPUExecutionProvider"));
    CHECK_EQ(call.text("producer_name"), std::string("tester"));
    CHECK_EQ(call.text("model_version"), std::string("7"));
    CHECK_EQ(call.text("colour"), std::string("red"));
    CHECK_EQ(call.text("doc_string"), std::string());
    CHECK_EQ(count_of(call.model), 8u);
    CHECK_EQ(count_of(call.runtime), 0u);
    CHECK_EQ(call.room, 8u);
    return choose_first(call);
  }};
  OwnSession session;
  CHECK(make_session(env, model_with_texts(), options_with(delegate), &session).is_ok());
  CHECK_EQ(delegate.calls, 1);
  check_runs_on_the_device(session, true);
}

TEST(ep_delegate, what_it_chose_is_used_and_nothing_else) {
  const Env env = env_with_device();
  Delegate delegate{[](const Call& call) { return call.choose({call.devices.back()}); }};
  OwnSession session;
  CHECK(make_session(env, dense_model(), options_with(delegate), &session).is_ok());
  check_runs_on_the_device(session, false);
  delegate.body = [](const Call& call) {
    return call.choose({call.devices[1], call.devices[0], call.devices[2]});
  };
  CHECK(make_session(env, dense_model(), options_with(delegate), &session).is_ok());
  check_runs_on_the_device(session, false);  // the AOT provider came first
}

TEST(ep_delegate, that_fails_or_chooses_nonsense_refuses_the_session) {
  const Env env = env_with_device();
  const Env other = env_with_device("another.virtual");
  const OrtEpDevice* const foreign = device_of(other);
  const struct {
    std::function<OrtStatus*(const Call&)> body;
    int code;
    const char* text;
  } kFaults[] = {
      {[](const Call&) { return OrtCreateStatus(ORT_INVALID_ARGUMENT, "I do not like it"); },
       ORT_FAIL, "EP selection delegate failed: I do not like it"},
      {[](const Call&) -> OrtStatus* { return nullptr; }, ORT_FAIL, "did not select anything"},
      {[](const Call& call) -> OrtStatus* {
         *call.count = 9;
         return nullptr;
       },
       ORT_FAIL, "selected too many EP devices (9), expected 1 to 8"},
      {[](const Call& call) -> OrtStatus* {
         *call.count = 1;
         return nullptr;
       },
       ORT_FAIL, "a device that it was not given, at place 0"},
      {[&](const Call& call) {
         return call.choose({call.devices[0], foreign});
       },
       ORT_FAIL, "a device that it was not given, at place 1"},
      {[](const Call& call) {
         return call.choose({call.devices[0], call.devices[0]});
       },
       ORT_FAIL, "twice, the second time at place 1"},
      {[](const Call&) -> OrtStatus* { throw std::runtime_error("thrown over devices"); },
       ORT_RUNTIME_EXCEPTION, "thrown over devices"}};
  for (const auto& fault : kFaults) {
    Delegate delegate{fault.body};
    OwnSession session;
    CHECK(make_session(env, dense_model(), options_with(delegate), &session)
              .has(fault.code, fault.text));
    CHECK_EQ(delegate.calls, 1);
  }
}

TEST(ep_delegate, is_not_asked_about_a_model_that_cannot_be_read) {
  const Env env = quiet_env();
  Delegate delegate{choose_first};
  const Options options = options_with(delegate);
  OwnSession session;
  CHECK(make_session(env, "\xff\xff garbage", options, &session).has(ORT_INVALID_PROTOBUF, ""));
  OrtSession* made = nullptr;
  CHECK(Outcome(OrtCreateSession(env.get(), "/nowhere/m.onnx", options.get(), &made))
            .has(ORT_NO_SUCHFILE, "Load model from /nowhere/m.onnx failed"));
  CHECK_EQ(delegate.calls, 0);
}

TEST(ep_delegate, a_policy_and_a_provider_that_was_added_go_before_it) {
  const Env env = env_with_device();
  Delegate delegate{choose_first};
  Options options = options_with(delegate);
  CHECK(Outcome(OrtSessionOptionsAppendExecutionProvider(options.get(), "AOT", nullptr, nullptr, 0))
            .is_ok());
  OwnSession session;
  CHECK(make_session(env, dense_model(), options, &session).is_ok());
  options = options_with(delegate);
  CHECK(Outcome(OrtSessionOptionsSetEpSelectionPolicy(options.get(),
                                                      OrtExecutionProviderDevicePolicy_PREFER_CPU))
            .is_ok());
  CHECK(make_session(env, dense_model(), options, &session).is_ok());
  options = options_with(delegate);
  CHECK(Outcome(OrtSessionOptionsSetEpSelectionPolicyDelegate(options.get(), nullptr, &delegate))
            .is_ok());
  CHECK(make_session(env, dense_model(), options, &session).is_ok());
  CHECK_EQ(delegate.calls, 0);
}

TEST(ep_delegate, is_asked_for_a_compile_and_with_copies_of_the_options) {
  const Env env = env_with_device();
  Delegate delegate{[](const Call& call) { return call.choose({call.devices[1]}); }};
  const Options options = options_with(delegate);
  OrtModelCompilationOptions* compile = nullptr;
  CHECK(Outcome(
            OrtCreateModelCompilationOptionsFromSessionOptions(env.get(), options.get(), &compile))
            .is_ok());
  const std::string model = dense_model();
  CHECK(Outcome(
            OrtModelCompilationOptions_SetInputModelFromBuffer(compile, model.data(), model.size()))
            .is_ok());
  OrtAllocator* allocator = nullptr;
  void* buffer = nullptr;
  size_t size = 0;
  CHECK(Outcome(OrtGetAllocatorWithDefaultOptions(&allocator)).is_ok());
  CHECK(Outcome(OrtModelCompilationOptions_SetOutputModelBuffer(compile, allocator, &buffer, &size))
            .is_ok());
  CHECK(Outcome(OrtModelCompilationOptions_SetEpContextEmbedMode(compile, true)).is_ok());
  CHECK(Outcome(OrtCompileModel(env.get(), compile)).is_ok());
  CHECK_EQ(delegate.calls, 1);
  CHECK(std::string(static_cast<const char*>(buffer), size).find("EPContext") != std::string::npos);
  CHECK(Outcome(OrtAllocatorFree(allocator, buffer)).is_ok());
  OrtReleaseModelCompilationOptions(compile);
}

TEST(ep_delegate, options_that_a_device_suggests_apply_where_the_program_set_none) {
  const Env env = quiet_env();
  CHECK(add_library(env, "test").is_ok());
  Delegate delegate{[](const Call& call) { return call.choose({call.devices[1]}); }};
  const Options options = options_with(delegate);
  ModelSource source;
  source.from_memory = true;
  source.bytes = Blob::from_string(two_muls());
  const std::string key = "ep.testlibraryep.speed";
  auto resolved = api::resolve_options(options.get(), *env->shared, source);
  CHECK_OK(resolved);
  CHECK_EQ(resolved->config.at(key), std::string("high"));
  CHECK(Outcome(OrtAddSessionConfigEntry(options.get(), key.c_str(), "low")).is_ok());
  resolved = api::resolve_options(options.get(), *env->shared, source);
  CHECK_OK(resolved);
  CHECK_EQ(resolved->config.at(key), std::string("low"));
}
