// SPDX-License-Identifier: MIT
// How a thread's floating-point unit rounds, and whether denormal numbers count as zero: bits of
// MXCSR on x86-64, of FPCR on aarch64. Each thread has its own. Workers of a pool compute in the
// mode of the thread whose loop they divide, so that a result does not depend on how many they are.
#pragma once

#include <cstdint>

namespace ortc {

class FloatingPointMode {
 public:
  // Of the calling thread.
  static FloatingPointMode current();
  // Rounds to nearest, keeps denormal numbers.
  static FloatingPointMode standard() { return FloatingPointMode(0); }
  // The calling thread's: the mode alone; masks and sticky flags stay.
  void set() const;

  // The same with operands and results that are denormal taken for zero.
  FloatingPointMode with_denormals_as_zero() const;
  bool operator==(const FloatingPointMode&) const = default;

 private:
  explicit FloatingPointMode(uint64_t bits) : bits_(bits) {}
  uint64_t bits_;
};

// False on processors for which with_denormals_as_zero() changes nothing.
bool has_denormals_as_zero();

// The calling thread computes in `mode`, and in its own afterwards.
class InFloatingPointMode {
 public:
  explicit InFloatingPointMode(FloatingPointMode mode) : before_(FloatingPointMode::current()) {
    is_other_ = mode != before_;
    if (is_other_) mode.set();
  }
  ~InFloatingPointMode() {
    if (is_other_) before_.set();
  }
  InFloatingPointMode(const InFloatingPointMode&) = delete;
  InFloatingPointMode& operator=(const InFloatingPointMode&) = delete;

 private:
  const FloatingPointMode before_;
  bool is_other_;
};

}  // namespace ortc
