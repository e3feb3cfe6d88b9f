// SPDX-License-Identifier: MIT
// Linux's own account of the process; read with plain calls, so that reading allocates nothing.
#include "bench/driver/memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "bench/driver/library.h"

namespace bench {
namespace {

constexpr auto kSamplePeriod = std::chrono::milliseconds(2);

struct Rollup {
  uint64_t anonymous = 0, swap = 0, resident = 0;
};

uint64_t field(const char* text, const char* name) {
  const char* at = std::strstr(text, name);
  if (at == nullptr) throw Failure(std::string("smaps_rollup has no field ") + (name + 1));
  return std::strtoull(at + std::strlen(name), nullptr, 10) * 1024;
}

Rollup read_rollup() {
  char text[4096] = {};
  const int file = open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);
  if (file < 0) throw Failure("there is no /proc/self/smaps_rollup");
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) throw Failure("/proc/self/smaps_rollup cannot be read");
  return {field(text, "\nAnonymous:"), field(text, "\nSwap:"), field(text, "\nRss:")};
}

}  // namespace

uint64_t private_bytes() {
  const Rollup rollup = read_rollup();
  return rollup.anonymous + rollup.swap;
}

uint64_t resident_bytes() { return read_rollup().resident; }

PeakSampler::PeakSampler() : peak_(private_bytes()) {
  thread_ = std::thread([this] {
    while (!is_over_.load(std::memory_order_relaxed)) {
      peak_ = std::max(peak_, private_bytes());
      std::this_thread::sleep_for(kSamplePeriod);
    }
  });
}

PeakSampler::~PeakSampler() { stop(); }

uint64_t PeakSampler::stop() {
  is_over_ = true;
  if (thread_.joinable()) thread_.join();
  peak_ = std::max(peak_, private_bytes());
  return peak_;
}

}  // namespace bench
