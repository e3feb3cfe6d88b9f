// SPDX-License-Identifier: MIT
// f32 products of many rows and a few columns, as dot products of rows of A and columns of B: a
// vector of packed B would have numbers for these few columns only.
#pragma once

#include <cstdint>

#include "providers/cpu/arith/activation.h"
#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

struct FewColumns {
  int64_t k = 0, n = 0;
  const float* a = nullptr;  // rows of k
  const float* w = nullptr;  // columns of B, as n rows of k
  float* c = nullptr;        // rows of n
  EpilogueF32 epilogue;      // without a residual
};

// Whether this way is the shorter one.
bool is_better_by_dots(int64_t m, int64_t k, int64_t n);

// Rows [m0, m1).
void multiply_few_columns(Isa isa, const FewColumns& product, int64_t m0, int64_t m1);

}  // namespace ortc::cpu
