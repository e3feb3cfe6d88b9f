// SPDX-License-Identifier: MIT
// Feature by feature (ai.onnx.ml):
//
//   Scaler      (x - offset) scale, one number for all, or one for each place of the last axis
//   Imputer     x, another value where x is the one that stands for "missing"
//   Binarizer   x > threshold
//   Normalizer  a row divided by its largest value, by the sum of its sizes (L1), or by the square
//               root of the sum of its squares (L2); a row whose divisor is 0 stays as it is
#include <algorithm>
#include <cmath>

#include "core/graph/one_of.h"
#include "providers/cpu/arith/reduce_f32/reduce_f32.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/bind/rows/turned_rows.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/kernels/ml/scores.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kRow = 512;  // elements that are treated at a time

// Elements of the last axis.
int64_t row_size(const ValueRef& x) { return x.rank == 0 ? 1 : x.dim(x.rank - 1); }

// One number, or one for each place of the last axis.
Status check_width(const ValueRef& x, size_t count, std::string_view what) {
  if (count == 1 || static_cast<int64_t>(count) == row_size(x)) return Status::ok();
  return invalid_argument("input 0 has shape ", dims_to_string(x.dims()), ", ", what, " has ",
                          count, " numbers");
}

// --- Scaler.

struct ScalerParams {
  uint32_t record_bytes;
  uint32_t reserved;
};
static_assert(sizeof(ScalerParams) == 8);

Status prepare_scaler(PrepareContext& ctx) {
  const auto offset = float_list(ctx.node(), "offset"), scale = float_list(ctx.node(), "scale");
  if (offset.empty() || offset.size() != scale.size()) {
    return invalid_graph("attributes 'offset' and 'scale' have ", offset.size(), " and ",
                         scale.size(), " numbers, expected equally many");
  }
  const Tensor a = column_of(offset), b = column_of(scale);
  return set_columns(ctx, ScalerParams{sizeof(ScalerParams), 0}, {&a, &b});
}

struct Scaling {
  std::span<const float> offset, scale;
};

Result<Scaling> read_scaling(Bytes record) {
  Bytes rest = record.subspan(sizeof(ScalerParams));
  ASSIGN_OR_RETURN(const Column offset, take_column(rest, DType::kFloat32));
  ASSIGN_OR_RETURN(const Column scale,
                   take_column(rest, DType::kFloat32, static_cast<int64_t>(offset.count())));
  if (offset.count() == 0) return invalid_graph("its params record has no numbers");
  return Scaling{numbers_of<float>(offset), numbers_of<float>(scale)};
}

Status bind_scaler(BindContext& ctx) {
  if (ctx.params<ScalerParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kFeatureTypes));
  ASSIGN_OR_RETURN(const Scaling scaling, read_scaling(ctx.params_bytes()));
  RETURN_IF_ERROR(check_width(ctx.input(0), scaling.offset.size(), "attribute 'scale'"));
  return ctx.set_output(0, DType::kFloat32, ctx.input(0).dims());
}

// A list of one number for each place of the last axis, or for all places: short ones several times
// one behind the other, so that many elements find theirs side by side.
template <typename T>
class Places {
 public:
  // For so many elements.
  Places(std::span<const T> list, int64_t elements)
      : list_(list), size_(static_cast<int64_t>(list.size())) {
    if (size_ > kAtOnce) return;
    T* end = std::copy(list.begin(), list.end(), copies_);
    T* const last = copies_ + std::min(2 * kAtOnce, size_ + elements);
    while (end < last) end = std::copy(copies_, copies_ + std::min(end - copies_, last - end), end);
  }
  // Those of element `at` and further; for so many.
  const T* from(int64_t at) const {
    return (size_ > kAtOnce ? list_.data() : copies_) + at % size_;
  }
  int64_t count(int64_t at) const {
    return size_ > kAtOnce ? std::min(kRow, size_ - at % size_) : kAtOnce;
  }

 private:
  static constexpr int64_t kAtOnce = 256;
  std::span<const T> list_;
  int64_t size_;
  T copies_[2 * kAtOnce];
};

// f(at, n) for at most kRow elements at a time whose places are side by side, on all threads.
template <typename T, typename F>
void for_places(const RunContext& ctx, const Places<T>& places, F&& f) {
  ctx.parallel_for(ctx.input(0).element_count(), kElementGrain, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin, n = 0; at < end; at += n) {
      n = std::min(places.count(at), end - at);
      f(at, n);
    }
  });
}

// float32 is scaled in float32, everything else in double.
Status run_scaler(RunContext& ctx) {
  ASSIGN_OR_RETURN(const Scaling scaling, read_scaling(ctx.params_bytes()));
  const ValueRef& x = ctx.input(0);
  auto* y = ctx.output(0).as_mutable<float>();
  const Places<float> offsets(scaling.offset, x.element_count()),
      scales(scaling.scale, x.element_count());
  for_places(ctx, offsets, [&](int64_t at, int64_t n) {
    const float *offset = offsets.from(at), *scale = scales.from(at);
    if (x.dtype == DType::kFloat32) {
      const float* from = x.as<float>() + at;
      for (int64_t i = 0; i < n; ++i) y[at + i] = (from[i] - offset[i]) * scale[i];
      return;
    }
    double row[kRow];
    read_features(x, at, n, row);
    for (int64_t i = 0; i < n; ++i) {
      y[at + i] = static_cast<float>((row[i] - double{offset[i]}) * double{scale[i]});
    }
  });
  return Status::ok();
}

// --- Binarizer.

struct BinarizerParams {
  uint32_t record_bytes;
  float threshold;
};
static_assert(sizeof(BinarizerParams) == 8);

Status prepare_binarizer(PrepareContext& ctx) {
  ctx.set_params(
      BinarizerParams{sizeof(BinarizerParams), ctx.node().float_attribute("threshold", 0.0f)});
  return Status::ok();
}

Status bind_binarizer(BindContext& ctx) {
  if (ctx.params<BinarizerParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kFeatureTypes));
  return ctx.set_output(0, ctx.input(0).dtype, ctx.input(0).dims());
}

using FeatureTypes = TypeList<float, double, int32_t, int64_t>;

Status run_binarizer(RunContext& ctx) {
  const double threshold = double{ctx.params<BinarizerParams>().threshold};
  with_type(FeatureTypes{}, ctx.input(0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = ctx.input(0).as<T>();
    T* y = ctx.output(0).as_mutable<T>();
    ctx.parallel_for(ctx.input(0).element_count(), kElementGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        y[i] = static_cast<double>(x[i]) > threshold ? T(1) : T(0);
      }
    });
  });
  return Status::ok();
}

// --- Imputer.

// Behind it stands a column of the values to put in: floats, or int64.
struct ImputerParams {
  uint32_t record_bytes;
  float replaced_float;
  int64_t replaced_int;
};
static_assert(sizeof(ImputerParams) == 16);

constexpr TypeMask kFloatFeatures = mask_of(DType::kFloat32, DType::kFloat64);

Status prepare_imputer(PrepareContext& ctx) {
  const Node& node = ctx.node();
  const bool is_float = (mask_of(ctx.input_type(0).dtype) & kFloatFeatures) != 0;
  const auto floats = float_list(node, "imputed_value_floats");
  const auto ints = node.ints_attribute("imputed_value_int64s", {});
  const std::string_view name = is_float ? "imputed_value_floats" : "imputed_value_int64s";
  if (is_float ? floats.empty() : ints.empty()) {
    return invalid_graph("attribute '", name, "' is missing, the input is ",
                         dtype_name(ctx.input_type(0).dtype));
  }
  if (ctx.input_type(0).dtype == DType::kInt32) {
    for (const int64_t value : ints) {
      if (!std::in_range<int32_t>(value)) {
        return invalid_graph("attribute '", name, "' has ", value, ", which is not an int32");
      }
    }
  }
  const ImputerParams params{sizeof params, node.float_attribute("replaced_value_float", 0.0f),
                             node.int_attribute("replaced_value_int64", 0)};
  const Tensor values = is_float ? column_of(floats) : column_of(ints);
  return set_columns(ctx, params, {&values});
}

Result<Column> imputed_values(Bytes record, DType x) {
  Bytes rest = record.subspan(sizeof(ImputerParams));
  const bool is_float = (mask_of(x) & kFloatFeatures) != 0;
  return take_column(rest, is_float ? DType::kFloat32 : DType::kInt64);
}

Status bind_imputer(BindContext& ctx) {
  if (ctx.params<ImputerParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kFeatureTypes));
  const ValueRef& x = ctx.input(0);
  ASSIGN_OR_RETURN(const Column values, imputed_values(ctx.params_bytes(), x.dtype));
  if (values.count() == 0) return damaged_params("it has no imputed values");
  RETURN_IF_ERROR(check_width(x, values.count(), "the list of imputed values"));
  return ctx.set_output(0, x.dtype, x.dims());
}

template <typename T, typename Value>
void impute(const RunContext& ctx, Value missing, std::span<const Value> values) {
  const auto* x = ctx.input(0).as<T>();
  auto* y = ctx.output(0).as_mutable<T>();
  const Places<Value> places(values, ctx.input(0).element_count());
  for_places(ctx, places, [&](int64_t at, int64_t n) {
    const Value* value = places.from(at);
    const auto put = [&](auto is_missing) {
      for (int64_t i = 0; i < n; ++i) {
        const T given = x[at + i], other = static_cast<T>(value[i]);
        y[at + i] = is_missing(given) ? other : given;
      }
    };
    if (missing != missing) {
      put([](T v) { return v != v; });
    } else if constexpr (std::is_floating_point_v<T>) {
      put([missing](T v) { return v == static_cast<T>(missing); });
    } else {
      put([missing](T v) { return static_cast<Value>(v) == missing; });
    }
  });
}

Status run_imputer(RunContext& ctx) {
  const auto& params = ctx.params<ImputerParams>();
  ASSIGN_OR_RETURN(const Column values, imputed_values(ctx.params_bytes(), ctx.input(0).dtype));
  switch (ctx.input(0).dtype) {
    case DType::kFloat32:
      impute<float>(ctx, params.replaced_float, numbers_of<float>(values));
      break;
    case DType::kFloat64:
      impute<double>(ctx, params.replaced_float, numbers_of<float>(values));
      break;
    case DType::kInt32:
      impute<int32_t>(ctx, params.replaced_int, numbers_of<int64_t>(values));
      break;
    default:
      impute<int64_t>(ctx, params.replaced_int, numbers_of<int64_t>(values));
  }
  return Status::ok();
}

// --- Normalizer.

enum class Norm : uint32_t { kMax, kL1, kL2 };

struct NormalizerParams {
  uint32_t record_bytes;
  uint32_t norm;
};
static_assert(sizeof(NormalizerParams) == 8);

Status prepare_normalizer(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(const uint32_t norm, one_of(ctx.node(), "norm", "MAX", {"MAX", "L1", "L2"}));
  ctx.set_params(NormalizerParams{sizeof(NormalizerParams), norm});
  return Status::ok();
}

Status bind_normalizer(BindContext& ctx) {
  const auto* params = ctx.params<NormalizerParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->norm > static_cast<uint32_t>(Norm::kL2)) {
    return damaged_params("it names norm ", params->norm);
  }
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kFeatureTypes));
  RETURN_IF_ERROR(feature_rows(ctx.input(0)).status());
  return ctx.set_output(0, DType::kFloat32, ctx.input(0).dims());
}

constexpr size_t kLanes = 8;

// lanes[j] = join(lanes[j], x[i]) for n elements, every eighth to the same lane.
template <typename Join>
void join_lanes(const double* x, size_t n, double* lanes, Join join) {
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (size_t j = 0; j < kLanes; ++j) lanes[j] = join(lanes[j], x[i + j]);
  }
  for (size_t j = 0; i + j < n; ++j) lanes[j] = join(lanes[j], x[i + j]);
}

struct Divisor {
  Norm norm;
  double lanes[kLanes];

  explicit Divisor(Norm n) : norm(n) {
    std::fill_n(lanes, kLanes, norm == Norm::kMax ? -INFINITY : 0.0);
  }
  void add(const double* x, size_t n) {
    switch (norm) {
      case Norm::kMax:
        return join_lanes(x, n, lanes, [](double a, double b) { return a < b ? b : a; });
      case Norm::kL1:
        return join_lanes(x, n, lanes, [](double a, double b) { return a + std::fabs(b); });
      case Norm::kL2:
        return join_lanes(x, n, lanes, [](double a, double b) { return a + b * b; });
    }
  }
  double value() const {
    double most = lanes[0], sum = 0;
    for (const double lane : lanes) {
      most = lane > most ? lane : most;
      sum += lane;
    }
    if (norm == Norm::kMax) return most;
    return norm == Norm::kL1 ? sum : std::sqrt(sum);
  }
};

// Of fewer numbers than there are lanes.
double short_divisor(Norm norm, const double* x, size_t n) {
  double most = -INFINITY, sum = 0;
  for (size_t i = 0; i < n; ++i) {
    most = most < x[i] ? x[i] : most;
    sum += norm == Norm::kL1 ? std::fabs(x[i]) : x[i] * x[i];
  }
  if (norm == Norm::kMax) return most;
  return norm == Norm::kL1 ? sum : std::sqrt(sum);
}

// Quotients by a number whose inverse is as exact as it are products.
void divide(const double* x, double divisor, float* y, int64_t n) {
  const double size = std::fabs(divisor);
  if (size > 1e-300 && size < 1e300) {
    const double inverse = 1 / divisor;
    for (int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(x[i] * inverse);
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(divisor == 0 ? x[i] : x[i] / divisor);
  }
}

// Columns divided by their largest: a quotient of floats is what one in double is rounded to.
void divide_by_tops(const VectorF32Kernels& vector, float* x, size_t n, size_t count) {
  float tops[kTurnedMost];
  std::copy_n(x, count, tops);
  for (size_t i = 1; i < n; ++i) {
    const float* row = x + i * count;
    for (size_t c = 0; c < count; ++c)
      tops[c] = row[c] > tops[c] || tops[c] != tops[c] ? row[c] : tops[c];
  }
  for (size_t c = 0; c < count; ++c) tops[c] = tops[c] == 0 ? 1 : tops[c];
  for (size_t i = 0; i < n; ++i) vector.div(x + i * count, tops, x + i * count, count);
}

// Sums of sizes or of squares, to the factors that rows are multiplied by.
void invert_sums(const ReduceF32Kernels& kernels, bool is_square, double* sums, size_t count) {
  for (size_t i = 0; i < count; ++i) sums[i] = sums[i] == 0 ? 1 : sums[i];
  kernels.invert(sums, 1.0, is_square, 0.0, count);
}

// Columns divided by their sums of sizes or of squares.
void divide_by_sums(const ReduceF32Kernels& kernels, bool is_square, float* x, size_t n,
                    size_t count) {
  double factors[kTurnedMost] = {};
  const double means[kTurnedMost] = {};
  (is_square ? kernels.square_sum : kernels.abs_sum).columns(x, count, n, factors, count);
  invert_sums(kernels, is_square, factors, count);
  for (size_t i = 0; i < n; ++i) {
    kernels.standardise_each(x + i * count, means, factors, x + i * count, count);
  }
}

constexpr int64_t kScaledLeast = 8;  // elements of a row that is scaled as it lies

// The same for rows that are not as short.
void divide_rows_by_sums(const RunContext& ctx, bool is_square, const FeatureRows& shape) {
  constexpr int64_t kTogether = 64;
  const ReduceF32Kernels& kernels = reduce_f32_kernels(ctx.isa());
  const int64_t grain = std::max<int64_t>(kTogether, kElementGrain / shape.features);
  ctx.parallel_for(shape.rows, grain, [&](int64_t first, int64_t last) {
    double factors[kTogether];
    const auto n = static_cast<size_t>(shape.features);
    for (int64_t row = first; row < last; row += kTogether) {
      const auto count = static_cast<size_t>(std::min(kTogether, last - row));
      const float* x = ctx.input(0).as<float>() + row * shape.features;
      (is_square ? kernels.square_sum : kernels.abs_sum).rows(x, n, n, factors, count);
      invert_sums(kernels, is_square, factors, count);
      kernels.scale_rows(x, factors, n, ctx.output(0).as_mutable<float>() + row * shape.features,
                         count);
    }
  });
}

void normalise_short_rows(const RunContext& ctx, Norm norm, const FeatureRows& shape) {
  const auto n = static_cast<size_t>(shape.features);
  for_turned_rows(ctx, shape.rows, shape.features, ctx.input(0).as<float>(),
                  ctx.output(0).as_mutable<float>(), [&](float* columns, size_t count, int64_t) {
                    if (norm == Norm::kMax) {
                      divide_by_tops(vector_f32_kernels(ctx.isa()), columns, n, count);
                    } else {
                      divide_by_sums(reduce_f32_kernels(ctx.isa()), norm == Norm::kL2, columns, n,
                                     count);
                    }
                  });
}

// Rows of fewer numbers than there are lanes, some of them together.
void normalise_few_features(const RunContext& ctx, Norm norm, const FeatureRows& shape) {
  const int64_t width = shape.features, together = kRow / width;
  auto* y = ctx.output(0).as_mutable<float>();
  ctx.parallel_for(shape.rows, kElementGrain / width, [&](int64_t begin, int64_t end) {
    double numbers[kRow];
    for (int64_t r = begin; r < end; r += together) {
      const int64_t rows = std::min(together, end - r);
      read_features(ctx.input(0), r * width, rows * width, numbers);
      for (int64_t i = 0; i < rows; ++i) {
        const double* row = numbers + i * width;
        divide(row, short_divisor(norm, row, static_cast<size_t>(width)), y + (r + i) * width,
               width);
      }
    }
  });
}

Status run_normalizer(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const auto norm = static_cast<Norm>(ctx.params<NormalizerParams>().norm);
  const FeatureRows shape = *feature_rows(x);
  if (x.element_count() == 0) return Status::ok();
  if (x.dtype == DType::kFloat32 && norm != Norm::kMax && shape.features >= kScaledLeast) {
    divide_rows_by_sums(ctx, norm == Norm::kL2, shape);
    return Status::ok();
  }
  if (x.dtype == DType::kFloat32 && turns_rows(shape.rows, shape.features)) {
    normalise_short_rows(ctx, norm, shape);
    return Status::ok();
  }
  if (shape.features < static_cast<int64_t>(kLanes)) {
    normalise_few_features(ctx, norm, shape);
    return Status::ok();
  }
  auto* y = ctx.output(0).as_mutable<float>();
  const int64_t grain = std::max<int64_t>(1, kElementGrain / shape.features);
  ctx.parallel_for(shape.rows, grain, [&](int64_t first, int64_t last) {
    double row[kRow];
    for (int64_t r = first; r < last; ++r) {
      const int64_t begin = r * shape.features, end = begin + shape.features;
      Divisor divisor(norm);
      for (int64_t at = begin; at < end; at += kRow) {
        const int64_t n = std::min(kRow, end - at);
        read_features(x, at, n, row);
        divisor.add(row, static_cast<size_t>(n));
      }
      const double whole = divisor.value();
      for (int64_t at = begin; at < end; at += kRow) {
        const int64_t n = std::min(kRow, end - at);
        if (shape.features > kRow) read_features(x, at, n, row);
        divide(row, whole, y + at, n);
      }
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable feature_scaling_kernels() {
  static constexpr KernelRow rows[] = {
      {"Scaler", kMlDomain, 1, kLatestOpset, kFeatureTypes, "scaler", 1, kNoFlags, 0,
       prepare_scaler, bind_scaler, run_scaler},
      {"Binarizer", kMlDomain, 1, kLatestOpset, kFeatureTypes, "binarizer", 1, kNoFlags, 0,
       prepare_binarizer, bind_binarizer, run_binarizer},
      {"Imputer", kMlDomain, 1, kLatestOpset, kFeatureTypes, "imputer", 1, kNoFlags, 0,
       prepare_imputer, bind_imputer, run_imputer},
      {"Normalizer", kMlDomain, 1, kLatestOpset, kFeatureTypes, "normalizer", 1, kNoFlags, 0,
       prepare_normalizer, bind_normalizer, run_normalizer},
  };
  return rows;
}

}  // namespace ortc::cpu
