// SPDX-License-Identifier: MIT
// CenterCropPad: axes cut or filled up with zeros to given sizes, the middle staying the middle; an
// odd element is cut or added at the end.
#include <algorithm>
#include <cstring>

#include "providers/cpu/bind/axis_list.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
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
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  const auto bytes = static_cast<int64_t>(element_bytes(x.dtype));
  if (y.element_count() == 0) return Status::ok();
  if (y.rank == 0) {
    std::memcpy(y.data, x.data, static_cast<size_t>(bytes));
    return Status::ok();
  }
  const DimList strides = row_major_strides(x.dims());
  const size_t last = y.rank - 1;
  // Output element i of axis d is input element i + shift[d].
  DimList shift;
  for (size_t d = 0; d < y.rank; ++d) {
    const int64_t more = y.dim(d) - x.dim(d);
    shift.push_back(more >= 0 ? -(more / 2) : -more / 2);
  }
  const int64_t row = y.dim(last);
  const int64_t first = std::max<int64_t>(0, -shift[last]);
  const int64_t end_at = std::min(row, x.dim(last) - shift[last]);
  const int64_t grain = std::max<int64_t>(1, kElementGrain / row);
  ctx.parallel_for(y.element_count() / row, grain, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      auto* to = y.as_mutable<std::byte>() + r * row * bytes;
      int64_t rest = r, offset = 0;
      bool is_inside = first < end_at;
      for (size_t d = last; d-- > 0; rest /= y.dim(d)) {
        const int64_t at = rest % y.dim(d) + shift[d];
        is_inside = is_inside && at >= 0 && at < x.dim(d);
        offset += at * strides[d];
      }
      if (!is_inside) {
        std::memset(to, 0, static_cast<size_t>(row * bytes));
        continue;
      }
      std::memset(to, 0, static_cast<size_t>(first * bytes));
      std::memcpy(to + first * bytes, x.as<std::byte>() + (offset + first + shift[last]) * bytes,
                  static_cast<size_t>((end_at - first) * bytes));
      std::memset(to + end_at * bytes, 0, static_cast<size_t>((row - end_at) * bytes));
    }
  });
  return Status::ok();
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
