// SPDX-License-Identifier: MIT
// f32 products of few rows by a large transposed B, computed the other way round:
//
//   c^T = alpha * b a^T + bias,  a [m, k], b [n, k], both row-major
//
// Rows of B are read where they lie, a row's numbers one by one, and A is packed instead, which is
// much less to move; blocks of the result are turned while they lie in a cache. Elements have the
// bits that packing B gives. It is what the head of a language model wants, whose weights are the
// embedding.
#pragma once

#include <cstdint>

#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

struct TurnedProduct {
  int64_t m = 0, k = 0, n = 0;  // none of them 0
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;  // [m, n]
  float alpha = 1.0f;
  const float* bias = nullptr;  // n numbers, or null
};

// Columns of C that are computed together. A work item should have a multiple of it.
inline constexpr int64_t kTurnedColumns = 48;

// Whether this way is the shorter one.
bool is_better_turned(int64_t m, int64_t k, int64_t n);

// Floats of room, for an m that is_better_turned() accepts.
int64_t turned_room(int64_t m, int64_t k);

// Columns [n0, n1).
void run_turned_product(Isa isa, const TurnedProduct& product, int64_t n0, int64_t n1, float* room);

}  // namespace ortc::cpu
