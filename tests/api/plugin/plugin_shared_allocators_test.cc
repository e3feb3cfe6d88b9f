// SPDX-License-Identifier: MIT
// Shared allocators of a library that takes its time to make them: several threads ask at once, and
// the library is unregistered meanwhile.
#include <array>
#include <thread>

#include "tests/api/plugin/device_testing.h"

using namespace ortc;
using namespace ortc::test;

namespace {

constexpr size_t kThreads = 4;

// Ends without being joined twice.
struct Threads {
  std::vector<std::thread> list;
  ~Threads() { join(); }
  void join() {
    for (std::thread& one : list) one.join();
    list.clear();
  }
};

class SlowLibrary {
 public:
  SlowLibrary() : env_(quiet_env()) {
    CHECK(add_library(env_, "faulty?allocator_slow.virtual", ORTC_FAULTY_LIBRARY).is_ok());
    memory_ = memory_of(env_);
  }
  const Env& env() const { return env_; }
  const OrtMemoryInfo* memory() const { return memory_; }

  // What the threads are lent, `meanwhile` done while each of them has one being made.
  template <typename Meanwhile>
  std::array<OrtAllocator*, kThreads> lend(Meanwhile&& meanwhile) {
    const auto waiting = function_of<int (*)()>(ORTC_FAULTY_LIBRARY, "faulty_memory_waiting");
    const auto set = function_of<void (*)(const char*)>(ORTC_FAULTY_LIBRARY, "faulty_memory_set");
    std::array<OrtAllocator*, kThreads> lent{};
    std::array<OrtStatus*, kThreads> failed{};
    Threads threads;
    for (size_t i = 0; i < kThreads; ++i) {
      threads.list.emplace_back(
          [&, i] { failed[i] = OrtGetSharedAllocator(env_.get(), memory_, &lent[i]); });
    }
    while (waiting() < static_cast<int>(kThreads)) std::this_thread::yield();
    meanwhile();
    set("");
    threads.join();
    for (OrtStatus* status : failed) CHECK(Outcome(status).is_ok());
    return lent;
  }

 private:
  Env env_;
  const OrtMemoryInfo* memory_ = nullptr;
};

}  // namespace

TEST(plugin_shared_allocators, are_the_same_for_all_who_ask_at_once) {
  SlowLibrary library;
  const auto lent = library.lend([] {});
  CHECK_EQ(device_count("allocators_alive", ORTC_FAULTY_LIBRARY), 1);
  for (OrtAllocator* const one : lent) {
    CHECK(one != nullptr && one == lent[0]);
    void* block = nullptr;
    CHECK(Outcome(OrtAllocatorAlloc(one, 64, &block)).is_ok());
    CHECK(Outcome(OrtAllocatorFree(one, block)).is_ok());
  }
}

TEST(plugin_shared_allocators, do_not_outlive_the_registration_of_their_library) {
  SlowLibrary library;
  library.lend(
      [&] { CHECK(remove_library(library.env(), "faulty?allocator_slow.virtual").is_ok()); });
  OrtAllocator* late = nullptr;
  CHECK(Outcome(OrtGetSharedAllocator(library.env().get(), library.memory(), &late)).is_ok());
  CHECK(late == nullptr);
  CHECK_EQ(device_count("allocators_alive", ORTC_FAULTY_LIBRARY), -1);  // it was unloaded
}
