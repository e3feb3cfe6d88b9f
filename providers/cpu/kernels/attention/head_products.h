// SPDX-License-Identifier: MIT
// What attention operators are made of: heads taken out of packed rows and put back, and one
// product for each of them.
//
//   scores = alpha q k^T        y = scores v
//
// Several query heads may share a key head: those follow each other, so a key head's queries are
// the rows of one product.
#pragma once

#include <algorithm>
#include <cmath>

#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/bind/rows/unary_rows.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/products/batched_product.h"
#include "providers/cpu/products/plain_product.h"

namespace ortc::cpu {

struct HeadSizes {
  int64_t heads;  // of keys, all batches together
  int64_t rows;   // queries of a key head
  int64_t keys, size, value_size;
};

BatchedProduct score_product(const HeadSizes& sizes);
BatchedProduct value_product(const HeadSizes& sizes);
// Bytes of scratch for either of them, over so many keys or fewer, in float32; -1 on overflow.
int64_t head_product_scratch(const HeadSizes& sizes, int thread_count);

// c = alpha a b for matrices of any sizes, 0 included; `scratch` is where float32 has it.
template <typename T>
void multiply_heads(const RunContext& ctx, const BatchedProduct& p, const T* a, const T* b, T alpha,
                    T* c, uint64_t scratch) {
  if (p.m == 0 || p.n == 0 || p.batch_count == 0) return;
  if (p.k == 0) {
    std::fill_n(c, p.batch_count * p.m * p.n, T(0));
    return;
  }
  if constexpr (std::is_same_v<T, float>) {
    run_batched_product(ctx.with({}, {}, ctx.scratch() + scratch), p, {a, b, c, alpha});
  } else {
    run_plain_product<T>(ctx, p, a, b, alpha, c);
  }
}

// Rows [batch, sequence] in which the heads lie: `head_stride` elements from head to head.
template <typename T>
struct PackedHeads {
  const T* data;
  int64_t row_stride, head_stride;
  const T* bias = nullptr;  // [heads, size], or null
};

struct HeadDims {
  int64_t batch, heads, sequence, size;

  int64_t rows() const { return batch * heads * sequence; }
  int64_t grain() const { return std::max<int64_t>(1, kElementGrain / std::max<int64_t>(1, size)); }
};

// To [batch, heads, sequence, size], at place `first` of `total` in the sequence.
template <typename T>
void split_heads(const RunContext& ctx, const PackedHeads<T>& from, const HeadDims& d, T* to,
                 int64_t first, int64_t total) {
  if (d.size == 0) return;
  ctx.parallel_for(d.rows(), d.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t b = i / (d.heads * d.sequence), h = i / d.sequence % d.heads;
      const int64_t t = i % d.sequence;
      const T* x = from.data + (b * d.sequence + t) * from.row_stride + h * from.head_stride;
      T* y = to + ((b * d.heads + h) * total + first + t) * d.size;
      if (from.bias == nullptr) {
        std::copy_n(x, d.size, y);
      } else {
        const T* bias = from.bias + h * d.size;
        for (int64_t j = 0; j < d.size; ++j) y[j] = x[j] + bias[j];
      }
    }
  });
}
template <typename T>
void split_heads(const RunContext& ctx, const PackedHeads<T>& from, const HeadDims& d, T* to) {
  split_heads(ctx, from, d, to, 0, d.sequence);
}

// [batch, heads, sequence, size] to rows [batch, sequence, heads * size].
template <typename T>
void join_heads(const RunContext& ctx, const T* from, const HeadDims& d, T* to) {
  if (d.size == 0) return;
  ctx.parallel_for(d.rows(), d.grain(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t b = i / (d.heads * d.sequence), h = i / d.sequence % d.heads;
      const int64_t t = i % d.sequence;
      std::copy_n(from + i * d.size, d.size, to + ((b * d.sequence + t) * d.heads + h) * d.size);
    }
  });
}

// [batch, heads, sequence, size] to place `first` of sequences of `total`.
template <typename T>
void append_heads(const RunContext& ctx, const T* from, const HeadDims& d, T* to, int64_t first,
                  int64_t total) {
  const int64_t count = d.sequence * d.size;
  if (count == 0) return;
  ctx.parallel_for(d.batch * d.heads, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      std::copy_n(from + i * count, count, to + (i * total + first) * d.size);
    }
  });
}

inline void softmax_row(const VectorF32Kernels& vector, float* x, int64_t n) {
  vector.softmax(x, 1.0f, nullptr, x, static_cast<size_t>(n));
}
inline void softmax_row(const VectorF32Kernels&, double* x, int64_t n) {
  const double top = *std::max_element(x, x + n);
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i] = std::exp(x[i] - top);
  for (int64_t i = 0; i < n; ++i) x[i] /= sum;
}

}  // namespace ortc::cpu
