// SPDX-License-Identifier: MIT
// CenterCropPad: axes cut or filled up with zeros to given sizes, the middle staying the middle; an
// odd element is cut or added at the end.
#include "providers/cpu/bind/axis_list.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/kernels/movement/pad.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

// --- Prepare.

Status prepare_center(PrepareContext& ctx) {
  AxisListParams params{};
  RETURN_IF_ERROR(axes_from_attribute(ctx.node(), "axes", &params));
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

Result<DimList> centered_dims(const AxisListParams& params, const ValueRef& x,
                              const ValueRef& shape) {
  DimList sizes;
  RETURN_IF_ERROR(read_ints(shape, "the shape", &sizes));
  RETURN_IF_ERROR(checked_axes(params, x.rank).status());
  const size_t count = params.has_axes != 0 ? params.axis_count : x.rank;
  if (sizes.size() != count) {
    return invalid_argument("the shape has ", sizes.size(), " numbers, expected ", count);
  }
  DimList dims(x.dims());
  for (size_t i = 0; i < count; ++i) {
    const int64_t axis = params.has_axes != 0 ? params.axes[i] : static_cast<int64_t>(i);
    dims[static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(x.rank) : axis)] = sizes[i];
  }
  return dims;
}

Status bind_center(BindContext& ctx) {
  const auto* params = ctx.params<AxisListParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, kByteTypes));
  ASSIGN_OR_RETURN(const DimList dims, centered_dims(*params, ctx.input(0), ctx.input(1)));
  return ctx.set_output(0, ctx.input(0).dtype, dims);
}

// --- Run.

Status run_center(RunContext& ctx) {
  const ValueRef &x = ctx.input(0), &y = ctx.output(0);
  Pads pads;
  for (size_t d = 0; d < y.rank; ++d) {
    const int64_t more = y.dim(d) - x.dim(d);
    pads.before.push_back(more / 2);
    pads.after.push_back(more - more / 2);
  }
  return pad_by_zeros(ctx, pads);
}

}  // namespace

KernelTable center_crop_pad_kernels() {
  static constexpr KernelRow rows[] = {
      {"CenterCropPad", "", 18, kLatestOpset, kByteTypes, "center_crop_pad", 1, kNoFlags, 2,
       prepare_center, bind_center, run_center},
      {"CenterCropPad", "", 18, kLatestOpset, kStrings, "center_crop_pad.string", 1, kNoFlags, 2,
       prepare_center, bind_strings<bind_center, 1>, run_strings<run_center>},
  };
  return rows;
}

}  // namespace ortc::cpu
