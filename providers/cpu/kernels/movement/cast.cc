// SPDX-License-Identifier: MIT
// Cast and CastLike between numbers, bool and strings; convert.h and string_numbers.h say how
// values are converted.
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/convert.h"
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

Status check_target(DType to) {
  if ((mask_of(to) & (CastTypes::kMask | kStrings)) != 0) return Status::ok();
  return not_implemented("a cast to ", dtype_name(to));
}

Status prepare_cast(PrepareContext& ctx) {
  const int64_t to = ctx.node().int_attribute("to", 0);
  if (!dtype_is_valid(to)) return invalid_graph("attribute 'to' is ", to, ", which is not a type");
  RETURN_IF_ERROR(check_target(static_cast<DType>(to)));
  ctx.set_params(CastParams{sizeof(CastParams), static_cast<uint32_t>(to)});
  return Status::ok();
}

Status prepare_cast_like(PrepareContext& ctx) { return check_target(ctx.input_type(1).dtype); }

// --- Bind.

Status bind_to(BindContext& ctx, DType to) {
  RETURN_IF_ERROR(check_type(ctx, 0, CastTypes::kMask | kStrings));
  RETURN_IF_ERROR(check_target(to));
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

Status run_text_cast(const ValueRef& x, const ValueRef& y) {
  const int64_t count = x.element_count();
  if (x.dtype == y.dtype) {
    copy_elements(x.dtype, count, x.data, y.data);
    return Status::ok();
  }
  if (x.dtype == DType::kString) {
    return texts_to_numbers(x.as<std::string>(), y.dtype, y.data, count);
  }
  numbers_to_texts(x.dtype, x.data, y.as_mutable<std::string>(), count);
  return Status::ok();
}

Status run_cast(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  if (x.dtype == DType::kString || y.dtype == DType::kString) return run_text_cast(x, y);
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
      {"Cast", "", 6, kLatestOpset, CastTypes::kMask, "cast", 1, kShapeArithmetic, 0, prepare_cast,
       bind_cast, run_cast},
      {"Cast", "", 6, kLatestOpset, kStrings, "cast.string", 1, kNoFlags, 0, prepare_cast,
       bind_cast, run_cast},
      {"CastLike", "", 15, kLatestOpset, kStrings, "cast_like.string", 1, kNoFlags, 0,
       prepare_cast_like, bind_cast_like, run_cast},
      {"CastLike", "", 15, kLatestOpset, CastTypes::kMask, "cast_like", 1, kNoFlags, 0,
       prepare_cast_like, bind_cast_like, run_cast},
  };
  return rows;
}

}  // namespace ortc::cpu
