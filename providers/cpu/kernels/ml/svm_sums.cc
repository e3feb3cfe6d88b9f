// SPDX-License-Identifier: MIT
// Sums of support vectors: see the header. Vectors are the left operand of a product, in double and
// so many at a time, rows the right one. Of a few rows of floats each is multiplied alone, which
// would leave most columns of a product empty.
#include "providers/cpu/kernels/ml/svm_sums.h"

#include <algorithm>
#include <cmath>

#include "providers/cpu/arith/gemm_f64/gemm_f64.h"
#include "providers/cpu/arith/maps_f64/maps_f64.h"
#include "providers/cpu/arith/reduce_f32/reduce_f32.h"
#include "providers/cpu/kernels/ml/scores.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kVectorsAtOnce = 96;  // whole blocks of rows of a product
constexpr int64_t kFewRows = 4;
constexpr float kLargestProduct = 16;  // of a degree: so many factors are multiplied

SvmKernel kernel_of(const Svm& svm) { return static_cast<SvmKernel>(svm.params.kernel); }

int64_t vectors_at_once(const Svm& svm) { return std::min(svm.vector_count, kVectorsAtOnce); }

// f(sum, first vector, vectors, their coefficients) for what vectors [begin, begin + count) add to:
// with a vector of class i those to all pairs that i is part of.
template <typename F>
void for_sums(const Svm& svm, int64_t begin, int64_t count, F&& f) {
  const int64_t classes = svm.classes(), end = begin + count;
  if (classes == 0) return f(0, begin, count, svm.coefficients.data() + begin);
  int64_t start = 0;
  for (int64_t i = 0; i < classes; ++i) {
    const int64_t first = std::max(start, begin);
    start += svm.per_class[static_cast<size_t>(i)];
    const int64_t n = std::min(start, end) - first;
    if (n <= 0) continue;
    for (int64_t j = 0; j < classes; ++j) {
      if (i == j) continue;
      const int64_t row = j > i ? j - 1 : j, low = std::min(i, j), high = std::max(i, j);
      const int64_t pair = low * classes - low * (low + 1) / 2 + (high - low - 1);
      f(pair, first, n, svm.coefficients.data() + row * svm.vector_count + first);
    }
  }
}

// Rows [row, row + n) of input 0 as the columns of B, filled up with zeros to whole panels.
void set_rows(const RunContext& ctx, const Svm& svm, int64_t row, int64_t n, double* copies,
              GemmF64* gemm) {
  const ValueRef& x = ctx.input(0);
  const int64_t begin = row * svm.features, size = n * svm.features;
  const int64_t columns = svm_sum_stride(n), whole = columns * svm.features;
  if (x.dtype != DType::kFloat32) {
    read_features(x, begin, size, copies);
    std::fill(copies + size, copies + whole, 0.0);
    gemm->b = copies;
  } else if (columns == n) {
    gemm->b_floats = x.as<float>() + begin;
  } else {
    auto* floats = reinterpret_cast<float*>(copies);
    std::fill(std::copy_n(x.as<float>() + begin, size, floats), floats + whole, 0.0f);
    gemm->b_floats = floats;
  }
  gemm->b_row = 1;
  gemm->k = gemm->b_step = gemm->a_row = static_cast<size_t>(svm.features);
  gemm->n = gemm->ldc = static_cast<size_t>(columns);
}

size_t panels_of(const GemmF64& gemm) { return (gemm.n + kColumnsF64 - 1) / kColumnsF64; }

// From products, or for kRbf squared distances, times gamma where there is one, to kernel values.
void apply_kernel(const SvmParams& params, const MapsF64Kernels& maps, double* x, size_t n) {
  const double coef0{params.coef0};
  switch (static_cast<SvmKernel>(params.kernel)) {
    case SvmKernel::kLinear:
      return;
    case SvmKernel::kPoly:
      if (params.degree >= 1 && params.degree <= kLargestProduct &&
          params.degree == std::floor(params.degree)) {
        return maps.power(x, coef0, static_cast<size_t>(params.degree), n);
      }
      for (size_t i = 0; i < n; ++i) x[i] = std::pow(x[i] + coef0, double{params.degree});
      return;
    case SvmKernel::kSigmoid:
      maps.power(x, coef0, 1, n);
      return maps.tanh(x, x, n);
    case SvmKernel::kRbf:
      if (params.gamma >= 0) return maps.decay(x, x, n);
      for (size_t i = 0; i < n; ++i) x[i] = std::exp(-x[i]);
  }
}

// Kernel values of vectors [begin, begin + count) with the rows of `gemm`, a row for each vector.
void kernels_of(const RunContext& ctx, const Svm& svm, GemmF64& gemm, int64_t begin, int64_t count,
                double* left, double* values) {
  const GemmF64Kernels& products = gemm_f64_kernels(ctx.isa());
  const MapsF64Kernels& maps = maps_f64_kernels(ctx.isa());
  const auto n = static_cast<size_t>(count);
  maps.widen(svm.vectors.data() + begin * svm.features, left, n * gemm.k);
  gemm.a = left;
  gemm.c = values;
  const auto multiply = kernel_of(svm) == SvmKernel::kRbf ? products.squares : products.tile;
  multiply(gemm, 0, n, 0, panels_of(gemm));
  apply_kernel(svm.params, maps, values, n * gemm.n);
}

// The same of one row of floats, whose distances need it in double.
void kernels_of_row(const RunContext& ctx, const Svm& svm, int64_t row, int64_t begin,
                    int64_t count, double* features, double* values) {
  const auto size = static_cast<size_t>(svm.features), n = static_cast<size_t>(count);
  const float *vectors = svm.vectors.data() + begin * svm.features,
              *x = ctx.input(0).as<float>() + row * svm.features;
  const MapsF64Kernels& maps = maps_f64_kernels(ctx.isa());
  if (kernel_of(svm) == SvmKernel::kRbf) {
    maps.widen(x, features, size);
    GemmF64 gemm{.a = features, .b_floats = vectors, .b_row = 1, .b_step = size, .c = values};
    gemm.n = n;
    gemm.k = size;
    gemm.alpha = double{svm.params.gamma};
    gemm_f64_kernels(ctx.isa()).squares(gemm, 0, 1, 0, panels_of(gemm));
  } else {
    reduce_f32_kernels(ctx.isa()).dots(vectors, size, n, x, size, values);
    const bool is_linear = kernel_of(svm) == SvmKernel::kLinear;
    for (size_t i = 0; !is_linear && i < n; ++i) values[i] *= double{svm.params.gamma};
  }
  apply_kernel(svm.params, maps, values, n);
}

double dot(const double* x, const float* y, int64_t n) {
  constexpr int64_t kLanes = 8;
  double lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t j = 0; j < kLanes; ++j) lanes[j] += x[i + j] * double{y[i + j]};
  }
  for (int64_t j = 0; i + j < n; ++j) lanes[j] += x[i + j] * double{y[i + j]};
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
         ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

void sum_up_alone(const RunContext& ctx, const Svm& svm, int64_t row, int64_t rows,
                  double* features, double* values, double* sums) {
  const int64_t stride = svm_sum_stride(rows);
  std::fill_n(sums, svm_sum_count(svm) * stride, 0.0);
  for (int64_t begin = 0; begin < svm.vector_count; begin += kVectorsAtOnce) {
    const int64_t count = std::min(kVectorsAtOnce, svm.vector_count - begin);
    for (int64_t i = 0; i < rows; ++i) {
      kernels_of_row(ctx, svm, row + i, begin, count, features, values);
      for_sums(svm, begin, count, [&](int64_t sum, int64_t first, int64_t n, const float* factors) {
        sums[sum * stride + i] += dot(values + first - begin, factors, n);
      });
    }
  }
}

}  // namespace

int64_t svm_sum_count(const Svm& svm) {
  return svm.vector_count == 0 ? svm.rows : std::max<int64_t>(1, svm.pairs());
}

int64_t svm_weight_count(const Svm& svm, int64_t rows) {
  const int64_t sums = svm_sum_count(svm);
  if (svm.vector_count == 0) return sums * svm.features;
  const bool pays = kernel_of(svm) == SvmKernel::kLinear && sums < svm.vector_count &&
                    rows >= std::max(kFewRows, svm.classes() - 1);
  return pays ? sums * svm.features : 0;
}

std::optional<int64_t> svm_sum_scratch(const Svm& svm, int64_t rows_at_once) {
  const int64_t vectors = vectors_at_once(svm);
  const int64_t rows = svm_sum_stride(rows_at_once);
  const auto features = checked_mul(vectors + rows, svm.features);
  return features ? std::optional(*features + vectors * rows) : std::nullopt;
}

void make_svm_weights(const RunContext& ctx, const Svm& svm, double* weights, double* scratch) {
  const MapsF64Kernels& maps = maps_f64_kernels(ctx.isa());
  const auto features = static_cast<size_t>(svm.features);
  if (svm.vector_count == 0) {
    return maps.widen(svm.coefficients.data(), weights, svm.coefficients.size());
  }
  std::fill_n(weights, svm_sum_count(svm) * svm.features, 0.0);
  for (int64_t begin = 0; begin < svm.vector_count; begin += kVectorsAtOnce) {
    const int64_t count = std::min(kVectorsAtOnce, svm.vector_count - begin);
    maps.widen(svm.vectors.data() + begin * svm.features, scratch,
               static_cast<size_t>(count) * features);
    for_sums(svm, begin, count, [&](int64_t sum, int64_t first, int64_t n, const float* factors) {
      maps.weigh(scratch + (first - begin) * svm.features, features, static_cast<size_t>(n),
                 factors, weights + sum * svm.features, features);
    });
  }
}

void sum_up_svm(const RunContext& ctx, const Svm& svm, const double* weights, int64_t all_rows,
                int64_t row, int64_t rows, double* scratch, double* sums) {
  const int64_t stride = svm_sum_stride(rows), parts = vectors_at_once(svm);
  double *left = scratch + stride * svm.features, *values = left + parts * svm.features;
  if (weights == nullptr && all_rows < kFewRows && ctx.input(0).dtype == DType::kFloat32) {
    return sum_up_alone(ctx, svm, row, rows, scratch, values, sums);
  }
  GemmF64 gemm;
  set_rows(ctx, svm, row, rows, scratch, &gemm);
  if (weights != nullptr) {
    gemm.a = weights;
    gemm.c = sums;
    return gemm_f64_kernels(ctx.isa()).tile(gemm, 0, static_cast<size_t>(svm_sum_count(svm)), 0,
                                            panels_of(gemm));
  }
  if (kernel_of(svm) != SvmKernel::kLinear) gemm.alpha = double{svm.params.gamma};
  std::fill_n(sums, svm_sum_count(svm) * stride, 0.0);
  for (int64_t begin = 0; begin < svm.vector_count; begin += kVectorsAtOnce) {
    const int64_t count = std::min(kVectorsAtOnce, svm.vector_count - begin);
    kernels_of(ctx, svm, gemm, begin, count, left, values);
    for_sums(svm, begin, count, [&](int64_t sum, int64_t first, int64_t n, const float* factors) {
      maps_f64_kernels(ctx.isa()).weigh(values + (first - begin) * stride,
                                        static_cast<size_t>(stride), static_cast<size_t>(n),
                                        factors, sums + sum * stride, static_cast<size_t>(stride));
    });
  }
}

}  // namespace ortc::cpu
