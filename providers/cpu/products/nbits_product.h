// SPDX-License-Identifier: MIT
// Rows times packed weights of few bits (arith/nbits/nbits.h has their form), on all threads.
//
// Up to kNBitsVectors rows are multiplied straight from the packed form. More rows go through the
// f32 product, 32 columns and some hundred rows of weights expanded at a time. With `as_int8` rows
// are rounded to 8 bits in blocks, and any number of them is multiplied as integers, several at a
// time where the CPU has the instructions: a row gives the same alone and among others. Threads
// divide columns; no bit depends on how many there are.
#pragma once

#include <optional>

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/arith/nbits/nbits.h"

namespace ortc::cpu {

inline constexpr int64_t kNBitsVectors = 4;

struct NBitsJob {
  NBitsShape shape;
  bool as_int8 = false;
  const std::byte* b = nullptr;  // packed
  const float* a = nullptr;      // `rows` rows of shape.k numbers
  const float* bias = nullptr;   // shape.n numbers; null means 0
  float* y = nullptr;            // `rows` rows of shape.n numbers
  int64_t rows = 0;
};

// Whether weights of n rows of k numbers of so many bits, in blocks, can be packed: counts of their
// panels and blocks fit in 32 bits then.
bool can_pack_nbits(int64_t k, int64_t n, int64_t block, uint32_t bits);

// Bytes of the packed weights; nothing on overflow. The shape has at least one row and column.
std::optional<int64_t> nbits_packed_bytes(const NBitsShape& shape);

// The layout of its packed form.
Layout nbits_layout(const NBitsShape& shape);

// Bytes of scratch, on 64; nothing on overflow.
std::optional<uint64_t> nbits_scratch(const NBitsShape& shape, bool as_int8, int64_t rows,
                                      int thread_count, Isa isa);

// `scratch` has as many bytes as nbits_scratch() tells for the context's threads and instructions.
void run_nbits(const RunContext& ctx, const NBitsJob& job, std::byte* scratch);

}  // namespace ortc::cpu
