// SPDX-License-Identifier: MIT
// Layer and RMS normalisation in any float type, with a scale and a bias that repeat in any way
// that broadcasting to x allows: plain loops, sums in double. The common form, float32 weights that
// have the normalised dims, has vector kernels (providers/cpu/arith/vector_f32).
#pragma once

#include <cmath>

#include "providers/cpu/bind/broadcast.h"

namespace ortc::cpu {

// A scale or a bias, with the dims that it is broadcast from.
template <typename T>
struct NormWeight {
  const T* data;
  DimList dims;
};

// A number for each row, of float or double; or none.
struct NormStatistics {
  void* data = nullptr;
  bool is_double = false;

  void put(int64_t row, double value) const {
    if (data == nullptr) return;
    if (is_double) {
      static_cast<double*>(data)[row] = value;
    } else {
      static_cast<float*>(data)[row] = static_cast<float>(value);
    }
  }
};

template <typename T>
struct BroadcastNorm {
  std::span<const int64_t> dims;  // of x and y
  size_t axis;                    // the first that is normalised
  const T* x;
  NormWeight<T> scale, bias;
  T* y;  // may be x
  bool is_rms;
  double epsilon;
  NormStatistics mean, inverse;
};

template <typename T>
void normalise_row(const BroadcastNorm<T>& norm, const NdLoop<2>& loop, int64_t row, int64_t n) {
  const T* x = norm.x + row * n;
  double mean = 0, squares = 0;
  for (int64_t i = 0; !norm.is_rms && i < n; ++i) mean += static_cast<double>(x[i]);
  if (!norm.is_rms) mean /= static_cast<double>(n);
  for (int64_t i = 0; i < n; ++i) {
    const double d = static_cast<double>(x[i]) - mean;
    squares += d * d;
  }
  const double inverse = 1 / std::sqrt(squares / static_cast<double>(n) + norm.epsilon);
  for_each_row(loop, row * n, row * n + n, [&](int64_t at, const auto& offsets, int64_t count) {
    const T* scale = norm.scale.data + offsets[0];
    const T* bias = norm.bias.data + offsets[1];
    const int64_t scale_step = loop.inner_stride(0), bias_step = loop.inner_stride(1);
    for (int64_t i = 0; i < count; ++i) {
      const double t = (static_cast<double>(norm.x[at + i]) - mean) * inverse;
      norm.y[at + i] = static_cast<T>(t * static_cast<double>(scale[i * scale_step]) +
                                      static_cast<double>(bias[i * bias_step]));
    }
  });
  norm.mean.put(row, mean);
  norm.inverse.put(row, inverse);
}

template <typename T>
void run_broadcast_norm(const RunContext& ctx, const BroadcastNorm<T>& norm) {
  const auto loop = broadcast_loop<2>(norm.dims, {norm.scale.dims, norm.bias.dims});
  const int64_t rows = product(norm.dims, 0, norm.axis);
  const int64_t n = product(norm.dims, norm.axis, norm.dims.size());
  const int64_t grain = std::max<int64_t>(1, kElementGrain / 8 / std::max<int64_t>(1, n));
  ctx.parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) normalise_row(norm, loop, row, n);
  });
}

}  // namespace ortc::cpu
