// SPDX-License-Identifier: MIT
// Cast and CastLike between numbers, bool and strings; convert.h, convert_small.h and
// string_numbers.h say how values are converted.
#include "core/graph/one_of.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/convert.h"
#include "providers/cpu/elements/convert_small.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/text/string_numbers.h"

namespace ortc::cpu {
namespace {

using CastTypes = Join<NumberTypes, TypeList<Bool8>>;
constexpr TypeMask kStrings = mask_of(DType::kString);

// --- Prepare.

struct CastParams {
  uint32_t record_bytes;
  uint32_t to;  // an ONNX element type
};
static_assert(sizeof(CastParams) == 8);

// The record of a cast to a small type. CastLike has none for other types.
struct SmallCastParams {
  CastParams cast;
  uint8_t saturate;
  uint8_t infinity_is_nan;
  uint8_t rounding;  // a PowerRounding
  uint8_t reserved[5];
};
static_assert(sizeof(SmallCastParams) == 16);

Status check_target(DType to) {
  if ((mask_of(to) & (CastTypes::kMask | kStrings | kSmallTypes)) != 0) return Status::ok();
  return not_implemented("a cast to ", dtype_name(to));
}

Result<PowerRounding> rounding_attribute(const Node& node) {
  ASSIGN_OR_RETURN(const uint32_t mode,
                   one_of(node, "round_mode", "up", {"up", "down", "nearest"}));
  return static_cast<PowerRounding>(mode);
}

Result<SmallCastParams> small_params(const PrepareContext& ctx, DType to) {
  SmallCastParams params{};
  params.cast = {sizeof params, static_cast<uint32_t>(to)};
  params.saturate = ctx.node().int_attribute("saturate", 1) != 0 ? 1 : 0;
  params.infinity_is_nan = ctx.opset() < 24 ? 1 : 0;
  ASSIGN_OR_RETURN(const PowerRounding rounding, rounding_attribute(ctx.node()));
  params.rounding = static_cast<uint8_t>(rounding);
  return params;
}

Status prepare_cast(PrepareContext& ctx) {
  // The first version spells the type; inference has read it.
  const int64_t to = ctx.opset() < 6 ? static_cast<int64_t>(ctx.output_type(0).dtype)
                                     : ctx.node().int_attribute("to", 0);
  if (!dtype_is_valid(to)) return invalid_graph("attribute 'to' is ", to, ", which is not a type");
  const auto target = static_cast<DType>(to);
  RETURN_IF_ERROR(check_target(target));
  ASSIGN_OR_RETURN(const SmallCastParams small, small_params(ctx, target));
  if (is_small(target)) {
    ctx.set_params(small);
  } else {
    ctx.set_params(CastParams{sizeof(CastParams), static_cast<uint32_t>(to)});
  }
  return Status::ok();
}

Status prepare_cast_like(PrepareContext& ctx) {
  const DType to = ctx.input_type(1).dtype;
  RETURN_IF_ERROR(check_target(to));
  ASSIGN_OR_RETURN(const SmallCastParams small, small_params(ctx, to));
  if (is_small(to)) ctx.set_params(small);
  return Status::ok();
}

// --- Bind.

Status bind_to(BindContext& ctx, DType to) {
  RETURN_IF_ERROR(check_type(ctx, 0, CastTypes::kMask | kStrings | kSmallTypes));
  RETURN_IF_ERROR(check_target(to));
  if (is_small(to)) {
    const auto* params = ctx.params<SmallCastParams>();
    if (params == nullptr) return ctx.bad_params();
    if (params->rounding > static_cast<uint8_t>(PowerRounding::kNearest)) {
      return damaged_params("it names rounding ", params->rounding);
    }
  }
  return ctx.set_output(0, to, ctx.input(0).dims());
}

Status bind_cast(BindContext& ctx) {
  const auto* params = ctx.params<CastParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  if (!dtype_is_valid(params->to)) {
    return invalid_graph("its params record names element type ", params->to);
  }
  return bind_to(ctx, static_cast<DType>(params->to));
}

Status bind_cast_like(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  return bind_to(ctx, ctx.input(1).dtype);
}

// --- Run.

SmallFloatRules rules_of(const RunContext& ctx) {
  const auto& params = ctx.params<SmallCastParams>();
  return {params.saturate != 0, params.infinity_is_nan != 0,
          static_cast<PowerRounding>(params.rounding)};
}

// f(at, n) for rows of at most kSmallRow elements that begin on bytes.
template <typename F>
Status for_small_rows(int64_t begin, int64_t end, F&& f) {
  for (int64_t at = begin; at < end; at += kSmallRow) {
    RETURN_IF_ERROR(f(at, end - at < kSmallRow ? end - at : kSmallRow));
  }
  return Status::ok();
}

// Texts become small integers as they become int64, small floats as they become doubles.
Status run_texts_to_small(const ValueRef& x, const ValueRef& y, const SmallFloatRules& rules) {
  const bool is_float = (mask_of(y.dtype) & kSmallFloats) != 0;
  const DType number = is_float ? DType::kFloat64 : DType::kInt64;
  return for_small_rows(0, x.element_count(), [&](int64_t at, int64_t n) {
    alignas(8) std::byte row[kSmallRow * 8];
    RETURN_IF_ERROR(texts_to_numbers(x.as<std::string>() + at, number, row, n));
    numbers_to_small(number, row, 0, n, y.dtype, rules, y.data, at);
    return Status::ok();
  });
}

Status run_text_cast(const RunContext& ctx, const ValueRef& x, const ValueRef& y) {
  const int64_t count = x.element_count();
  if (x.dtype == y.dtype) {
    copy_elements(x.dtype, count, x.data, y.data);
    return Status::ok();
  }
  if (is_small(y.dtype)) return run_texts_to_small(x, y, rules_of(ctx));
  if (is_small(x.dtype)) {
    return for_small_rows(0, count, [&](int64_t at, int64_t n) {
      float row[kSmallRow];
      small_to_floats(x.dtype, x.data, at, n, row);
      numbers_to_texts(DType::kFloat32, row, y.as_mutable<std::string>() + at, n);
      return Status::ok();
    });
  }
  if (x.dtype == DType::kString) {
    return texts_to_numbers(x.as<std::string>(), y.dtype, y.data, count);
  }
  numbers_to_texts(x.dtype, x.data, y.as_mutable<std::string>(), count);
  return Status::ok();
}

// From or to a small type.
void cast_small_row(const ValueRef& x, const ValueRef& y, const SmallFloatRules& rules, int64_t at,
                    int64_t n) {
  float row[kSmallRow];
  if (!is_small(x.dtype)) {
    return numbers_to_small(x.dtype, x.data, at, n, y.dtype, rules, y.data, at);
  }
  small_to_floats(x.dtype, x.data, at, n, row);
  if (is_small(y.dtype)) {
    return numbers_to_small(DType::kFloat32, row, 0, n, y.dtype, rules, y.data, at);
  }
  convert_row(DType::kFloat32, y.dtype)(
      row, y.as_mutable<std::byte>() + at * static_cast<int64_t>(element_bytes(y.dtype)), n);
}

Status run_small_cast(RunContext& ctx, const ValueRef& x, const ValueRef& y) {
  if (x.dtype == y.dtype) {
    copy_elements(x.dtype, x.element_count(), x.data, y.data);
    return Status::ok();
  }
  const SmallFloatRules rules = is_small(y.dtype) ? rules_of(ctx) : SmallFloatRules{};
  ctx.parallel_for(x.element_count(), kElementGrain, [&](int64_t begin, int64_t end) {
    (void)for_small_rows(begin, end, [&](int64_t at, int64_t n) {
      cast_small_row(x, y, rules, at, n);
      return Status::ok();
    });
  });
  return Status::ok();
}

Status run_cast(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  if (x.dtype == DType::kString || y.dtype == DType::kString) return run_text_cast(ctx, x, y);
  if (is_small(x.dtype) || is_small(y.dtype)) return run_small_cast(ctx, x, y);
  const ConvertRow convert = convert_row(x.dtype, y.dtype);
  const auto from = static_cast<int64_t>(element_bytes(x.dtype));
  const auto to = static_cast<int64_t>(element_bytes(y.dtype));
  ctx.parallel_for(x.element_count(), kElementGrain, [&](int64_t begin, int64_t end) {
    convert(x.as<std::byte>() + begin * from, y.as_mutable<std::byte>() + begin * to, end - begin);
  });
  return Status::ok();
}

}  // namespace

KernelTable cast_kernels() {
  static constexpr KernelRow rows[] = {
      {"Cast", "", 1, kLatestOpset, CastTypes::kMask, "cast", 1, kShapeArithmetic, 0, prepare_cast,
       bind_cast, run_cast},
      {"Cast", "", 6, kLatestOpset, kStrings, "cast.string", 1, kNoFlags, 0, prepare_cast,
       bind_cast, run_cast},
      {"Cast", "", 19, kLatestOpset, kSmallTypes, "cast.small", 1, kNoFlags, 0, prepare_cast,
       bind_cast, run_cast},
      {"CastLike", "", 19, kLatestOpset, kSmallTypes, "cast_like.small", 1, kNoFlags, 0,
       prepare_cast_like, bind_cast_like, run_cast},
      {"CastLike", "", 15, kLatestOpset, kStrings, "cast_like.string", 1, kNoFlags, 0,
       prepare_cast_like, bind_cast_like, run_cast},
      {"CastLike", "", 15, kLatestOpset, CastTypes::kMask, "cast_like", 1, kNoFlags, 0,
       prepare_cast_like, bind_cast_like, run_cast},
  };
  return rows;
}

}  // namespace ortc::cpu
