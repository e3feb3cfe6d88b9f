// SPDX-License-Identifier: MIT
// f32 products of many rows and a few columns: a vector of packed B would have numbers for these
// few columns only. Long rows meet the columns one by one, of short ones several share a register.
#pragma once

#include <cstdint>

#include "providers/cpu/arith/activation.h"
#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

struct FewColumns {
  int64_t k = 0, n = 0;
  const float* a = nullptr;       // rows of k
  const float* b = nullptr;       // [k, n], wherever it lies:
  int64_t b_row = 0, b_step = 1;  // from l to l + 1, from j to j + 1
  float* c = nullptr;             // rows of n
  EpilogueF32 epilogue;           // without a residual
};

enum class FewColumnsWay {
  kNone,   // longer than others
  kDots,   // of rows of A and columns of B, where b_row is 1
  kShort,  // several rows at a time
};
FewColumnsWay few_columns_way(Isa isa, int64_t m, int64_t k, int64_t n);

// Rows [m0, m1).
void multiply_few_columns(Isa isa, const FewColumns& product, int64_t m0, int64_t m1);

}  // namespace ortc::cpu
