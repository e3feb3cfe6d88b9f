// SPDX-License-Identifier: MIT
// LengthMask: which places of sequences stand before their ends.
//
//   y[b, i] = i < lengths[b], for the places i of the `axis` of x
//
// Sequences have at least one place.
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/microsoft_kernels.h"

namespace ortc::cpu {
namespace {

struct MaskParams {
  uint32_t record_bytes;
  uint32_t axis;
};
static_assert(sizeof(MaskParams) == 8);

Status prepare_mask(PrepareContext& ctx) {
  const int64_t axis = ctx.node().int_attribute("axis", 0);
  if (axis < 0 || axis > INT32_MAX) {
    return invalid_graph("attribute 'axis' is ", axis, ", expected 0 or more");
  }
  ctx.set_params(MaskParams{sizeof(MaskParams), static_cast<uint32_t>(axis)});
  return Status::ok();
}

Status bind_mask(BindContext& ctx) {
  const auto* params = ctx.params<MaskParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, mask_of(DType::kInt32)));
  const ValueRef &lengths = ctx.input(0), &x = ctx.input(1);
  if (lengths.rank != 1 || x.rank <= params->axis) {
    return invalid_argument("lengths ", dims_to_string(lengths.dims()), " of axis ", params->axis,
                            " of ", dims_to_string(x.dims()), ", expected one axis");
  }
  return ctx.set_output(0, DType::kBool, {lengths.dim(0), x.dim(params->axis)});
}

Status run_mask(RunContext& ctx) {
  const auto* lengths = ctx.input(0).as<int32_t>();
  auto* y = ctx.output(0).as_mutable<bool>();
  const int64_t rows = ctx.output(0).dim(0), places = ctx.output(0).dim(1);
  for (int64_t row = 0; row < rows; ++row) {
    if (lengths[row] < 1 || lengths[row] > places) {
      return invalid_argument("sequence ", row, " has a length of ", lengths[row],
                              ", expected 1 to ", places);
    }
    for (int64_t i = 0; i < places; ++i) y[row * places + i] = i < lengths[row];
  }
  return Status::ok();
}

}  // namespace

KernelTable length_mask_kernels() {
  static constexpr KernelRow rows[] = {
      {"LengthMask", kInternalDomain, 1, kLatestOpset, mask_of(DType::kInt32), "length_mask", 1,
       kNoFlags, 0, prepare_mask, bind_mask, run_mask},
  };
  return rows;
}

}  // namespace ortc::cpu
