// SPDX-License-Identifier: MIT
// Normalisations over the last dimensions: LayerNormalization, RMSNormalization (also under its old
// name SimplifiedLayerNormalization), and the two forms with a residual of com.microsoft.
//
//   layer  y = (t - mean(t)) / sqrt(var(t) + epsilon) * scale + bias
//   RMS    y = t / sqrt(mean(t^2) + epsilon) * scale
//   t = x, or x + skip + skip_bias
//
// Scale and bias may be broadcast to x in the first form, which also exists in double: its
// statistics are float32 then as well.
#include <algorithm>

#include "providers/cpu/arith/reduce_f32/reduce_f32.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/bind/rows/turned_rows.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/kernels/normalisation/broadcast_norm.h"

namespace ortc::cpu {
namespace {

struct NormParams {
  uint32_t record_bytes;
  uint32_t is_rms;
  float epsilon;
  uint32_t wide_statistics;  // of float64, not float32
  int64_t axis;
};
static_assert(sizeof(NormParams) == 24);

constexpr TypeMask kF32 = mask_of(DType::kFloat32);
constexpr int64_t kRowGrain = 8192;  // elements one thread takes at a time

// --- Prepare.

template <DType kType, bool kIsRms>
Status prepare_norm(PrepareContext& ctx) {
  const int64_t stash = ctx.node().int_attribute("stash_type", 1);
  const bool is_wide = stash == static_cast<int64_t>(DType::kFloat64);
  if (stash != static_cast<int64_t>(DType::kFloat32) && !(is_wide && kType == DType::kFloat64)) {
    return not_implemented("stash_type ", stash, " of ", dtype_name(kType));
  }
  ctx.set_params(NormParams{sizeof(NormParams), kIsRms ? 1u : 0u,
                            ctx.node().float_attribute("epsilon", 1e-5f), is_wide ? 1u : 0u,
                            ctx.node().int_attribute("axis", -1)});
  return Status::ok();
}

Status prepare_skip(PrepareContext& ctx) {
  ctx.set_params(NormParams{
      sizeof(NormParams), ctx.node().is_op("SkipLayerNormalization", ctx.node().domain()) ? 0u : 1u,
      ctx.node().float_attribute("epsilon", 1e-12f), 0, -1});
  return Status::ok();
}

// --- Bind.

// Scale or bias `i`, if present, repeats the last dimensions of x exactly (or is one vector of
// their size).
template <typename Context>
bool has_rows(const Context& ctx, size_t i, size_t axis) {
  if (!ctx.has_input(i)) return true;
  const auto x = ctx.input(0).dims().subspan(axis), found = ctx.input(i).dims();
  return std::equal(x.begin(), x.end(), found.begin(), found.end()) ||
         (found.size() == 1 && found[0] == product(x));
}

Status check_rows(const BindContext& ctx, size_t i, size_t axis) {
  if (has_rows(ctx, i, axis)) return Status::ok();
  return not_implemented("input ", i, " has shape ", dims_to_string(ctx.input(i).dims()),
                         ", only the normalised dimensions ",
                         dims_to_string(ctx.input(0).dims().subspan(axis)), " are handled");
}

// The same, or it can be broadcast to x.
Status check_weights(const BindContext& ctx, size_t i, size_t axis) {
  if (has_rows(ctx, i, axis)) return Status::ok();
  const auto x = ctx.input(0).dims(), found = ctx.input(i).dims();
  bool fits = found.size() <= x.size();
  for (size_t d = 0; fits && d < found.size(); ++d) {
    fits = found[d] == 1 || found[d] == x[x.size() - found.size() + d];
  }
  if (fits) return Status::ok();
  return invalid_argument("input ", i, " has shape ", dims_to_string(found),
                          ", which cannot be broadcast to ", dims_to_string(x));
}

Status set_statistics(BindContext& ctx, size_t i, size_t axis, DType dtype = DType::kFloat32) {
  if (!ctx.has_output(i)) return Status::ok();
  DimList dims(ctx.input(0).dims());
  for (size_t d = axis; d < dims.size(); ++d) dims[d] = 1;
  return ctx.set_output(i, dtype, dims);
}

// All inputs have the first one's type, which is one of these.
Status check_types(const BindContext& ctx, TypeMask types) {
  RETURN_IF_ERROR(check_type(ctx, 0, types));
  for (size_t i = 1; i < ctx.input_count(); ++i) RETURN_IF_ERROR(check_same_type(ctx, i, 0));
  return Status::ok();
}

template <DType kType>
Status bind_norm(BindContext& ctx) {
  const auto* params = ctx.params<NormParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 3));
  RETURN_IF_ERROR(check_types(ctx, mask_of(kType)));
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(params->axis, ctx.input(0).rank));
  RETURN_IF_ERROR(check_weights(ctx, 1, axis));
  RETURN_IF_ERROR(check_weights(ctx, 2, axis));
  if (params->wide_statistics != 0 && kType != DType::kFloat64) return ctx.bad_params();
  const DType statistics = params->wide_statistics != 0 ? kType : DType::kFloat32;
  RETURN_IF_ERROR(set_statistics(ctx, 1, axis, statistics));
  RETURN_IF_ERROR(set_statistics(ctx, 2, axis, statistics));
  return ctx.set_output(0, kType, ctx.input(0).dims());
}

// The skip may leave out leading dimensions, or have them as 1: then its rows repeat.
Status check_skip(const BindContext& ctx) {
  const auto x = ctx.input(0).dims();
  auto skip = ctx.input(1).dims();
  while (skip.size() > 1 && skip[0] == 1) skip = skip.subspan(1);
  if (skip.size() <= x.size() && !skip.empty() &&
      std::equal(skip.rbegin(), skip.rend(), x.rbegin())) {
    return Status::ok();
  }
  return invalid_argument("the skip has shape ", dims_to_string(ctx.input(1).dims()),
                          ", the input ", dims_to_string(x));
}

Status bind_skip(BindContext& ctx) {
  const auto* params = ctx.params<NormParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 3, params->is_rms != 0 ? 4 : 5));
  RETURN_IF_ERROR(check_types(ctx, kF32));
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(-1, ctx.input(0).rank));
  RETURN_IF_ERROR(check_skip(ctx));
  for (size_t i = 2; i < 5; ++i) RETURN_IF_ERROR(check_rows(ctx, i, axis));
  RETURN_IF_ERROR(set_statistics(ctx, 1, axis));
  RETURN_IF_ERROR(set_statistics(ctx, 2, axis));
  if (ctx.has_output(3)) {
    RETURN_IF_ERROR(ctx.set_output(3, DType::kFloat32, ctx.input(0).dims()));
  }
  return ctx.set_output(0, DType::kFloat32, ctx.input(0).dims());
}

// --- Run.

const float* input_or_null(const RunContext& ctx, size_t i) {
  return ctx.has_input(i) ? ctx.input(i).as<float>() : nullptr;
}
float* output_or_null(const RunContext& ctx, size_t i) {
  return ctx.has_output(i) ? ctx.output(i).as_mutable<float>() : nullptr;
}

// Everything of one run; `first` describes row 0.
struct Rows {
  NormRowF32 first;
  int64_t count = 0;
  int64_t skip_rows = 1;
  bool is_rms = false;
  float* mean = nullptr;
  float* inverse = nullptr;
};

void run_rows(const RunContext& ctx, const Rows& rows) {
  const VectorF32Kernels& vector = vector_f32_kernels(ctx.isa());
  const auto n = static_cast<int64_t>(rows.first.n);
  const int64_t grain = std::max<int64_t>(1, kRowGrain / std::max<int64_t>(1, n));
  ctx.parallel_for(rows.count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      NormRowF32 row = rows.first;
      row.x += r * n;
      row.y += r * n;
      if (row.skip != nullptr) row.skip += r % rows.skip_rows * n;
      if (row.sum != nullptr) row.sum += r * n;
      const NormStatsF32 stats = rows.is_rms ? vector.rms_norm(row) : vector.layer_norm(row);
      if (rows.mean != nullptr) rows.mean[r] = stats.mean;
      if (rows.inverse != nullptr) rows.inverse[r] = stats.inverse;
    }
  });
}

// y = x + skip.
void add_skip(const RunContext& ctx, const Rows& rows) {
  const auto n = static_cast<int64_t>(rows.first.n);
  const int64_t repeated = rows.skip_rows * n;
  ctx.parallel_for(rows.count * n, kRowGrain, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t at = begin % repeated, count = std::min(end - begin, repeated - at);
      const float *x = rows.first.x + begin, *skip = rows.first.skip + at;
      float* y = rows.first.y + begin;
      for (int64_t i = 0; i < count; ++i) y[i] = x[i] + skip[i];
      begin += count;
    }
  });
}

// Short rows of which nobody wants statistics or sums, as columns.
void run_turned(const RunContext& ctx, const Rows& rows) {
  const VectorF32Kernels& vector = vector_f32_kernels(ctx.isa());
  const ReduceF32Kernels& reduce = reduce_f32_kernels(ctx.isa());
  const NormRowF32& op = rows.first;
  float ones[kTurnedMost];
  const float zeros[kTurnedMost] = {};
  const double no_means[kTurnedMost] = {};
  std::fill_n(ones, kTurnedMost, 1.0f);
  const auto divide_by_root = [&](float* columns, size_t count) {
    double factors[kTurnedMost] = {};
    reduce.square_sum.columns(columns, count, op.n, factors, count);
    for (size_t i = 0; i < count; ++i) {
      factors[i] = factors[i] / static_cast<double>(op.n) + static_cast<double>(op.epsilon);
    }
    reduce.invert(factors, 1, true, 0, count);
    for (size_t j = 0; j < op.n; ++j) {
      float* line = columns + j * count;
      reduce.standardise_each(line, no_means, factors, line, count);
    }
  };
  const auto normalise = [&](float* columns, size_t count, int64_t) {
    for (size_t j = 0; op.skip_bias != nullptr && j < op.n; ++j) {
      vector.scale_and_add(columns + j * count, 1, op.skip_bias[j], columns + j * count, count);
    }
    if (rows.is_rms) {
      divide_by_root(columns, count);
    } else {
      vector.layer_norm_columns(columns, op.n, count, op.epsilon, ones, zeros);
    }
    for (size_t j = 0; j < op.n; ++j) {
      float* line = columns + j * count;
      const float scale = op.scale != nullptr ? op.scale[j] : 1;
      vector.scale_and_add(line, scale, op.bias != nullptr ? op.bias[j] : 0, line, count);
    }
  };
  if (op.skip != nullptr) add_skip(ctx, rows);
  for_turned_rows(ctx, rows.count, static_cast<int64_t>(op.n), op.skip != nullptr ? op.y : op.x,
                  op.y, normalise);
}

// Where a form has its statistics.
NormStatistics statistics_at(const RunContext& ctx, size_t i) {
  if (!ctx.has_output(i)) return {};
  return {ctx.output(i).data, ctx.output(i).dtype == DType::kFloat64};
}
NormStatistics mean_of(const RunContext& ctx, const NormParams& params) {
  return params.is_rms != 0 ? NormStatistics{} : statistics_at(ctx, 1);
}
NormStatistics inverse_of(const RunContext& ctx, const NormParams& params) {
  return statistics_at(ctx, params.is_rms != 0 ? 1 : 2);
}

// Scale or bias, `otherwise` when it is left out. One vector of the normalised elements has their
// dims.
template <typename T>
NormWeight<T> weight_of(const RunContext& ctx, size_t i, size_t axis, const T& otherwise) {
  if (!ctx.has_input(i)) return {&otherwise, DimList()};
  const auto dims =
      has_rows(ctx, i, axis) ? ctx.input(0).dims().subspan(axis) : ctx.input(i).dims();
  return {ctx.input(i).as<T>(), DimList(dims)};
}

template <typename T>
void run_broadcast(const RunContext& ctx, const NormParams& params, size_t axis) {
  static constexpr T kZero = 0, kOne = 1;
  run_broadcast_norm<T>(
      ctx, {ctx.input(0).dims(), axis, ctx.input(0).as<T>(), weight_of(ctx, 1, axis, kOne),
            weight_of(ctx, 2, axis, kZero), ctx.output(0).as_mutable<T>(), params.is_rms != 0,
            static_cast<double>(params.epsilon), mean_of(ctx, params), inverse_of(ctx, params)});
}

Status run_norm(RunContext& ctx) {
  const auto& params = ctx.params<NormParams>();
  const ValueRef& x = ctx.input(0);
  const auto axis = static_cast<size_t>(params.axis < 0 ? params.axis + x.rank : params.axis);
  Rows rows;
  rows.count = product(x.dims(), 0, axis);
  rows.is_rms = params.is_rms != 0;
  const NormStatistics mean = mean_of(ctx, params), inverse = inverse_of(ctx, params);
  // Rows of nothing have statistics, but may be more than anyone could count.
  const bool wants_statistics = mean.data != nullptr || inverse.data != nullptr;
  if (x.element_count() == 0 && !wants_statistics) return Status::ok();
  if (x.dtype == DType::kFloat64) {
    run_broadcast<double>(ctx, params, axis);
    return Status::ok();
  }
  if (!has_rows(ctx, 1, axis) || !has_rows(ctx, 2, axis)) {
    run_broadcast<float>(ctx, params, axis);
    return Status::ok();
  }
  rows.mean = static_cast<float*>(mean.data);
  rows.inverse = static_cast<float*>(inverse.data);
  rows.first.x = x.as<float>();
  rows.first.scale = input_or_null(ctx, 1);
  rows.first.bias = input_or_null(ctx, 2);
  rows.first.y = ctx.output(0).as_mutable<float>();
  rows.first.n = static_cast<size_t>(product(x.dims(), axis, x.rank));
  rows.first.epsilon = params.epsilon;
  const bool is_turned =
      !wants_statistics && turns_rows(rows.count, static_cast<int64_t>(rows.first.n));
  is_turned ? run_turned(ctx, rows) : run_rows(ctx, rows);
  return Status::ok();
}

Status run_skip(RunContext& ctx) {
  const auto& params = ctx.params<NormParams>();
  const ValueRef& x = ctx.input(0);
  if (x.element_count() == 0) return Status::ok();
  const int64_t n = x.dim(x.rank - 1);
  Rows rows;
  rows.count = x.element_count() / n;
  rows.skip_rows = ctx.input(1).element_count() / n;
  rows.is_rms = params.is_rms != 0;
  rows.mean = output_or_null(ctx, 1);
  rows.inverse = output_or_null(ctx, 2);
  rows.first.x = x.as<float>();
  rows.first.skip = ctx.input(1).as<float>();
  rows.first.scale = ctx.input(2).as<float>();
  rows.first.bias = rows.is_rms ? nullptr : input_or_null(ctx, 3);
  rows.first.skip_bias = input_or_null(ctx, rows.is_rms ? 3 : 4);
  rows.first.sum = output_or_null(ctx, 3);
  rows.first.y = ctx.output(0).as_mutable<float>();
  rows.first.n = static_cast<size_t>(n);
  rows.first.epsilon = params.epsilon;
  const bool is_turned = rows.mean == nullptr && rows.inverse == nullptr &&
                         rows.first.sum == nullptr && turns_rows(rows.count, n);
  is_turned ? run_turned(ctx, rows) : run_rows(ctx, rows);
  return Status::ok();
}

}  // namespace

KernelTable layer_norm_kernels() {
  constexpr DType kFloat = DType::kFloat32, kDouble = DType::kFloat64;
  constexpr TypeMask kF64 = mask_of(kDouble);
  static constexpr KernelRow kLayerNormalizationRow(
      "LayerNormalization", "", 1, kLatestOpset, kF32, "layer_norm.f32", 1, kInPlace, 0,
      prepare_norm<kFloat, false>, bind_norm<kFloat>, run_norm);
  static constexpr KernelRow kRMSNormalizationRow(
      "RMSNormalization", "", 23, kLatestOpset, kF32, "layer_norm.f32", 1, kInPlace, 0,
      prepare_norm<kFloat, true>, bind_norm<kFloat>, run_norm);
  static constexpr KernelRow kSimplifiedLayerNormalizationRow(
      "SimplifiedLayerNormalization", "", 1, kLatestOpset, kF32, "layer_norm.f32", 1, kInPlace, 0,
      prepare_norm<kFloat, true>, bind_norm<kFloat>, run_norm);
  static constexpr KernelRow kSkipLayerNormalizationRow(
      "SkipLayerNormalization", "com.microsoft", 1, kLatestOpset, kF32, "skip_layer_norm.f32", 1,
      kNoFlags, 0, prepare_skip, bind_skip, run_skip);
  static constexpr KernelRow kSkipSimplifiedLayerNormalizationRow(
      "SkipSimplifiedLayerNormalization", "com.microsoft", 1, kLatestOpset, kF32,
      "skip_layer_norm.f32", 1, kNoFlags, 0, prepare_skip, bind_skip, run_skip);
  static constexpr KernelRow rows[] = {
      kLayerNormalizationRow,
      reduced_row<kLayerNormalizationRow, ReducedForm{.float_outputs = 0b110}>(
          "LayerNormalization.reduced"),
      kRMSNormalizationRow,
      reduced_row<kRMSNormalizationRow, ReducedForm{.float_outputs = 0b110}>(
          "RMSNormalization.reduced"),
      kSimplifiedLayerNormalizationRow,
      reduced_row<kSimplifiedLayerNormalizationRow, ReducedForm{.float_outputs = 0b110}>(
          "SimplifiedLayerNormalization.reduced"),
      {"LayerNormalization", "", 1, kLatestOpset, kF64, "layer_norm.f64", 1, kInPlace, 0,
       prepare_norm<kDouble, false>, bind_norm<kDouble>, run_norm},
      {"RMSNormalization", "", 23, kLatestOpset, kF64, "layer_norm.f64", 1, kInPlace, 0,
       prepare_norm<kDouble, true>, bind_norm<kDouble>, run_norm},
      {"SimplifiedLayerNormalization", "", 1, kLatestOpset, kF64, "layer_norm.f64", 1, kInPlace, 0,
       prepare_norm<kDouble, true>, bind_norm<kDouble>, run_norm},
      kSkipLayerNormalizationRow,
      reduced_row<kSkipLayerNormalizationRow, ReducedForm{.float_outputs = 0b110}>(
          "SkipLayerNormalization.reduced"),
      kSkipSimplifiedLayerNormalizationRow,
      reduced_row<kSkipSimplifiedLayerNormalizationRow, ReducedForm{.float_outputs = 0b110}>(
          "SkipSimplifiedLayerNormalization.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
