// SPDX-License-Identifier: MIT
// ReduceLogSumExp.
//
//   y = log sum exp(x) = m + log sum exp(x - m)    with m the largest x, so that nothing overflows
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/elements/float_rows.h"
#include "providers/cpu/kernels/math/reduce_loops.h"

namespace ortc::cpu {
namespace {

// exp(x - m) of neighbours, added to their sums in double: rows of float through the arithmetic of
// the instruction set level.
class ExpSums {
 public:
  ExpSums(const RunContext& ctx, const ReduceLoops& loops)
      : vector_(vector_f32_kernels(ctx.isa())), kernels_(loops.kernels) {}

  // One output: n elements that lie `stride` apart.
  double of_row(const float* x, int64_t stride, float largest, int64_t n) const {
    double sum = 0;
    float row[kPiece];
    for (int64_t at = 0; at < n; at += kPiece) {
      const int64_t size = std::min(kPiece, n - at);
      const auto count = static_cast<size_t>(size);
      const float* from = x + at * stride;
      if (stride != 1) {
        for (int64_t i = 0; i < size; ++i) row[i] = from[i * stride];
        from = row;
      }
      vector_.sub_scalar(from, largest, row, count);
      vector_.exp(row, row, count);
      sum += kernels_.sum.row(row, count);
    }
    return sum;
  }
  // n outputs of short rows.
  void of_short_rows(const ReduceLoops& loops, const float* x, const float* largest, double* sums,
                     int64_t n) const {
    const int64_t stride = loops.kept.inner_stride(0), size = loops.reduced.count;
    float rows[kPiece];
    const int64_t most = kPiece / std::max<int64_t>(1, size);
    for (int64_t at = 0, next; at < n; at = next) {
      next = std::min(n, at + most);
      float* to = rows;
      for (int64_t i = at; i < next; ++i) {
        for (int64_t k = 0; k < size; ++k) *to++ = x[i * stride + k] - largest[i];
      }
      vector_.exp(rows, rows, static_cast<size_t>(to - rows));
      kernels_.sum.rows(rows, static_cast<size_t>(size), static_cast<size_t>(size), sums + at,
                        static_cast<size_t>(next - at));
    }
  }
  // n <= kColumns outputs side by side, from each of so many rows.
  void add(const float* x, int64_t stride, int64_t rows, const float* largest, double* sums,
           int64_t n) const {
    // Short rows that lie one behind the other go together.
    const int64_t together = stride == n ? std::clamp<int64_t>(kPiece / n, 1, rows) : 1;
    float row[kColumns], repeated[kColumns];
    if (together > 1) {
      for (int64_t i = 0; i < together; ++i) std::copy_n(largest, n, repeated + i * n);
      largest = repeated;
    }
    for (int64_t at = 0; at < rows; at += together) {
      const int64_t some = std::min(together, rows - at);
      const auto count = static_cast<size_t>(some * n);
      vector_.sub(x + at * stride, largest, row, count);
      vector_.exp(row, row, count);
      kernels_.sum.columns(row, static_cast<size_t>(n), static_cast<size_t>(some), sums,
                           static_cast<size_t>(n));
    }
  }
  // n outputs that join groups.
  void of_groups(const ReduceLoops& loops, const float* x, const float* largest, double* sums,
                 int64_t n) const {
    const int64_t size = loops.group(), count = n * size;
    float each[kColumns];
    double states[kColumns] = {};
    for (int64_t i = 0; i < n; ++i) std::fill_n(each + i * size, size, largest[i]);
    add(x, loops.reduced.strides[0][0], loops.reduced.dims[0], each, states, count);
    join_each_group<SumJoin>(states, size, sums, n);
  }

 private:
  static constexpr int64_t kPiece = 512;
  const VectorF32Kernels& vector_;
  const ReduceF32Kernels& kernels_;
};

// The sums of exp(x - largest) for one stretch; stride as in join_stretch.
void sum_exp(const ExpSums& exp_sums, const ReduceLoops& loops, const float* x,
             const float* largest, double* sums, int64_t n) {
  if (loops.joins_short_rows()) return exp_sums.of_short_rows(loops, x, largest, sums, n);
  if (loops.joins_groups()) return exp_sums.of_groups(loops, x, largest, sums, n);
  const int64_t stride = loops.reduced.inner_stride(0), next = loops.kept.inner_stride(0);
  const bool together = loops.keeps_innermost();
  for_each_row(loops.reduced, 0, loops.reduced.count,
               [&](int64_t, const auto& offsets, int64_t rows) {
                 const float* from = x + offsets[0];
                 for (int64_t i = 0; !together && i < n; ++i) {
                   sums[i] += exp_sums.of_row(from + i * next, stride, largest[i], rows);
                 }
                 if (together) exp_sums.add(from, stride, rows, largest, sums, n);
               });
}

// Of 16-bit floats, which are widened a piece at a time.
template <typename T>
void sum_exp(const ExpSums& exp_sums, const ReduceLoops& loops, const T* x, const float* largest,
             double* sums, int64_t n) {
  const int64_t stride = loops.reduced.inner_stride(0), next = loops.kept.inner_stride(0);
  const bool together = loops.keeps_innermost();
  float wide[kColumns];
  for_each_row(loops.reduced, 0, loops.reduced.count,
               [&](int64_t, const auto& offsets, int64_t rows) {
                 const T* from = x + offsets[0];
                 for (int64_t row = 0; together && row < rows; ++row) {
                   widen(from + row * stride, n, wide);
                   exp_sums.add(wide, n, 1, largest, sums, n);
                 }
                 for (int64_t i = 0; !together && i < n; ++i) {
                   for (int64_t at = 0; at < rows; at += kColumns) {
                     const int64_t size = std::min(kColumns, rows - at);
                     const T* piece = from + i * next + at * stride;
                     if (stride == 1) widen(piece, size, wide);
                     for (int64_t k = 0; stride != 1 && k < size; ++k) {
                       wide[k] = static_cast<float>(piece[k * stride]);
                     }
                     sums[i] += exp_sums.of_row(wide, 1, largest[i], size);
                   }
                 }
               });
}

template <typename T>
void sum_exp(const ExpSums&, const ReduceLoops& loops, const T* x, const double* largest,
             double* sums, int64_t n) {
  const int64_t stride = loops.reduced.inner_stride(0);
  const int64_t next = loops.keeps_innermost() ? 1 : loops.kept.inner_stride(0);
  for_each_row(loops.reduced, 0, loops.reduced.count,
               [&](int64_t, const auto& offsets, int64_t rows) {
                 for (int64_t row = 0; row < rows; ++row) {
                   const T* from = x + offsets[0] + row * stride;
                   for (int64_t i = 0; i < n; ++i) {
                     sums[i] += std::exp(static_cast<double>(from[i * next]) - largest[i]);
                   }
                 }
               });
}

template <typename T>
void log_sum_exp(const ExpSums& exp_sums, const ReduceLoops& loops, const ValueRef& input,
                 int64_t offset, T* y, int64_t n) {
  using W = std::conditional_t<std::is_same_v<Compute<T>, float>, float, double>;
  const int64_t inner = loops.kept.inner_size();
  if (loops.is_narrow() && n > inner) {
    return for_each_narrow(loops, n, [&](int64_t block) {
      log_sum_exp(exp_sums, loops, input, offset + block * loops.kept.strides[0][0],
                  y + block * inner, inner);
    });
  }
  const T* x = input.as<T>() + offset;
  W largest[kColumns];
  double sum[kColumns];
  if constexpr (kIsReduced<T>) {
    const FloatJoin<float> join{loops.kernels.*MaxJoin::kRowsF32, MaxJoin::start<float>(),
                                &MaxJoin::join<float>};
    join_halves(loops, join, input, offset, largest, n);
  } else {
    join_stretch<MaxJoin, W>(loops, x, largest, n);
  }
  std::fill(sum, sum + n, 0.0);
  sum_exp(exp_sums, loops, x, largest, sum, n);
  for (int64_t i = 0; i < n; ++i) {
    const auto top = static_cast<double>(largest[i]);
    y[i] = convert<T>(std::isinf(top) ? top : top + std::log(sum[i]));
  }
}

}  // namespace

Status run_log_sum_exp(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  ASSIGN_OR_RETURN(const AxisSet axes, reduced_axes(ctx, ctx.params<AxisListParams>()));
  const ReduceLoops loops(ctx, axes);
  if (loops.kept.count != y.element_count()) {
    return invalid_argument("the axes changed between binding and run");
  }
  const ExpSums exp_sums(ctx, loops);
  with_type(SumTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_stretch(ctx, loops, [&](int64_t at, int64_t offset, int64_t n) {
      log_sum_exp<T>(exp_sums, loops, x, offset, y.as_mutable<T>() + at, n);
    });
  });
  return Status::ok();
}

}  // namespace ortc::cpu
