// SPDX-License-Identifier: MIT
// Normalisations over chosen axes: MeanVarianceNormalization and LpNormalization.
//
//   y = (x - mean) / (deviation + 1e-9)      over all elements that differ in the axes only
//   y = x / (sum |x|^p)^(1/p), 0 where all are 0
//
// Sums are kept in double precision. A cell is what is normalised together; threads divide cells.
// Cells that lie side by side are the columns of vectors.
#include <algorithm>
#include <cmath>
#include <limits>

#include "providers/cpu/arith/reduce_f32/reduce_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/bind/rows/turned_rows.h"
#include "providers/cpu/cpu_kernels.h"

namespace ortc::cpu {
namespace {

constexpr size_t kAxesMax = 8;

struct AxisNormParams {
  uint32_t record_bytes;
  uint32_t p;  // 1 or 2: LpNormalization; 0: mean and variance
  uint32_t axis_count;
  uint32_t reserved;
  int64_t axes[kAxesMax];
};
static_assert(sizeof(AxisNormParams) == 80);

constexpr double kDeviationFloor = 1e-9;
constexpr int64_t kGrain = 8192;              // elements one thread takes at a time
constexpr int64_t kColumnsMax = kTurnedMost;  // cells that are normalised side by side

// --- Arithmetic.

// Some of a tensor's dimensions with their strides.
struct Axes {
  DimList dims, strides;
  int64_t count = 1;

  void append(int64_t dim, int64_t stride) {
    dims.push_back(dim);
    strides.push_back(stride);
    count *= dim;
  }
  int64_t offset(int64_t i) const {
    int64_t offset = 0;
    for (size_t d = dims.size(); d-- > 0; i /= dims[d]) offset += i % dims[d] * strides[d];
    return offset;
  }
  // run(offset, n, step) for all: runs as long as the last of them, and those outside that go on
  // in its step.
  template <typename F>
  void for_each_run(F&& run) const {
    const bool is_scalar = dims.size() == 0;
    const int64_t step = is_scalar ? 1 : strides[dims.size() - 1];
    int64_t n = is_scalar ? 1 : dims[dims.size() - 1];
    for (size_t d = dims.size(); d-- > 1 && strides[d - 1] == n * step;) n *= dims[d - 1];
    for (int64_t i = 0; i < count; i += n) run(offset(i), n, step);
  }
  // f(offset) for all.
  template <typename F>
  void for_each(F&& f) const {
    for_each_run([&](int64_t start, int64_t n, int64_t step) {
      for (int64_t j = 0; j < n; ++j) f(start + j * step);
    });
  }
  bool is_contiguous() const { return dims.size() > 0 && strides[dims.size() - 1] == 1; }
  // Elements that follow each other from each multiple of so many on.
  int64_t adjoining() const {
    int64_t n = 1;
    for (size_t d = dims.size(); d-- > 0 && strides[d] == n;) n *= dims[d];
    return n;
  }
};

template <typename T>
void normalise_deviation(const Axes& cell, const T* x, T* y) {
  double sum = 0;
  cell.for_each([&](int64_t at) { sum += static_cast<double>(x[at]); });
  const double mean = sum / static_cast<double>(cell.count);
  double squares = 0;
  cell.for_each([&](int64_t at) {
    const double d = static_cast<double>(x[at]) - mean;
    squares += d * d;
  });
  const double deviation = std::sqrt(squares / static_cast<double>(cell.count)) + kDeviationFloor;
  cell.for_each(
      [&](int64_t at) { y[at] = static_cast<T>((static_cast<double>(x[at]) - mean) / deviation); });
}

// The same for cells of contiguous runs.
void normalise_deviation_f32(const ReduceF32Kernels& kernels, const Axes& cell, const float* x,
                             float* y) {
  double sum = 0, squares = 0;
  cell.for_each_run([&](int64_t at, int64_t n, int64_t) {
    sum += kernels.sum.row(x + at, static_cast<size_t>(n));
  });
  const double mean = sum / static_cast<double>(cell.count);
  cell.for_each_run([&](int64_t at, int64_t n, int64_t) {
    squares += kernels.squares_from(x + at, mean, static_cast<size_t>(n));
  });
  const double deviation = std::sqrt(squares / static_cast<double>(cell.count)) + kDeviationFloor;
  cell.for_each_run([&](int64_t at, int64_t n, int64_t) {
    kernels.standardise(x + at, mean, 1 / deviation, y + at, static_cast<size_t>(n));
  });
}

void normalise_length_f32(const ReduceF32Kernels& kernels, const Axes& cell, uint32_t p,
                          const float* x, float* y) {
  const auto& join = p == 1 ? kernels.abs_sum : kernels.square_sum;
  double sum = 0;
  cell.for_each_run(
      [&](int64_t at, int64_t n, int64_t) { sum += join.row(x + at, static_cast<size_t>(n)); });
  const double length = p == 1 ? sum : std::sqrt(sum);
  const double factor = length == 0.0 ? 0.0 : 1 / length;
  cell.for_each_run([&](int64_t at, int64_t n, int64_t) {
    kernels.standardise(x + at, 0.0, factor, y + at, static_cast<size_t>(n));
  });
}

// n cells that begin side by side.
void normalise_columns_f32(const ReduceF32Kernels& kernels, const Axes& cell, uint32_t p,
                           const float* x, float* y, int64_t n) {
  double means[kColumnsMax] = {}, factors[kColumnsMax] = {};
  const auto columns = static_cast<size_t>(n);
  const auto count = static_cast<double>(cell.count);
  const auto& join = p == 0 ? kernels.sum : p == 1 ? kernels.abs_sum : kernels.square_sum;
  cell.for_each_run([&](int64_t at, int64_t rows, int64_t step) {
    join.columns(x + at, static_cast<size_t>(step), static_cast<size_t>(rows),
                 p == 0 ? means : factors, columns);
  });
  if (p == 0) {
    for (size_t i = 0; i < columns; ++i) means[i] /= count;
    cell.for_each([&](int64_t at) { kernels.add_squares_from(x + at, means, factors, columns); });
  }
  kernels.invert(factors, p == 0 ? 1 / count : 1.0, p != 1, p == 0 ? kDeviationFloor : 0.0,
                 columns);
  cell.for_each(
      [&](int64_t at) { kernels.standardise_each(x + at, means, factors, y + at, columns); });
}

template <typename T>
void normalise_length(const Axes& cell, uint32_t p, const T* x, T* y) {
  double sum = 0;
  cell.for_each([&](int64_t at) {
    const double v = static_cast<double>(x[at]);
    sum += p == 1 ? std::fabs(v) : v * v;
  });
  const double length = p == 1 ? sum : std::sqrt(sum);
  cell.for_each([&](int64_t at) {
    y[at] = length == 0.0 ? T(0) : static_cast<T>(static_cast<double>(x[at]) / length);
  });
}

// A row of doubles, in lanes; divided, not multiplied: exact where it can be.
double sum_of_row(uint32_t p, const double* x, int64_t n) {
  constexpr int64_t kLanes = 4;
  double lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t k = 0; k < kLanes; ++k) {
      lanes[k] += p == 1 ? std::fabs(x[i + k]) : x[i + k] * x[i + k];
    }
  }
  double sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
  for (; i < n; ++i) sum += p == 1 ? std::fabs(x[i]) : x[i] * x[i];
  return sum;
}

void divide_row(const double* x, double length, double* y, int64_t n) {
  if (length == 0.0) return std::fill_n(y, n, 0.0), void();
  ORTC_ELEMENTWISE
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] / length;
}

// n cells of doubles that begin side by side.
void divide_columns(const Axes& cell, uint32_t p, const double* x, double* y, int64_t n) {
  double lengths[kColumnsMax] = {};
  cell.for_each([&](int64_t at) {
    const double* row = x + at;
    for (int64_t i = 0; i < n; ++i) lengths[i] += p == 1 ? std::fabs(row[i]) : row[i] * row[i];
  });
  // 0 / infinity is what cells of zeros shall be.
  for (int64_t i = 0; i < n; ++i) {
    const double length = p == 1 ? lengths[i] : std::sqrt(lengths[i]);
    lengths[i] = length == 0.0 ? std::numeric_limits<double>::infinity() : length;
  }
  cell.for_each([&](int64_t at) {
    ORTC_ELEMENTWISE
    for (int64_t i = 0; i < n; ++i) y[at + i] = x[at + i] / lengths[i];
  });
}

// --- Prepare.

Status prepare_mvn(PrepareContext& ctx) {
  const auto axes = ctx.node().ints_attribute("axes", {0, 2, 3});
  if (axes.size() > kAxesMax) return not_implemented("attribute 'axes' of ", axes.size(), " axes");
  AxisNormParams params{};
  params.record_bytes = sizeof params;
  params.axis_count = static_cast<uint32_t>(axes.size());
  std::copy(axes.begin(), axes.end(), params.axes);
  ctx.set_params(params);
  return Status::ok();
}

Status prepare_lp(PrepareContext& ctx) {
  const int64_t p = ctx.node().int_attribute("p", 2);
  if (p != 1 && p != 2) return invalid_graph("attribute 'p' is ", p, ", expected 1 or 2");
  AxisNormParams params{};
  params.record_bytes = sizeof params;
  params.p = static_cast<uint32_t>(p);
  params.axis_count = 1;
  params.axes[0] = ctx.node().int_attribute("axis", -1);
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

// The dimensions inside a cell, and those that count cells.
Status divide_axes(const AxisNormParams& params, std::span<const int64_t> dims, Axes* cell,
                   Axes* cells) {
  if (params.axis_count > kAxesMax || params.p > 2) return invalid_graph("its record is broken");
  std::array<bool, kMaxRank> is_inside{};
  for (uint32_t i = 0; i < params.axis_count; ++i) {
    ASSIGN_OR_RETURN(const size_t axis, checked_axis(params.axes[i], dims.size()));
    if (is_inside[axis]) return invalid_argument("axis ", axis, " is given twice");
    is_inside[axis] = true;
  }
  const DimList strides = row_major_strides(dims);
  for (size_t d = 0; d < dims.size(); ++d) {
    (is_inside[d] ? cell : cells)->append(dims[d], strides[d]);
  }
  return Status::ok();
}

Status bind_axis_norm(BindContext& ctx) {
  const auto* params = ctx.params<AxisNormParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kFloatTypes));
  Axes cell, cells;
  RETURN_IF_ERROR(divide_axes(*params, ctx.input(0).dims(), &cell, &cells));
  return ctx.set_output(0, ctx.input(0).dtype, ctx.input(0).dims());
}

// --- Run.

template <typename T>
void normalise_cell(const ReduceF32Kernels& kernels, uint32_t p, const Axes& cell, const T* x,
                    T* y) {
  if constexpr (std::is_same_v<T, float>) {
    if (cell.is_contiguous()) {
      return p == 0 ? normalise_deviation_f32(kernels, cell, x, y)
                    : normalise_length_f32(kernels, cell, p, x, y);
    }
  }
  return p == 0 ? normalise_deviation(cell, x, y) : normalise_length(cell, p, x, y);
}

// f(offset, n) for all stretches of cells that lie side by side.
template <typename F>
void for_each_stretch(const RunContext& ctx, const Axes& cell, const Axes& cells, F&& f) {
  const int64_t width = cells.adjoining();
  const int64_t groups = (width + kColumnsMax - 1) / kColumnsMax;
  const int64_t grain = std::max<int64_t>(1, kGrain / cell.count / std::min(width, kColumnsMax));
  ctx.parallel_for(cells.count / width * groups, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t column = i % groups * kColumnsMax;
      f(cells.offset(i / groups * width) + column, std::min(kColumnsMax, width - column));
    }
  });
}

void run_columns(const RunContext& ctx, uint32_t p, const Axes& cell, const Axes& cells) {
  const float* x = ctx.input(0).as<float>();
  float* y = ctx.output(0).as_mutable<float>();
  const ReduceF32Kernels& kernels = reduce_f32_kernels(ctx.isa());
  for_each_stretch(ctx, cell, cells, [&](int64_t at, int64_t n) {
    normalise_columns_f32(kernels, cell, p, x + at, y + at, n);
  });
}

// LpNormalization of doubles; false where cells are neither rows nor side by side.
bool run_double_lengths(const RunContext& ctx, uint32_t p, const Axes& cell, const Axes& cells) {
  const double* x = ctx.input(0).as<double>();
  double* y = ctx.output(0).as_mutable<double>();
  if (cells.adjoining() > 1) {
    for_each_stretch(ctx, cell, cells,
                     [&](int64_t at, int64_t n) { divide_columns(cell, p, x + at, y + at, n); });
    return true;
  }
  if (cell.adjoining() != cell.count) return false;
  const int64_t n = cell.count;
  ctx.parallel_for(cells.count, std::max<int64_t>(1, kGrain / n), [&](int64_t begin, int64_t end) {
    for (int64_t at = begin * n; at < end * n; at += n) {
      const double sum = sum_of_row(p, x + at, n);
      divide_row(x + at, p == 1 ? sum : std::sqrt(sum), y + at, n);
    }
  });
  return true;
}

template <typename T>
void run_typed(const RunContext& ctx, uint32_t p, const Axes& cell, const Axes& cells) {
  const T* x = ctx.input(0).as<T>();
  T* y = ctx.output(0).as_mutable<T>();
  const ReduceF32Kernels& kernels = reduce_f32_kernels(ctx.isa());
  ctx.parallel_for(cells.count, std::max<int64_t>(1, kGrain / cell.count),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i) {
                       const int64_t at = cells.offset(i);
                       normalise_cell(kernels, p, cell, x + at, y + at);
                     }
                   });
}

// Cells that are short rows, one behind the other, or the columns of such blocks [n, inner].
void run_turned(const RunContext& ctx, uint32_t p, int64_t n, int64_t inner, int64_t count) {
  const ReduceF32Kernels& kernels = reduce_f32_kernels(ctx.isa());
  const auto* x = ctx.input(0).as<float>();
  for_turned_rows(
      ctx, count, n * inner, x, ctx.output(0).as_mutable<float>(),
      [&](float* columns, size_t rows, int64_t) {
        const int64_t wide = static_cast<int64_t>(rows) * inner;
        Axes cell;
        cell.append(n, wide);
        normalise_columns_f32(kernels, cell, p, columns, columns, wide);
      },
      inner);
}

// Whether cells are the columns of short blocks, one behind the other.
bool are_blocks(const Axes& cell, const Axes& cells) {
  const int64_t inner = cells.adjoining();
  return cell.dims.size() == 1 && cell.strides[0] == inner &&
         turns_blocks(cells.count / inner, cell.count, inner);
}

constexpr int64_t kShortest = 8, kLongest = 63;  // rows that are joined without a call for each

// LpNormalization of cells that are such rows, one behind the other.
void run_lengths(const RunContext& ctx, uint32_t p, int64_t n, int64_t count) {
  const ReduceF32Kernels& kernels = reduce_f32_kernels(ctx.isa());
  const auto& join = p == 1 ? kernels.abs_sum : kernels.square_sum;
  const auto size = static_cast<size_t>(n);
  ctx.parallel_for(count, kGrain / n, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; row += kColumnsMax) {
      double factors[kColumnsMax];
      const auto rows = static_cast<size_t>(std::min(kColumnsMax, end - row));
      const float* x = ctx.input(0).as<float>() + row * n;
      join.rows(x, size, size, factors, rows);
      kernels.invert(factors, 1.0, p == 2, 0.0, rows);
      kernels.scale_rows(x, factors, size, ctx.output(0).as_mutable<float>() + row * n, rows);
    }
  });
}

Status run_axis_norm(RunContext& ctx) {
  const auto& params = ctx.params<AxisNormParams>();
  if (ctx.input(0).element_count() == 0) return Status::ok();
  Axes cell, cells;
  RETURN_IF_ERROR(divide_axes(params, ctx.input(0).dims(), &cell, &cells));
  if (ctx.input(0).dtype == DType::kFloat64) {
    if (params.p != 0 && run_double_lengths(ctx, params.p, cell, cells)) return Status::ok();
    run_typed<double>(ctx, params.p, cell, cells);
  } else if (params.p != 0 && cell.adjoining() == cell.count && cell.count >= kShortest &&
             cell.count <= kLongest) {
    run_lengths(ctx, params.p, cell.count, cells.count);
  } else if (cell.adjoining() == cell.count && turns_rows(cells.count, cell.count)) {
    run_turned(ctx, params.p, cell.count, 1, cells.count);
  } else if (are_blocks(cell, cells)) {
    const int64_t inner = cells.adjoining();
    run_turned(ctx, params.p, cell.count, inner, cells.count / inner);
  } else if (cells.adjoining() > 1) {
    run_columns(ctx, params.p, cell, cells);
  } else {
    run_typed<float>(ctx, params.p, cell, cells);
  }
  return Status::ok();
}

}  // namespace

KernelTable axis_norm_kernels() {
  static constexpr KernelRow kMeanVarianceNormalizationRow(
      "MeanVarianceNormalization", "", 9, kLatestOpset, kFloatTypes, "axis_norm", 1, kInPlace, 0,
      prepare_mvn, bind_axis_norm, run_axis_norm);
  static constexpr KernelRow kLpNormalizationRow("LpNormalization", "", 1, kLatestOpset,
                                                 kFloatTypes, "axis_norm", 1, kInPlace, 0,
                                                 prepare_lp, bind_axis_norm, run_axis_norm);
  static constexpr KernelRow rows[] = {
      kMeanVarianceNormalizationRow,
      reduced_row<kMeanVarianceNormalizationRow>("MeanVarianceNormalization.reduced"),
      kLpNormalizationRow,
      reduced_row<kLpNormalizationRow>("LpNormalization.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
