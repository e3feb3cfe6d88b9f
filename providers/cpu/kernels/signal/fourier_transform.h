// SPDX-License-Identifier: MIT
// Discrete Fourier transforms of any length in double: radix 2 for powers of two, else Bluestein's
// convolution through a power of two.
//
//   y[k] = sum over j of x[j] exp(-2 pi i j k / n)
#pragma once

#include <complex>
#include <cstdint>

#include "providers/cpu/bind/scratch_plan.h"

namespace ortc::cpu {

class Fourier {
 public:
  using Complex = std::complex<double>;
  // Adds the tables, and room for `slots` transforms at the same time. `n` is at least 1.
  Fourier(int64_t n, int64_t slots, ScratchPlan* plan);
  // Fills the tables; before the first transform of a run.
  void prepare(std::byte* scratch);
  // Where a slot's numbers are: n of them before and after its transform.
  Complex* slot(int64_t i) const { return work_ + i * size_; }
  void transform(Complex* x) const;
  // With exp(+...), divided by n.
  void inverse(Complex* x) const;

 private:
  void radix2(Complex* x) const;

  int64_t n_, size_;
  uint64_t turns_offset_, chirp_offset_ = 0, filter_offset_ = 0, work_offset_;
  Complex *turns_ = nullptr, *chirp_ = nullptr, *filter_ = nullptr, *work_ = nullptr;
};

}  // namespace ortc::cpu
