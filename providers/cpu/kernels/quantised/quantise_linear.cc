// SPDX-License-Identifier: MIT
// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear between floats and integers of 2 to 16
// bits (int32 too where it is dequantised); one scale for all, one along an axis, or one for each
// block along an axis.
//
//   y = saturate(round(x / scale) + zero), ties to even          y = (x - zero) * scale
//
// Elements are treated in order, in chunks of kChunk, each cut where its scale changes.
#include <algorithm>
#include <cmath>

#include "providers/cpu/arith/quant/quant.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/elements/float_rows.h"
#include "providers/cpu/elements/small_integers.h"

namespace ortc::cpu {
namespace {

struct QuantiseParams {
  uint32_t record_bytes;
  uint32_t output_dtype;  // 0: as the zero point or the scale says
  int64_t axis;
  int64_t block;  // 0: no blocks
};
static_assert(sizeof(QuantiseParams) == 24);

constexpr TypeMask kScaleTypes = mask_of(DType::kFloat32, DType::kFloat16, DType::kBfloat16);
constexpr TypeMask kQuantisable = kScaleTypes | mask_of(DType::kInt32);
constexpr TypeMask kDequantisable = kQuantisedTypes | mask_of(DType::kInt32);
constexpr int64_t kChunk = 512;
constexpr int64_t kGrain = 32 * kChunk;

const QuantKernels& kernels_of(const RunContext& ctx) { return quant_kernels(ctx.isa()); }

// --- Prepare.

// The integers' or floats' type that comes out, as far as it is known here, can be made.
Status check_output(const PrepareContext& ctx, const QuantiseParams& params) {
  const bool is_quantize = ctx.node().op_type() == "QuantizeLinear";
  DType dtype = static_cast<DType>(params.output_dtype);
  if (dtype == DType::kUndefined) dtype = ctx.input_type(is_quantize ? 2 : 1).dtype;
  const TypeMask types = is_quantize ? kQuantisedTypes : kScaleTypes;
  if (dtype == DType::kUndefined || (mask_of(dtype) & types) != 0) return Status::ok();
  return not_implemented(ctx.node().op_type(), " to ", dtype_name(dtype));
}

Status prepare_quantise(PrepareContext& ctx) {
  const Node& node = ctx.node();
  QuantiseParams params{};
  params.record_bytes = sizeof params;
  params.axis = node.int_attribute("axis", 1);
  params.block = node.int_attribute("block_size", 0);
  const int64_t dtype = node.int_attribute("output_dtype", 0);
  if (dtype != 0 && !dtype_is_valid(dtype)) {
    return invalid_graph("attribute 'output_dtype': ", dtype, " is not an element type");
  }
  params.output_dtype = static_cast<uint32_t>(dtype);
  const int64_t precision = node.int_attribute("precision", 0);
  if (precision != 0 && precision != static_cast<int64_t>(DType::kFloat32)) {
    return not_implemented("attribute 'precision' other than float32");
  }
  RETURN_IF_ERROR(check_output(ctx, params));
  ctx.set_params(params);
  return Status::ok();
}

// --- Where an element's scale lies.

// x is [outer, extent, inner]; scale index = outer step, axis step and inner step together.
struct Scales {
  int64_t extent = 1, inner = 1, block = 1;
  bool is_single = true;
  bool is_blocked = false;  // the scale varies with all three
  int64_t blocks = 1;

  int64_t index(int64_t element) const {
    if (is_single) return 0;
    const int64_t a = element / inner % extent;
    if (!is_blocked) return a;
    return (element / inner / extent * blocks + a / block) * inner + element % inner;
  }
  // Elements from this one on that share its scale.
  int64_t run(int64_t element) const {
    if (is_single) return INT64_MAX;
    if (!is_blocked) return inner - element % inner;
    if (inner > 1) return 1;
    const int64_t a = element % extent;
    return std::min(extent - a, block - a % block);
  }
};

Result<Scales> place_scales(const QuantiseParams& params, const ValueRef& x,
                            const ValueRef& scale) {
  Scales scales;
  if (params.block < 0) return invalid_graph("its block size is ", params.block);
  if (params.block == 0 && scale.rank <= 1 && scale.element_count() == 1) return scales;
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(params.axis, x.rank));
  scales.is_single = false;
  scales.extent = x.dim(axis);
  scales.inner = product(x.dims(), axis + 1, x.rank);
  const auto misfit = [&] {
    return invalid_argument("scale ", dims_to_string(scale.dims()), " does not fit ",
                            dims_to_string(x.dims()), " along axis ", axis);
  };
  if (params.block == 0) {
    if (scale.rank != 1 || scale.dim(0) != scales.extent) return misfit();
    return scales;
  }
  scales.is_blocked = true;
  scales.block = params.block;
  if (scale.rank != x.rank) return misfit();
  for (size_t i = 0; i < x.rank; ++i) {
    const int64_t expected =
        i == axis ? x.dim(i) / params.block + (x.dim(i) % params.block != 0 ? 1 : 0) : x.dim(i);
    if (scale.dim(i) != expected) return misfit();
  }
  scales.blocks = scale.dim(axis);
  return scales;
}

float scale_at(const ValueRef& scale, int64_t i) {
  if (scale.dtype == DType::kFloat32) return scale.as<float>()[i];
  if (scale.dtype == DType::kFloat16) return scale.as<Float16>()[i];
  return scale.as<Bfloat16>()[i];
}

// --- Bind.

Status check_zero(const BindContext& ctx, const ValueRef& scale) {
  if (!ctx.has_input(2)) return Status::ok();
  const auto zero = ctx.input(2).dims(), dims = scale.dims();
  const bool fits = std::equal(zero.begin(), zero.end(), dims.begin(), dims.end()) ||
                    (ctx.input(2).element_count() == 1 && scale.element_count() == 1);
  return fits ? Status::ok()
              : invalid_argument("zero point ", dims_to_string(zero), " and scale ",
                                 dims_to_string(dims), " differ in shape");
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
                           ", the output shall be ", dtype_name(dtype));
    }
    dtype = ctx.input(2).dtype;
  }
  if (params->output_dtype >= kDTypeCount || (mask_of(dtype) & kQuantisedTypes) == 0) {
    return not_implemented("QuantizeLinear to ", dtype_name(dtype));
  }
  RETURN_IF_ERROR(check_zero(ctx, ctx.input(1)));
  RETURN_IF_ERROR(place_scales(*params, ctx.input(0), ctx.input(1)).status());
  return ctx.set_output(0, dtype, ctx.input(0).dims());
}

Status bind_dequantise(BindContext& ctx) {
  const auto* params = ctx.params<QuantiseParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 3));
  RETURN_IF_ERROR(check_type(ctx, 0, kDequantisable));
  RETURN_IF_ERROR(check_type(ctx, 1, kScaleTypes));
  RETURN_IF_ERROR(check_same_type(ctx, 2, 0));
  RETURN_IF_ERROR(check_zero(ctx, ctx.input(1)));
  const DType dtype =
      params->output_dtype != 0 ? static_cast<DType>(params->output_dtype) : ctx.input(1).dtype;
  if (params->output_dtype >= kDTypeCount || (mask_of(dtype) & kScaleTypes) == 0) {
    return not_implemented("DequantizeLinear to ", dtype_name(dtype));
  }
  RETURN_IF_ERROR(place_scales(*params, ctx.input(0), ctx.input(1)).status());
  return ctx.set_output(0, dtype, ctx.input(0).dims());
}

// --- Run.

// f(begin, end) for chunks of at most kChunk elements that begin on bytes, on all threads.
template <typename F>
void for_chunks(const RunContext& ctx, int64_t count, F&& f) {
  ctx.parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; at += kChunk) f(at, std::min(end, at + kChunk));
  });
}

// f(begin, end, scale index) for the parts of [begin, end) of one scale.
template <typename F>
void for_runs(const Scales& scales, int64_t begin, int64_t end, F&& f) {
  for (int64_t at = begin; at < end;) {
    const int64_t run = scales.run(at);
    const int64_t stop = run < end - at ? at + run : end;
    f(at, stop, scales.index(at));
    at = stop;
  }
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

Status run_quantise(RunContext& ctx) {
  const ValueRef &x = ctx.input(0), &scale = ctx.input(1), &y = ctx.output(0);
  ASSIGN_OR_RETURN(const Scales scales, place_scales(ctx.params<QuantiseParams>(), x, scale));
  const QuantKernels& kernels = kernels_of(ctx);
  const IntegerRange range = integer_range(y.dtype);
  const bool is_small = (mask_of(y.dtype) & kSubByteIntegers) != 0;
  for_chunks(ctx, x.element_count(), [&](int64_t begin, int64_t end) {
    float row[kChunk];
    uint8_t small[kChunk];
    const float* from = floats_at(x, begin, end, row);
    for_runs(scales, begin, end, [&](int64_t at, int64_t stop, int64_t i) {
      QuantisedAs as{scale_at(scale, i), 0, range.lo, range.hi};
      if (ctx.has_input(2)) as.zero = integer_at(y.dtype, ctx.input(2).data, i);
      quantise_run(kernels, from + (at - begin), as, y.dtype, is_small ? small : y.data,
                   is_small ? at - begin : at, stop - at);
    });
    if (is_small) pack_small(y.dtype, small, end - begin, begin, y.data);
  });
  return Status::ok();
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
      for (int64_t i = 0; i < n; ++i) {
        y[i] = static_cast<float>(integer_at(x.dtype, x.data, at + i) - zero) * scale;
      }
  }
}

Status run_dequantise(RunContext& ctx) {
  const ValueRef &x = ctx.input(0), &scale = ctx.input(1), &y = ctx.output(0);
  ASSIGN_OR_RETURN(const Scales scales, place_scales(ctx.params<QuantiseParams>(), x, scale));
  const QuantKernels& kernels = kernels_of(ctx);
  for_chunks(ctx, x.element_count(), [&](int64_t begin, int64_t end) {
    float row[kChunk];
    float* to = y.dtype == DType::kFloat32 ? y.as_mutable<float>() + begin : row;
    for_runs(scales, begin, end, [&](int64_t at, int64_t stop, int64_t i) {
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
       0, prepare_quantise, bind_dequantise, run_dequantise},
      {"DequantizeLinear", kMicrosoftDomain, 1, kLatestOpset, kDequantisable, "dequantise_linear",
       1, kNoFlags, 0, prepare_quantise, bind_dequantise, run_dequantise},
      {"DynamicQuantizeLinear", "", 11, kLatestOpset, mask_of(DType::kFloat32),
       "dynamic_quantise_linear", 1, kNoFlags, 0, prepare_nothing, bind_dynamic, run_dynamic},
  };
  return rows;
}

}  // namespace ortc::cpu
