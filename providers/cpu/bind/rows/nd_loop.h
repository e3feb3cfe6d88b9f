// SPDX-License-Identifier: MIT
// Loops over a row-major output whose operands are read with strides of their own: broadcasting
// (stride 0), slicing (any stride), permuting. Dimensions of size 1 are dropped and neighbours that
// every operand walks in one stride are merged, so that the innermost row is as long as possible.
//
// A loop may be cut anywhere: for_each_row(loop, begin, end, row) visits the output elements
// [begin, end) in order as rows, and which rows never changes what is computed for an element.
#pragma once

#include <array>

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/bind/dim_list.h"

// Before a loop whose result lies where an operand does or nowhere near it: gcc then vectorises it
// in both cases.
#if defined(__clang__)
#define ORTC_ELEMENTWISE
#else
#define ORTC_ELEMENTWISE _Pragma("GCC ivdep")
#endif

namespace ortc::cpu {

// Elements one thread takes at a time: about as long as waking a worker is worth.
inline constexpr int64_t kElementGrain = 16384;

template <size_t kOperands, size_t kCapacity = kMaxRank>
struct NdLoop {
  size_t rank = 0;
  int64_t count = 1;  // output elements
  std::array<int64_t, kCapacity> dims;
  std::array<std::array<int64_t, kCapacity>, kOperands> strides;  // in elements

  int64_t inner_size() const { return dims[rank - 1]; }
  int64_t inner_stride(size_t operand) const { return strides[operand][rank - 1]; }

  // Appends a dimension inside the ones so far.
  void append(int64_t dim, const std::array<int64_t, kOperands>& dim_strides) {
    count *= dim;
    if (dim == 1 && rank > 0) return;
    if (rank > 0 && dims[rank - 1] == 1) --rank;
    bool merges = rank > 0;
    for (size_t k = 0; merges && k < kOperands; ++k) {
      merges = strides[k][rank - 1] == dim_strides[k] * dim;
    }
    if (merges) {
      dims[rank - 1] *= dim;
    } else {
      dims[rank++] = dim;
    }
    for (size_t k = 0; k < kOperands; ++k) strides[k][rank - 1] = dim_strides[k];
  }
  // After the last append; a scalar becomes one row of one element.
  void finish() {
    if (rank > 0) return;
    rank = 1;
    dims[0] = 1;
    for (auto& stride : strides) stride[0] = 0;
  }
};

// row(out_offset, offsets, n): n elements from out_offset on; operand k starts at offsets[k] and
// moves by inner_stride(k).
template <size_t kOperands, size_t kCapacity, typename F>
void for_each_row(const NdLoop<kOperands, kCapacity>& loop, int64_t begin, int64_t end, F&& row) {
  if (begin >= end) return;
  const size_t inner = loop.rank - 1;
  std::array<int64_t, kCapacity> index;
  std::array<int64_t, kOperands> offsets{};
  int64_t rest = begin;
  for (size_t d = loop.rank; d-- > 0;) {
    index[d] = rest % loop.dims[d];
    rest /= loop.dims[d];
    for (size_t k = 0; k < kOperands; ++k) offsets[k] += index[d] * loop.strides[k][d];
  }
  for (int64_t at = begin;;) {
    const int64_t left = loop.dims[inner] - index[inner];
    const int64_t n = left < end - at ? left : end - at;
    row(at, offsets, n);
    at += n;
    if (at >= end) return;
    for (size_t k = 0; k < kOperands; ++k) offsets[k] -= index[inner] * loop.strides[k][inner];
    index[inner] = 0;
    for (size_t d = inner; d-- > 0;) {
      for (size_t k = 0; k < kOperands; ++k) offsets[k] += loop.strides[k][d];
      if (++index[d] < loop.dims[d]) break;
      for (size_t k = 0; k < kOperands; ++k) offsets[k] -= loop.dims[d] * loop.strides[k][d];
      index[d] = 0;
    }
  }
}

// All rows of the loop, divided over the threads of ctx. `cost` is the work of one element in
// units of a plain addition.
template <size_t kOperands, size_t kCapacity, typename F>
void parallel_rows(const RunContext& ctx, const NdLoop<kOperands, kCapacity>& loop, int64_t cost,
                   F&& row) {
  const int64_t grain = kElementGrain / cost > 256 ? kElementGrain / cost : 256;
  ctx.parallel_for(loop.count, grain,
                   [&](int64_t begin, int64_t end) { for_each_row(loop, begin, end, row); });
}

}  // namespace ortc::cpu
