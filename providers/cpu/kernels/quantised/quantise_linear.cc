// SPDX-License-Identifier: MIT
// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear between floats and integers of 2 to 16
// bits (int32 too where it is dequantised) or floats of 4 and 8 bits; one scale for all, one along
// an axis, or one for each block along an axis.
//
//   y = saturate(round(x / scale) + zero), ties to even          y = (x - zero) * scale
//
// Small floats take (x / scale) + zero, rounded once. From opset 23 on the division is rounded to
// the type of the scale, or to the one that `precision` names; powers of two as scale divide in
// float32.
//
// Elements are treated in order, in chunks of kChunk, each cut where its scale changes, or beside
// rows of scales where that is too often.
#include <algorithm>
#include <cmath>

#include "providers/cpu/arith/quant/quant.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/convert_small.h"
#include "providers/cpu/elements/float_rows.h"
#include "providers/cpu/kernels/quantised/scale_rows.h"

namespace ortc::cpu {
namespace {

struct QuantiseParams {
  uint32_t record_bytes;
  uint32_t output_dtype;  // 0: as the zero point or the scale says
  int64_t axis;
  int64_t block;  // 0: no blocks
};
static_assert(sizeof(QuantiseParams) == 24);

// The record of a QuantizeLinear whose division is not in float32, or that gives small floats.
struct PreciseQuantiseParams {
  QuantiseParams plain;
  uint32_t precision;  // an element type of kPrecisions
  uint8_t saturate;
  uint8_t infinity_is_nan;
  uint8_t reserved[2];
};
static_assert(sizeof(PreciseQuantiseParams) == 32);

constexpr TypeMask kPrecisions = mask_of(DType::kFloat32, DType::kFloat16, DType::kBfloat16);
constexpr TypeMask kQuantisable = kPrecisions | mask_of(DType::kInt32);
constexpr TypeMask kDequantisable = kQuantisedTypes | mask_of(DType::kInt32);
constexpr TypeMask kQuantisedFloats = kSmallFloats & ~mask_of(DType::kFloat8E8M0);
constexpr int64_t kChunk = kScaleChunk;
constexpr int64_t kGrain = 32 * kChunk;

const QuantKernels& kernels_of(const RunContext& ctx) { return quant_kernels(ctx.isa()); }

// --- Prepare.

// The type that comes out, as far as it is known here.
Result<DType> output_type(const PrepareContext& ctx, const QuantiseParams& params) {
  const bool is_quantize = ctx.node().op_type() == "QuantizeLinear";
  DType dtype = static_cast<DType>(params.output_dtype);
  if (dtype == DType::kUndefined) dtype = ctx.input_type(is_quantize ? 2 : 1).dtype;
  const TypeMask types = is_quantize ? kQuantisedTypes | kQuantisedFloats : kPrecisions;
  if (dtype == DType::kUndefined || (mask_of(dtype) & types) != 0) return dtype;
  return not_implemented(ctx.node().op_type(), " to ", dtype_name(dtype));
}

Result<QuantiseParams> plain_params(const Node& node) {
  QuantiseParams params{};
  params.record_bytes = sizeof params;
  params.axis = node.int_attribute("axis", 1);
  params.block = node.int_attribute("block_size", 0);
  const int64_t dtype = node.int_attribute("output_dtype", 0);
  if (dtype != 0 && !dtype_is_valid(dtype)) {
    return invalid_graph("attribute 'output_dtype': ", dtype, " is not an element type");
  }
  params.output_dtype = static_cast<uint32_t>(dtype);
  return params;
}

// Of the division.
Result<DType> precision_of(const PrepareContext& ctx) {
  const int64_t given = ctx.node().int_attribute("precision", 0);
  if (given != 0) {
    if (!dtype_is_valid(given)) {
      return invalid_graph("attribute 'precision': ", given, " is not an element type");
    }
    const auto dtype = static_cast<DType>(given);
    if ((mask_of(dtype) & kPrecisions) != 0) return dtype;
    return not_implemented("a division in ", dtype_name(dtype));
  }
  const DType scale = ctx.input_type(1).dtype;
  const bool is_typed = ctx.opset() >= 23 && ctx.node().domain().empty();
  return is_typed && (mask_of(scale) & kPrecisions) != 0 ? scale : DType::kFloat32;
}

Status prepare_quantise(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(const QuantiseParams plain, plain_params(ctx.node()));
  ASSIGN_OR_RETURN(const DType output, output_type(ctx, plain));
  ASSIGN_OR_RETURN(const DType precision, precision_of(ctx));
  if (precision == DType::kFloat32 && !is_small_float(output)) {
    ctx.set_params(plain);
    return Status::ok();
  }
  PreciseQuantiseParams params{};
  params.plain = plain;
  params.plain.record_bytes = sizeof params;
  params.precision = static_cast<uint32_t>(precision);
  params.saturate = ctx.node().int_attribute("saturate", 1) != 0 ? 1 : 0;
  params.infinity_is_nan = ctx.opset() < 24 ? 1 : 0;
  ctx.set_params(params);
  return Status::ok();
}

Status prepare_dequantise(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(const QuantiseParams plain, plain_params(ctx.node()));
  RETURN_IF_ERROR(output_type(ctx, plain).status());
  ctx.set_params(plain);
  return Status::ok();
}

// --- Bind.

// Of either context; null when the record is the plain one.
template <typename Context>
const PreciseQuantiseParams* precise_params(const Context& ctx, const QuantiseParams& plain) {
  const bool is_precise = plain.record_bytes == sizeof(PreciseQuantiseParams) &&
                          ctx.params_bytes().size() >= sizeof(PreciseQuantiseParams);
  return is_precise ? reinterpret_cast<const PreciseQuantiseParams*>(ctx.params_bytes().data())
                    : nullptr;
}

Result<Scales> scales_of(const QuantiseParams& params, const ValueRef& x, const ValueRef& scale) {
  return place_scales(params.axis, params.block, x, scale);
}

Status bind_scales(BindContext& ctx, const QuantiseParams& params) {
  const ValueRef &x = ctx.input(0), &scale = ctx.input(1);
  ASSIGN_OR_RETURN(const Scales scales, scales_of(params, x, scale));
  return lay_out_scale_rows(scales, x, scale).plan.declare(ctx);
}

Status bind_quantise(BindContext& ctx) {
  const auto* params = ctx.params<QuantiseParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 3));
  RETURN_IF_ERROR(check_type(ctx, 0, kQuantisable));
  RETURN_IF_ERROR(check_type(ctx, 1, kScaleTypes));
  DType dtype =
      params->output_dtype != 0 ? static_cast<DType>(params->output_dtype) : DType::kUint8;
  if (ctx.has_input(2)) {
    if (params->output_dtype != 0 && ctx.input(2).dtype != dtype) {
      return invalid_graph("the zero point is ", dtype_name(ctx.input(2).dtype),
                           ", the output should be ", dtype_name(dtype));
    }
    dtype = ctx.input(2).dtype;
  }
  if (params->output_dtype >= kDTypeCount ||
      (mask_of(dtype) & (kQuantisedTypes | kQuantisedFloats)) == 0) {
    return not_implemented("QuantizeLinear to ", dtype_name(dtype));
  }
  const PreciseQuantiseParams* precise = precise_params(ctx, *params);
  const bool is_unknown =
      precise != nullptr &&
      (precise->precision >= kDTypeCount || (TypeMask{1} << precise->precision & kPrecisions) == 0);
  if (is_unknown) return damaged_params("it divides in element type ", precise->precision);
  if (precise == nullptr && is_small_float(dtype)) {
    return damaged_params("it does not say how to round to ", dtype_name(dtype));
  }
  RETURN_IF_ERROR(check_zero_point(ctx, ctx.input(1)));
  RETURN_IF_ERROR(bind_scales(ctx, *params));
  return ctx.set_output(0, dtype, ctx.input(0).dims());
}

Status bind_dequantise(BindContext& ctx) {
  const auto* params = ctx.params<QuantiseParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 3));
  RETURN_IF_ERROR(check_type(ctx, 0, kDequantisable | kQuantisedFloats));
  RETURN_IF_ERROR(check_type(ctx, 1, kScaleTypes));
  RETURN_IF_ERROR(check_same_type(ctx, 2, 0));
  RETURN_IF_ERROR(check_zero_point(ctx, ctx.input(1)));
  const DType dtype =
      params->output_dtype != 0 ? static_cast<DType>(params->output_dtype) : ctx.input(1).dtype;
  if (params->output_dtype >= kDTypeCount || (mask_of(dtype) & kPrecisions) == 0) {
    return not_implemented("DequantizeLinear to ", dtype_name(dtype));
  }
  RETURN_IF_ERROR(bind_scales(ctx, *params));
  return ctx.set_output(0, dtype, ctx.input(0).dims());
}

// --- Run.

// f(begin, end) for chunks of at most kChunk elements that begin on bytes, on all threads. They are
// cut at multiples of `width` too, if that is not 0.
template <typename F>
void for_chunks(const RunContext& ctx, int64_t count, int64_t width, F&& f) {
  ctx.parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end;) {
      int64_t stop = std::min(end, at + kChunk);
      if (width != 0) stop = std::min(stop, at + width - at % width);
      f(at, stop);
      at = stop;
    }
  });
}

// Of rows of scales that are cut where they begin: long ones, if elements have bytes of their own.
int64_t cut_of(const RunContext& ctx, const ScaleRows& rows) {
  const bool has_bytes =
      dtype_bits(ctx.input(0).dtype) >= 8 && dtype_bits(ctx.output(0).dtype) >= 8;
  return has_bytes && rows.width() >= kChunk / 4 ? rows.width() : 0;
}

// Elements [begin, end) as floats: in place, or in `row`.
const float* floats_at(const ValueRef& x, int64_t begin, int64_t end, float* row) {
  if (x.dtype == DType::kFloat32) return x.as<float>() + begin;
  if (x.dtype == DType::kFloat16) {
    widen(x.as<Float16>() + begin, end - begin, row);
  } else if (x.dtype == DType::kBfloat16) {
    widen(x.as<Bfloat16>() + begin, end - begin, row);
  } else {
    for (int64_t i = begin; i < end; ++i) row[i - begin] = static_cast<float>(x.as<int32_t>()[i]);
  }
  return row;
}

void quantise_run(const QuantKernels& kernels, const float* x, const QuantisedAs& as, DType dtype,
                  void* y, int64_t at, int64_t n) {
  const auto count = static_cast<size_t>(n);
  switch (dtype) {
    case DType::kInt8:
      return kernels.s8.quantise(x, as, static_cast<int8_t*>(y) + at, count);
    case DType::kUint16:
      return kernels.quantise_u16(x, as, static_cast<uint16_t*>(y) + at, count);
    case DType::kInt16:
      return kernels.quantise_s16(x, as, static_cast<int16_t*>(y) + at, count);
    default:  // small integers stand as bytes in a row first
      return kernels.u8.quantise(x, as, static_cast<uint8_t*>(y) + at, count);
  }
}

// Floats to bytes T, with scales that are floats: runs may be so short that a look at the types for
// each would cost as much as they do.
template <typename T>
void quantise_bytes(const RunContext& ctx, const Scales& scales, const QuantKernelsOf<T>& kernels) {
  const float *x = ctx.input(0).as<float>(), *scale = ctx.input(1).as<float>();
  const T* zeros = ctx.has_input(2) ? ctx.input(2).as<T>() : nullptr;
  T* y = ctx.output(0).as_mutable<T>();
  const IntegerRange range = integer_range(kDTypeOf<T>);
  ctx.parallel_for(ctx.input(0).element_count(), kGrain, [&](int64_t begin, int64_t end) {
    for_runs(scales, begin, end, [&](int64_t at, int64_t stop, int64_t i) {
      const QuantisedAs as{scale[i], zeros != nullptr ? zeros[i] : 0, range.lo, range.hi};
      kernels.quantise(x + at, as, y + at, static_cast<size_t>(stop - at));
    });
  });
}

bool run_bytes(const RunContext& ctx, const Scales& scales, const QuantKernels& kernels) {
  const bool are_floats =
      ctx.input(0).dtype == DType::kFloat32 && ctx.input(1).dtype == DType::kFloat32;
  const DType dtype = ctx.output(0).dtype;
  if (!are_floats || (dtype != DType::kUint8 && dtype != DType::kInt8)) return false;
  dtype == DType::kUint8 ? quantise_bytes(ctx, scales, kernels.u8)
                         : quantise_bytes(ctx, scales, kernels.s8);
  return true;
}

Status run_plain_quantise(const RunContext& ctx, const Scales& scales) {
  const ValueRef &x = ctx.input(0), &scale = ctx.input(1), &y = ctx.output(0);
  const QuantKernels& kernels = kernels_of(ctx);
  const IntegerRange range = integer_range(y.dtype);
  const bool is_packed = (mask_of(y.dtype) & kSubByteIntegers) != 0;
  const ScaleRows rows(ctx, scales);
  if (!rows.is_used() && run_bytes(ctx, scales, kernels)) return Status::ok();
  for_chunks(ctx, x.element_count(), cut_of(ctx, rows), [&](int64_t begin, int64_t end) {
    float row[kChunk];
    uint8_t small[kChunk];
    const float* from = floats_at(x, begin, end, row);
    const auto quantise = [&](const float* part, const QuantisedAs& as, int64_t at, int64_t stop) {
      quantise_run(kernels, part, as, y.dtype, is_packed ? small : y.data,
                   is_packed ? at - begin : at, stop - at);
    };
    if (rows.is_used()) {
      rows.divide(from, begin, end - begin, row);
      quantise(row, {1.0f, 0, range.lo, range.hi}, begin, end);
    } else {
      for_runs(scales, begin, end, [&](int64_t at, int64_t stop, int64_t i) {
        QuantisedAs as{scale_at(scale, i), 0, range.lo, range.hi};
        if (ctx.has_input(2)) as.zero = integer_at(y.dtype, ctx.input(2).data, i);
        quantise(from + (at - begin), as, at, stop);
      });
    }
    if (is_packed) pack_small(y.dtype, small, end - begin, begin, y.data);
  });
  return Status::ok();
}

float rounded_to(DType precision, float x) {
  if (precision == DType::kFloat16) return Float16(x);
  return precision == DType::kBfloat16 ? static_cast<float>(Bfloat16(x)) : x;
}

// A quotient of two such numbers is rounded to float first, which changes nothing: a float has more
// than twice their digits.
void divide(const float* x, float scale, DType precision, float* y, int64_t n) {
  if (precision == DType::kFloat32) {
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] / scale;
    return;
  }
  const float divisor = rounded_to(precision, scale);
  for (int64_t i = 0; i < n; ++i) {
    y[i] = rounded_to(precision, rounded_to(precision, x[i]) / divisor);
  }
}

// The quotients of a chunk as integers.
void round_quotients(const RunContext& ctx, const Scales& scales, const float* quotients,
                     int64_t begin, int64_t end) {
  const ValueRef& y = ctx.output(0);
  const IntegerRange range = integer_range(y.dtype);
  const bool is_packed = (mask_of(y.dtype) & kSubByteIntegers) != 0;
  uint8_t small[kChunk];
  for_runs(scales, begin, end, [&](int64_t at, int64_t stop, int64_t i) {
    QuantisedAs as{1.0f, 0, range.lo, range.hi};
    if (ctx.has_input(2)) as.zero = integer_at(y.dtype, ctx.input(2).data, i);
    quantise_run(kernels_of(ctx), quotients + (at - begin), as, y.dtype, is_packed ? small : y.data,
                 is_packed ? at - begin : at, stop - at);
  });
  if (is_packed) pack_small(y.dtype, small, end - begin, begin, y.data);
}

// The same as small floats. A zero point is added before the only rounding.
void encode_quotients(const RunContext& ctx, const Scales& scales, const SmallFloatRules& rules,
                      const float* quotients, int64_t begin, int64_t end) {
  const ValueRef& y = ctx.output(0);
  double row[kChunk];
  for_runs(scales, begin, end, [&](int64_t at, int64_t stop, int64_t i) {
    float zero = -0.0f;  // changes nothing
    if (ctx.has_input(2)) small_to_floats(y.dtype, ctx.input(2).data, i, 1, &zero);
    for (int64_t k = at - begin; k < stop - begin; ++k) {
      row[k] = double{quotients[k]} + double{zero};
    }
  });
  doubles_to_small(row, end - begin, y.dtype, rules, y.data, begin);
}

Status run_precise_quantise(const RunContext& ctx, const PreciseQuantiseParams& params,
                            const Scales& scales) {
  const ValueRef &x = ctx.input(0), &scale = ctx.input(1), &y = ctx.output(0);
  const auto precision = static_cast<DType>(params.precision);
  const SmallFloatRules rules{params.saturate != 0, params.infinity_is_nan != 0};
  for_chunks(ctx, x.element_count(), 0, [&](int64_t begin, int64_t end) {
    float row[kChunk], quotients[kChunk];
    const float* from = floats_at(x, begin, end, row);
    for_runs(scales, begin, end, [&](int64_t at, int64_t stop, int64_t i) {
      divide(from + (at - begin), scale_at(scale, i), precision, quotients + (at - begin),
             stop - at);
    });
    if (is_small_float(y.dtype)) {
      encode_quotients(ctx, scales, rules, quotients, begin, end);
    } else {
      round_quotients(ctx, scales, quotients, begin, end);
    }
  });
  return Status::ok();
}

Status run_quantise(RunContext& ctx) {
  const auto& params = ctx.params<QuantiseParams>();
  ASSIGN_OR_RETURN(const Scales scales, scales_of(params, ctx.input(0), ctx.input(1)));
  const PreciseQuantiseParams* precise = precise_params(ctx, params);
  return precise != nullptr ? run_precise_quantise(ctx, *precise, scales)
                            : run_plain_quantise(ctx, scales);
}

// Of small integers too.
void dequantise_floats(const ValueRef& x, int64_t at, int64_t n, float scale, float zero,
                       float* y) {
  small_to_floats(x.dtype, x.data, at, n, y);
  for (int64_t i = 0; i < n; ++i) y[i] = (y[i] - zero) * scale;
}

void dequantise_run(const QuantKernels& kernels, const ValueRef& x, int64_t at, int64_t n,
                    float scale, int32_t zero, float* y) {
  const auto count = static_cast<size_t>(n);
  switch (x.dtype) {
    case DType::kUint8:
      return kernels.u8.dequantise(x.as<uint8_t>() + at, scale, zero, y, count);
    case DType::kInt8:
      return kernels.s8.dequantise(x.as<int8_t>() + at, scale, zero, y, count);
    case DType::kUint16:
      return kernels.dequantise_u16(x.as<uint16_t>() + at, scale, zero, y, count);
    case DType::kInt16:
      return kernels.dequantise_s16(x.as<int16_t>() + at, scale, zero, y, count);
    case DType::kInt32:
      return kernels.dequantise_s32(x.as<int32_t>() + at, scale, zero, y, count);
    default:
      return dequantise_floats(x, at, n, scale, static_cast<float>(zero), y);
  }
}

Status run_dequantise(RunContext& ctx) {
  const ValueRef &x = ctx.input(0), &scale = ctx.input(1), &y = ctx.output(0);
  ASSIGN_OR_RETURN(const Scales scales, scales_of(ctx.params<QuantiseParams>(), x, scale));
  const QuantKernels& kernels = kernels_of(ctx);
  const ScaleRows rows(ctx, scales);
  for_chunks(ctx, x.element_count(), cut_of(ctx, rows), [&](int64_t begin, int64_t end) {
    float row[kChunk];
    float* to = y.dtype == DType::kFloat32 ? y.as_mutable<float>() + begin : row;
    if (rows.is_used()) {
      codes_to_floats(ctx.isa(), x, begin, end - begin, to);
      rows.multiply(begin, end - begin, to);
    }
    const int64_t left = rows.is_used() ? end : begin;
    for_runs(scales, left, end, [&](int64_t at, int64_t stop, int64_t i) {
      if (is_small_float(x.dtype)) {
        float zero = 0.0f;
        if (ctx.has_input(2)) small_to_floats(x.dtype, ctx.input(2).data, i, 1, &zero);
        return dequantise_floats(x, at, stop - at, scale_at(scale, i), zero, to + (at - begin));
      }
      const int32_t zero = ctx.has_input(2) ? integer_at(x.dtype, ctx.input(2).data, i) : 0;
      dequantise_run(kernels, x, at, stop - at, scale_at(scale, i), zero, to + (at - begin));
    });
    if (y.dtype == DType::kFloat16) narrow(row, end - begin, y.as_mutable<Float16>() + begin);
    if (y.dtype == DType::kBfloat16) narrow(row, end - begin, y.as_mutable<Bfloat16>() + begin);
  });
  return Status::ok();
}

// --- DynamicQuantizeLinear: scale and zero point from the range of x and 0.

constexpr int64_t kRangeGrain = 1 << 16;

int64_t range_count(const ValueRef& x) {
  return (x.element_count() + kRangeGrain - 1) / kRangeGrain;
}

Status bind_dynamic(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 1, 1, 3));
  RETURN_IF_ERROR(check_type(ctx, 0, mask_of(DType::kFloat32)));
  RETURN_IF_ERROR(ctx.set_output(0, DType::kUint8, ctx.input(0).dims()));
  RETURN_IF_ERROR(ctx.set_output(1, DType::kFloat32, {}));
  ctx.set_scratch(static_cast<uint64_t>(range_count(ctx.input(0))) * 2 * sizeof(float));
  return ctx.set_output(2, DType::kUint8, {});
}

Status run_dynamic(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const QuantKernels& kernels = kernels_of(ctx);
  auto* ranges = reinterpret_cast<float*>(ctx.scratch());
  const int64_t count = range_count(x);
  ctx.parallel_for(count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float* range = ranges + 2 * i;
      range[0] = range[1] = 0.0f;
      const int64_t at = i * kRangeGrain;
      const int64_t n = std::min(kRangeGrain, x.element_count() - at);
      kernels.extend_range(x.as<float>() + at, static_cast<size_t>(n), range, range + 1);
    }
  });
  float lo = 0.0f, hi = 0.0f;
  for (int64_t i = 0; i < count; ++i) {
    lo = std::min(lo, ranges[2 * i]);
    hi = std::max(hi, ranges[2 * i + 1]);
  }
  QuantisedAs as{(hi - lo) / 255.0f, 0, 0, 255};
  if (lo == hi) as.scale = 1.0f;      // everything is 0
  const float zero = -lo / as.scale;  // NaN where x has infinities
  as.zero = zero >= 255.0f ? 255 : zero > 0.0f ? static_cast<int32_t>(std::nearbyint(zero)) : 0;
  *ctx.output(1).as_mutable<float>() = as.scale;
  *ctx.output(2).as_mutable<uint8_t>() = static_cast<uint8_t>(as.zero);
  ctx.parallel_for(x.element_count(), kGrain, [&](int64_t begin, int64_t end) {
    kernels.u8.quantise(x.as<float>() + begin, as, ctx.output(0).as_mutable<uint8_t>() + begin,
                        static_cast<size_t>(end - begin));
  });
  return Status::ok();
}

}  // namespace

KernelTable quantise_linear_kernels() {
  static constexpr KernelRow rows[] = {
      {"QuantizeLinear", "", 10, kLatestOpset, kQuantisable, "quantise_linear", 1, kNoFlags, 0,
       prepare_quantise, bind_quantise, run_quantise},
      {"QuantizeLinear", kMicrosoftDomain, 1, kLatestOpset, kQuantisable, "quantise_linear", 1,
       kNoFlags, 0, prepare_quantise, bind_quantise, run_quantise},
      {"DequantizeLinear", "", 10, kLatestOpset, kDequantisable, "dequantise_linear", 1, kNoFlags,
       0, prepare_dequantise, bind_dequantise, run_dequantise},
      {"DequantizeLinear", kMicrosoftDomain, 1, kLatestOpset, kDequantisable, "dequantise_linear",
       1, kNoFlags, 0, prepare_dequantise, bind_dequantise, run_dequantise},
      {"DequantizeLinear", "", 19, kLatestOpset, kQuantisedFloats, "dequantise_linear.float", 1,
       kNoFlags, 0, prepare_dequantise, bind_dequantise, run_dequantise},
      {"DynamicQuantizeLinear", "", 11, kLatestOpset, mask_of(DType::kFloat32),
       "dynamic_quantise_linear", 1, kNoFlags, 0, prepare_nothing, bind_dynamic, run_dynamic},
  };
  return rows;
}

}  // namespace ortc::cpu
