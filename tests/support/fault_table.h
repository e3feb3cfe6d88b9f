// SPDX-License-Identifier: MIT
// A table of faults: bytes as somebody would craft them, one row for each way in which a reader
// could be led astray, and how they must be refused. None may cost more than kMsMax of time or
// kBytesMax of memory, whatever sizes its bytes speak of.
//
//   check_faults("journal", read, {{"a cut text", bytes, Code::kInvalidGraph, "too early"}});
//
// A program that includes this includes failing_allocations.h itself: it counts what is allocated.
#pragma once

#include <time.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/base/tensor.h"
#include "tests/support/failing_allocations.h"
#include "tests/support/test.h"

namespace ortc::test {

constexpr double kMsMax = 10;
constexpr long kBytesMax = 1 << 20;

struct Fault {
  const char* how;
  std::string bytes;
  Code code;
  const char* words;  // of the message
};

using ReadBytes = std::function<Status(const Blob& bytes)>;

inline double cpu_ms() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Exactly as large as the bytes, so that reading beyond them is seen.
inline Blob exact_copy(const std::string& bytes) {
  Tensor copy = Tensor::create(DType::kUint8, {static_cast<int64_t>(bytes.size())}).value();
  if (!bytes.empty()) std::memcpy(copy.mutable_data(), bytes.data(), bytes.size());
  return Blob(copy.bytes(), copy.owner());
}

inline void check_fault(const char* reader, const ReadBytes& read, const Fault& fault) {
  const auto complain = [&](const std::string& what) {
    check_failed(__FILE__, __LINE__, str_cat(reader, ": ", fault.how, ": ", what));
  };
  const Blob bytes = exact_copy(fault.bytes);
  double ms = 0;
  long peak = 0;
  // What is made once in a process, and a machine that was busy, count only once.
  for (int attempt = 0; attempt < 3; ++attempt) {
    watch_bytes();
    const double begin = cpu_ms();
    const Status status = read(bytes);
    ms = cpu_ms() - begin;
    peak = peak_bytes();
    if (status.is_ok()) complain("it was taken");
    if (status.code() != fault.code) complain(str_cat("another code: ", text_of(status)));
    if (status.message().find(fault.words) == std::string::npos) {
      complain(str_cat("expected '", fault.words, "', found: ", status.message()));
    }
    if (is_sanitized() || is_emulated() || (ms <= kMsMax && peak <= kBytesMax)) return;
  }
  complain(str_cat("refused only after ", ms, " ms and ", peak, " bytes"));
}

inline void check_faults(const char* reader, const ReadBytes& read,
                         const std::vector<Fault>& faults) {
  for (const Fault& fault : faults) check_fault(reader, read, fault);
}

// `bytes` with a number in place of what stands at `at`.
template <typename T>
std::string with_number(const std::string& bytes, size_t at, T number) {
  CHECK(at + sizeof number <= bytes.size());
  std::string changed = bytes;
  std::memcpy(changed.data() + at, &number, sizeof number);
  return changed;
}

}  // namespace ortc::test
