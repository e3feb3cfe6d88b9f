// SPDX-License-Identifier: MIT
// Libraries whose allocators, transfers and streams fail: each failure arrives with its code and
// text, and everything goes back once.
#include "tests/api/plugin/device_testing.h"

using namespace ortc;
using namespace ortc::test;

namespace {

void set_fault(const char* name) {
  function_of<void (*)(const char*)>(ORTC_FAULTY_LIBRARY, "faulty_memory_set")(name);
}

int faulty_count(const char* what) { return device_count(what, ORTC_FAULTY_LIBRARY); }

Outcome add_faulty(const Env& env, const std::string& fault) {
  return add_library(env, "faulty?" + fault + ".virtual", ORTC_FAULTY_LIBRARY);
}

Env env_with(const std::string& fault) {
  Env env = quiet_env();
  CHECK(add_faulty(env, fault).is_ok());
  return env;
}

// Nothing of a session is left.
void check_no_memory_held() {
  for (const char* what :
       {"blocks_alive", "allocators_alive", "streams_alive", "notifications_alive"}) {
    CHECK_EQ(faulty_count(what), 0);
  }
}

}  // namespace

TEST(plugin_memory_faults, of_a_transfer_or_a_device_refuse_the_library) {
  const Fault kFaults[] = {
      {"memory_of_an_fpga", ORT_NOT_IMPLEMENTED, "memory 'Fpga' of an FPGA"},
      {"transfer_error", ORT_NOT_FOUND, "CreateDataTransfer: no transfer today"},
      {"transfer_late", ORT_NOT_FOUND, "CreateDataTransfer: failed too late"},
      {"transfer_without_copy", ORT_EP_FAIL, "lacks one of its functions"}};
  for (const Fault& fault : kFaults) {
    const Env env = quiet_env();
    CHECK(add_faulty(env, fault.name).has(fault.code, fault.text));
    CHECK_EQ(faulty_count("blocks"), -1);  // it was unloaded
  }
}

TEST(plugin_memory_faults, of_memory_refuse_the_session) {
  const Fault kFaults[] = {
      {"allocator_error", ORT_NOT_FOUND, "CreateAllocator: no allocator today"},
      {"allocator_late", ORT_NOT_FOUND, "CreateAllocator: failed too late"},
      {"allocator_throws", ORT_EP_FAIL, "it threw: thrown in place of an allocator"},
      {"allocator_null", ORT_EP_FAIL, "gave no OrtAllocator"},
      {"allocator_without_alloc", ORT_EP_FAIL, "lacks one of Alloc, Free and Info"},
      {"allocator_without_info", ORT_EP_FAIL, "lacks one of Alloc, Free and Info"},
      {"allocator_of_nothing", ORT_EP_FAIL, "expected 'DeviceMemory'"},
      {"no_create_allocator", ORT_EP_FAIL, "no CreateAllocator"},
      {"no_release_allocator", ORT_EP_FAIL, "no ReleaseAllocator"},
      {"no_create_transfer", ORT_EP_FAIL, "no data transfer"},
      {"transfer_null", ORT_EP_FAIL, "no data transfer"},
      {"can_copy_nothing", ORT_EP_FAIL, "does not copy to it from the host"},
      {"can_copy_throws", ORT_EP_FAIL, "thrown in place of an answer"},
      {"alloc_null", ORT_RUNTIME_EXCEPTION, "gave no memory"},
      {"alloc_throws", ORT_RUNTIME_EXCEPTION, "gave no memory"},
      {"copy_error", ORT_NOT_FOUND, "CopyTensors: cannot copy"},
      {"copy_throws", ORT_EP_FAIL, "thrown over a copy"}};
  for (const Fault& fault : kFaults) {
    const Env env = env_with(fault.name);
    OwnSession session;
    CHECK(make_session(env, dense_model(), options_of(env, kDeviceEp), &session)
              .has(fault.code, fault.text));
    check_no_memory_held();
  }
}

TEST(plugin_memory_faults, of_a_run_are_the_runs_and_the_next_one_succeeds) {
  const Fault kFaults[] = {{"alloc_on_stream_null", ORT_RUNTIME_EXCEPTION, "gave no memory"},
                           {"alloc_on_stream_throws", ORT_RUNTIME_EXCEPTION, "gave no memory"},
                           {"copy_error", ORT_NOT_FOUND, "cannot copy"},
                           {"copy_throws", ORT_EP_FAIL, "thrown over a copy"},
                           {"stream_error", ORT_NOT_FOUND, "no stream today"},
                           {"stream_late", ORT_NOT_FOUND, "failed too late"},
                           {"stream_null", ORT_EP_FAIL, "gave no OrtSyncStreamImpl"},
                           {"stream_without_flush", ORT_EP_FAIL, "lacks one of its functions"},
                           {"notification_error", ORT_NOT_FOUND, "no notification"},
                           {"notification_late", ORT_NOT_FOUND, "failed too late"},
                           {"notification_null", ORT_EP_FAIL, "gave no OrtSyncNotificationImpl"},
                           {"flush_error", ORT_NOT_FOUND, "cannot flush"},
                           {"flush_throws", ORT_EP_FAIL, "thrown in place of a flush"},
                           {"wait_error", ORT_NOT_FOUND, "the device was lost"},
                           {"run_end_error", ORT_NOT_FOUND, "the run cannot end"}};
  for (const Fault& fault : kFaults) {
    const Env env = env_with("");
    OwnSession session;
    CHECK(
        make_session(env, model_with_a_host_node(), options_of(env, kDeviceEp), &session).is_ok());
    set_fault(fault.name);
    std::vector<float> y;
    CHECK(run_floats(session.get(), {1, 2}, &y).has(fault.code, fault.text));
    set_fault("");
    CHECK(run_floats(session.get(), {1, 2}, &y).is_ok());
    CHECK(y == (std::vector<float>{2, 6}));
    CHECK_EQ(faulty_count("blocks_alive"), 0);
    session.reset();
    check_no_memory_held();
  }
}

// One without AllocOnStream, and one that is older than it.
TEST(plugin_memory_faults, of_allocators_that_know_no_streams_are_those_of_a_run_too) {
  for (const char* kind : {"allocator_without_streams", "allocator_22"}) {
    const Env env = env_with("");
    OwnSession session;
    set_fault(kind);
    CHECK(
        make_session(env, model_with_a_host_node(), options_of(env, kDeviceEp), &session).is_ok());
    set_fault("alloc_null");
    std::vector<float> y;
    CHECK(run_floats(session.get(), {1, 2}, &y).has(ORT_RUNTIME_EXCEPTION, "gave no memory"));
    set_fault("alloc_throws");
    CHECK(run_floats(session.get(), {1, 2}, &y).has(ORT_RUNTIME_EXCEPTION, "gave no memory"));
    set_fault("");
    CHECK(run_floats(session.get(), {1, 2}, &y).is_ok());
    CHECK(y == (std::vector<float>{2, 6}));
    CHECK_EQ(faulty_count("blocks_on_streams"), 0);
    session.reset();
    check_no_memory_held();
  }
}

TEST(plugin_memory_faults, of_shared_allocators_and_streams_reach_the_program) {
  const Env env = env_with("");
  OrtAllocator* allocator = nullptr;
  OrtSyncStream* stream = nullptr;
  set_fault("allocator_error");
  CHECK(Outcome(OrtCreateSharedAllocator(env.get(), device_of(env), OrtDeviceMemoryType_DEFAULT,
                                         OrtDeviceAllocator, nullptr, &allocator))
            .has(ORT_NOT_FOUND, "no allocator today"));
  CHECK(Outcome(OrtGetSharedAllocator(env.get(), memory_of(env), &allocator))
            .has(ORT_NOT_FOUND, "no allocator today"));
  CHECK(allocator == nullptr);
  set_fault("stream_null");
  CHECK(Outcome(OrtCreateSyncStreamForEpDevice(device_of(env), nullptr, &stream))
            .has(ORT_EP_FAIL, "gave no OrtSyncStreamImpl"));
  set_fault("");
  check_no_memory_held();
}

TEST(plugin_memory_faults, do_not_make_allocators_go_back_twice) {
  const Env env = env_with("");
  const auto released = [] {
    return function_of<int (*)()>(ORTC_FAULTY_LIBRARY, "faulty_memory_released")();
  };
  const int before = released();
  { const OwnSession session = open_on_device(env, dense_model()); }
  CHECK_EQ(released() - before, 2);  // values and constants
  check_no_memory_held();
}

TEST(plugin_memory_faults, do_not_end_the_stream_of_a_run) {
  const Env env = env_with("");
  const OwnSession session = open_on_device(env, model_with_a_host_node());
  set_fault("stream_released");
  std::vector<float> y;
  CHECK(run_floats(session.get(), {1, 2}, &y).is_ok());
  CHECK(y == (std::vector<float>{2, 6}));
  CHECK_EQ(faulty_count("streams_alive"), 0);
}
