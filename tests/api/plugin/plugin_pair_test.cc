// SPDX-License-Identifier: MIT
// Two devices of one library: values go from one to the other without the host, and a stream waits
// for the other's notification. The devices work as late as they may, so that an order that is
// missing is a wrong number.
#include <malloc.h>

#include <atomic>
#include <thread>

#include "tests/api/plugin/device_testing.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr char kSecondEp[] = "SecondDeviceMemoryExecutionProvider";

// y = (x + x) * x + x: the first device, the second, the first.
std::string model_for_two() {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {2});
  const ValueId twice = g.node("Add", {x, x}, {"twice"})[0];
  const ValueId product = g.node("Mul", {twice, x}, {"product"})[0];
  g.output(g.node("Add", {product, x}, {"y"})[0]);
  return g.model_bytes();
}

OwnSession open_on_both(const Env& env, const std::string& model) {
  const Options options = options_of(env, kDeviceEp);
  const auto second = devices_of(env, kSecondEp);
  CHECK(Outcome(OrtSessionOptionsAppendExecutionProvider_V2(options.get(), env.get(), second.data(),
                                                            second.size(), nullptr, nullptr, 0))
            .is_ok());
  OwnSession session;
  CHECK(make_session(env, model, options, &session).is_ok());
  return session;
}

// The memory that is in use; 0 where nobody counts it.
size_t memory_in_use() {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  return mallinfo2().uordblks;
#else
  return 0;
#endif
}

}  // namespace

TEST(plugin_pair, streams_wait_for_each_other_on_the_devices) {
  const Env env = env_with_device("device.pair.virtual");
  const OwnSession session = open_on_both(env, model_for_two());
  for (int i = 1; i <= 3; ++i) {
    std::vector<float> y;
    CHECK(run_floats(session.get(), {3, -2}, &y).is_ok());
    CHECK(y == (std::vector<float>{21, 6}));
    CHECK_EQ(device_count("copies_across"), 2 * i);
    CHECK_EQ(device_count("waits_on_device"), 2 * i);
    CHECK_EQ(device_count("copies_out"), i);
    CHECK_EQ(device_count("run_ends"), 2 * i);
  }
  CHECK_EQ(device_count("streams_alive"), 0);
  CHECK_EQ(device_count("notifications_alive"), 0);
}

// The program's stream waits for one of the run, which nobody will ever ask for again.
TEST(plugin_pair, a_stream_of_the_program_remembers_nothing_of_runs_that_are_over) {
  const Env env = env_with_device("device.pair.virtual");
  const OwnSession session = open_on_both(env, model_for_two());
  OrtSyncStream* made = nullptr;
  CHECK(Outcome(OrtCreateSyncStreamForEpDevice(device_of(env), nullptr, &made)).is_ok());
  const Stream stream(made);
  OrtRunOptions* options = nullptr;
  CHECK(Outcome(OrtCreateRunOptions(&options)).is_ok());
  const OwnRunOptions own(options);
  OrtRunOptionsSetSyncStream(options, stream.get());
  const OwnValue x = host_tensor({3, -2}, {2});
  size_t before = 0;
  for (int i = 0; i < 2200; ++i) {
    if (i == 200) before = memory_in_use();
    OwnValue y;
    CHECK(run(session, x, &y, options).is_ok());
  }
  CHECK_EQ(device_count("streams"), 2201);
  CHECK(memory_in_use() < before + 32000);  // a few bytes for each would be more
}

TEST(plugin_pair, devices_without_streams_copy_at_once) {
  const Env env = env_with_device("device.pair.now.virtual");
  const OwnSession session = open_on_both(env, model_for_two());
  std::vector<float> y;
  CHECK(run_floats(session.get(), {3, -2}, &y).is_ok());
  CHECK(y == (std::vector<float>{21, 6}));
  CHECK_EQ(device_count("copies_across"), 2);
  CHECK_EQ(device_count("waits_on_device"), 0);
}

// What the first device made is read by the second, by the host, and by the caller.
TEST(plugin_pair, a_value_goes_to_every_memory_that_reads_it) {
  GraphBuilder g;
  const ValueId x = g.input("x", DType::kFloat32, {2});
  const ValueId twice = g.node("Add", {x, x}, {"twice"})[0];
  const ValueId product = g.node("Mul", {twice, twice}, {"product"})[0];
  const ValueId up = g.node("Ceil", {twice}, {"up"})[0];
  g.output(g.node("Sub", {product, up}, {"y"})[0]);
  const Env env = env_with_device("device.pair.virtual");
  const OwnSession session = open_on_both(env, g.model_bytes());
  std::vector<float> y;
  CHECK(run_floats(session.get(), {1.25, 3}, &y).is_ok());
  CHECK(y == (std::vector<float>{3.25, 30}));
}

TEST(plugin_pair, runs_on_many_threads_have_streams_of_their_own) {
  const Env env = env_with_device("device.pair.virtual");
  const OwnSession session = open_on_both(env, model_for_two());
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 1; t <= 4; ++t) {
    threads.emplace_back([&, t] {
      const auto x = static_cast<float>(t);
      for (int i = 0; i < 20; ++i) {
        std::vector<float> y;
        const Outcome outcome = run_floats(session.get(), {x, -x}, &y);
        const std::vector<float> expected = {2 * x * x + x, 2 * x * x - x};
        right += outcome.code == ORT_OK && y == expected ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(right.load(), 80);
  CHECK_EQ(device_count("streams_alive"), 0);
  CHECK_EQ(device_count("notifications_alive"), 0);
  CHECK_EQ(device_count("blocks_alive"), 0);
}
