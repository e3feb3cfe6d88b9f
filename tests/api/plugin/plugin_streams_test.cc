// SPDX-License-Identifier: MIT
// Streams of a device that works as late as it may: when somebody waits. What nobody waited for is
// a wrong number.
#include <atomic>
#include <thread>

#include "ort_c/ort_api.h"
#include "tests/api/plugin/device_testing.h"

using namespace ortc;
using namespace ortc::test;

namespace {

Stream stream_of(const Env& env) {
  OrtSyncStream* made = nullptr;
  CHECK(Outcome(OrtCreateSyncStreamForEpDevice(device_of(env), nullptr, &made)).is_ok());
  return Stream(made);
}

}  // namespace

TEST(plugin_streams, each_run_has_one_that_ends_with_it) {
  const Env env = env_with_device();
  const OwnSession session = open_on_device(env, model_with_a_host_node());
  for (int i = 1; i <= 3; ++i) {
    std::vector<float> y;
    CHECK(run_floats(session.get(), {1, 2}, &y).is_ok());
    CHECK(y == (std::vector<float>{2, 6}));
    CHECK_EQ(device_count("streams"), i);
    CHECK_EQ(device_count("run_ends"), i);
  }
  CHECK_EQ(device_count("streams_alive"), 0);
  CHECK_EQ(device_count("notifications_alive"), 0);
}

// What only the work of the run touches; constants belong to the session.
TEST(plugin_streams, are_told_to_the_allocator_of_a_run) {
  const Env env = env_with_device();
  const OwnSession session = open_on_device(env, model_with_a_host_node());
  const int before = device_count("blocks");
  CHECK_EQ(device_count("blocks_on_streams"), 0);
  std::vector<float> y;
  CHECK(run_floats(session.get(), {1, 2}, &y).is_ok());
  CHECK(y == (std::vector<float>{2, 6}));
  const int made = device_count("blocks") - before;
  CHECK(made >= 3);
  CHECK_EQ(device_count("blocks_on_streams"), made);
  CHECK_EQ(device_count("blocks_alive"), before);
  // A device without streams, and a program that allocates, do without.
  const OwnAllocator allocator = allocator_of(session, memory_of(env));
  const OwnValue x = new_tensor(allocator.get(), {2});
  CHECK_EQ(device_count("blocks_on_streams"), made);
}

TEST(plugin_streams, are_not_asked_of_a_device_that_has_none) {
  const Env env = env_with_device("device.now.virtual");
  const OwnSession session = open_on_device(env, model_with_a_host_node());
  std::vector<float> y;
  CHECK(run_floats(session.get(), {1, 2}, &y).is_ok());
  CHECK_EQ(device_count("streams"), 0);
  OrtSyncStream* made = nullptr;
  CHECK(Outcome(OrtCreateSyncStreamForEpDevice(device_of(env), nullptr, &made))
            .has(ORT_INVALID_ARGUMENT, "no streams"));
}

TEST(plugin_streams, of_the_program_serve_runs) {
  const Env env = env_with_device();
  const OwnSession session = open_on_device(env, dense_model());
  const Stream stream = stream_of(env);
  CHECK(OrtSyncStream_GetHandle(stream.get()) != nullptr);
  OrtRunOptions* options = nullptr;
  CHECK(Outcome(OrtCreateRunOptions(&options)).is_ok());
  const OwnRunOptions own(options);
  OrtRunOptionsSetSyncStream(options, stream.get());
  for (int i = 0; i < 2; ++i) {
    OwnValue y;
    CHECK(run(session, host_tensor(kDenseX, {1, 2}), &y, options).is_ok());
    CHECK(numbers_of(y) == kDenseY);
  }
  CHECK_EQ(device_count("streams"), 1);
  CHECK_EQ(device_count("run_ends"), 2);
  OrtRunOptionsSetSyncStream(options, nullptr);
  OwnValue y;
  CHECK(run(session, host_tensor(kDenseX, {1, 2}), &y, options).is_ok());
  CHECK_EQ(device_count("streams"), 2);
}

TEST(plugin_streams, order_copies_of_the_program_before_its_runs) {
  const Env env = env_with_device();
  const OwnSession session = open_on_device(env, dense_model());
  const OwnAllocator allocator = allocator_of(session, memory_of(env));
  const Stream stream = stream_of(env);
  OrtRunOptions* options = nullptr;
  CHECK(Outcome(OrtCreateRunOptions(&options)).is_ok());
  const OwnRunOptions own(options);
  OrtRunOptionsSetSyncStream(options, stream.get());
  const OwnValue here = host_tensor(kDenseX, {1, 2});
  const OwnValue x = new_tensor(allocator.get(), {1, 2});
  CHECK(copy(env, here, x, stream.get()).is_ok());  // not done yet
  OwnValue y;
  CHECK(run(session, x, &y, options).is_ok());
  CHECK(numbers_of(y) == kDenseY);
}

TEST(plugin_streams, are_refused_after_their_end) {
  const Env env = env_with_device();
  const OwnSession session = open_on_device(env, dense_model());
  const OwnAllocator allocator = allocator_of(session, memory_of(env));
  const OwnValue here = host_tensor(kDenseX, {1, 2});
  const OwnValue x = new_tensor(allocator.get(), {1, 2});
  Stream stream = stream_of(env);
  OrtSyncStream* const gone = stream.get();
  const OrtEpApi& table = *OrtcGetApiBase()->GetApi(ORTC_ORT_API_VERSION)->GetEpApi();
  CHECK(table.SyncStream_GetImpl(gone) != nullptr);
  stream.reset();
  CHECK_EQ(device_count("streams_alive"), 0);
  OrtReleaseSyncStream(gone);
  CHECK(OrtSyncStream_GetHandle(gone) == nullptr);
  CHECK(table.SyncStream_GetImpl(gone) == nullptr);
  CHECK_EQ(table.SyncStream_GetSyncId(gone), uint64_t{0});
  CHECK(copy(env, here, x, gone).has(ORT_INVALID_ARGUMENT, "'stream' is not there any more"));
}

// Only the library that made a stream can read it.
TEST(plugin_streams, of_another_library_are_refused_by_copies) {
  const Env env = env_with_device(), other = env_with_device("other.virtual");
  const OwnSession session = open_on_device(env, dense_model());
  const OwnAllocator allocator = allocator_of(session, memory_of(env));
  const OwnValue here = host_tensor(kDenseX, {1, 2});
  const OwnValue x = new_tensor(allocator.get(), {1, 2});
  const Stream stream = stream_of(other);
  CHECK(copy(env, here, x, stream.get()).has(ORT_INVALID_ARGUMENT, "'stream' belongs to"));
  CHECK(copy(env, here, x).is_ok());
  CHECK(numbers_on_device(env, x, {1, 2}) == kDenseX);
}

TEST(plugin_streams, outlive_the_registration_of_their_library) {
  const Env env = env_with_device();
  Stream stream = stream_of(env);
  CHECK(remove_library(env, "device.virtual").is_ok());
  CHECK_EQ(device_count("streams_alive"), 1);
  CHECK(OrtSyncStream_GetHandle(stream.get()) != nullptr);
  stream.reset();
  CHECK_EQ(device_count("streams"), -1);
}

TEST(plugin_streams, belong_to_one_run_each_on_many_threads) {
  const Env env = env_with_device();
  const OwnSession session = open_on_device(env, model_with_a_host_node());
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 1; t <= 4; ++t) {
    threads.emplace_back([&, t] {
      const auto x = static_cast<float>(t);
      for (int i = 0; i < 20; ++i) {
        std::vector<float> y;
        const Outcome outcome = run_floats(session.get(), {x, -x}, &y);
        right += outcome.code == ORT_OK && y == std::vector<float>{x * x + x, x * x - x} ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(right.load(), 80);
  CHECK_EQ(device_count("streams"), 80);
  CHECK_EQ(device_count("streams_alive"), 0);
  CHECK_EQ(device_count("blocks_alive"), 0);
}
