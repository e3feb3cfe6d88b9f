// SPDX-License-Identifier: MIT
// Slice, by element size: starts, ends, axes and steps from inputs (opset 10) or, without steps,
// from attributes (before). A slice is a strided read from one offset.
#include <algorithm>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/packed_moves.h"
#include "providers/cpu/bind/rows/copy_rows.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

// --- Arithmetic.

struct SliceRange {
  int64_t start;
  int64_t step;
  int64_t size;
};

// Negative starts and ends count from the back, those outside are clamped, as in Python.
SliceRange slice_range(int64_t dim, int64_t start, int64_t end, int64_t step) {
  if (dim == 0) return {0, 1, 0};
  if (start < 0) start += dim;
  if (end < 0) end += dim;
  int64_t size = 0;
  if (step > 0) {
    start = std::clamp<int64_t>(start, 0, dim);
    end = std::clamp<int64_t>(end, 0, dim);
    size = end > start ? (end - start - 1) / step + 1 : 0;
  } else {
    start = std::clamp<int64_t>(start, 0, dim - 1);
    end = std::clamp<int64_t>(end, -1, dim - 1);
    size = start > end ? (start - end - 1) / -std::max(step, -INT64_MAX) + 1 : 0;
  }
  return {start, size > 1 ? step : 1, size};
}

// --- Prepare.

struct SliceParams {
  uint32_t record_bytes;
  uint32_t count;  // of starts, ends and axes
  int64_t starts[kMaxRank];
  int64_t ends[kMaxRank];
  int64_t axes[kMaxRank];
};
static_assert(sizeof(SliceParams) == 8 + 24 * kMaxRank);

Status prepare_slice_attribute(PrepareContext& ctx) {
  const auto starts = ctx.node().ints_attribute("starts");
  const auto ends = ctx.node().ints_attribute("ends");
  auto axes = ctx.node().ints_attribute("axes");
  if (axes.empty()) {
    for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  }
  if (starts.size() > kMaxRank || ends.size() != starts.size() || axes.size() != starts.size()) {
    return invalid_graph("there are ", starts.size(), " starts, ", ends.size(), " ends and ",
                         axes.size(), " axes");
  }
  SliceParams params{};
  params.record_bytes = sizeof params;
  params.count = static_cast<uint32_t>(starts.size());
  std::copy(starts.begin(), starts.end(), params.starts);
  std::copy(ends.begin(), ends.end(), params.ends);
  std::copy(axes.begin(), axes.end(), params.axes);
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

struct ResolvedSlice {
  DimList dims;     // of the output
  DimList steps;    // per dimension
  DimList offsets;  // first element per dimension
};

Result<ResolvedSlice> resolve(std::span<const int64_t> dims, std::span<const int64_t> starts,
                              std::span<const int64_t> ends, std::span<const int64_t> axes,
                              std::span<const int64_t> steps) {
  ResolvedSlice slice{DimList(dims), DimList(dims.size(), 1), DimList(dims.size(), 0)};
  std::array<bool, kMaxRank> seen{};
  for (size_t i = 0; i < starts.size(); ++i) {
    ASSIGN_OR_RETURN(const size_t axis, checked_axis(axes[i], dims.size()));
    if (seen[axis]) return invalid_argument("axis ", axes[i], " is given twice");
    if (steps[i] == 0) return invalid_argument("axis ", axes[i], " has a step of 0");
    seen[axis] = true;
    const SliceRange range = slice_range(dims[axis], starts[i], ends[i], steps[i]);
    slice.dims[axis] = range.size;
    slice.steps[axis] = range.step;
    slice.offsets[axis] = range.start;
  }
  return slice;
}

Result<ResolvedSlice> resolve_attributes(const ValueRef& x, const SliceParams& params) {
  if (params.count > kMaxRank) {
    return invalid_graph("its params record holds ", params.count, " axes");
  }
  const DimList steps(params.count, 1);
  return resolve(x.dims(), {params.starts, params.count}, {params.ends, params.count},
                 {params.axes, params.count}, steps);
}

// Of a bind or a run context.
template <typename Context>
Result<ResolvedSlice> resolve_inputs(const Context& ctx) {
  DimList starts, ends, axes, steps;
  RETURN_IF_ERROR(read_ints(ctx.input(1), "starts", &starts));
  RETURN_IF_ERROR(read_ints(ctx.input(2), "ends", &ends));
  if (ctx.has_input(3)) {
    RETURN_IF_ERROR(read_ints(ctx.input(3), "axes", &axes));
  } else {
    for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  }
  if (ctx.has_input(4)) {
    RETURN_IF_ERROR(read_ints(ctx.input(4), "steps", &steps));
  } else {
    steps = DimList(starts.size(), 1);
  }
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size()) {
    return invalid_argument("there are ", starts.size(), " starts, ", ends.size(), " ends, ",
                            axes.size(), " axes and ", steps.size(), " steps");
  }
  return resolve(ctx.input(0).dims(), starts, ends, axes, steps);
}

Status bind_slice(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 3, 5));
  RETURN_IF_ERROR(check_type(ctx, 0, kByteTypes));
  ASSIGN_OR_RETURN(const ResolvedSlice slice, resolve_inputs(ctx));
  return ctx.set_output(0, ctx.input(0).dtype, slice.dims);
}

Status bind_slice_attribute(BindContext& ctx) {
  const auto* params = ctx.params<SliceParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kByteTypes));
  ASSIGN_OR_RETURN(const ResolvedSlice slice, resolve_attributes(ctx.input(0), *params));
  return ctx.set_output(0, ctx.input(0).dtype, slice.dims);
}

// --- Run.

Status copy_slice(const RunContext& ctx, const ResolvedSlice& slice) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  if (!std::ranges::equal(slice.dims.span(), y.dims())) {
    return invalid_argument("the slice changed between binding and run");
  }
  const DimList strides = row_major_strides(x.dims());
  const size_t bytes = element_bytes(x.dtype);
  int64_t offset = 0;
  NdLoop<1> loop;
  for (size_t i = 0; i < slice.dims.size(); ++i) {
    loop.append(slice.dims[i], {strides[i] * slice.steps[i]});
    offset += strides[i] * slice.offsets[i];
  }
  loop.finish();
  if (loop.count == 0) return Status::ok();
  copy_strided(ctx, loop, bytes, x.as<std::byte>() + static_cast<size_t>(offset) * bytes, y.data);
  return Status::ok();
}

Status run_slice(RunContext& ctx) {
  ASSIGN_OR_RETURN(const ResolvedSlice slice, resolve_inputs(ctx));
  return copy_slice(ctx, slice);
}

Status run_slice_attribute(RunContext& ctx) {
  ASSIGN_OR_RETURN(const ResolvedSlice slice,
                   resolve_attributes(ctx.input(0), ctx.params<SliceParams>()));
  return copy_slice(ctx, slice);
}

}  // namespace

KernelTable slice_kernels() {
  static constexpr KernelRow rows[] = {
      {"Slice", "", 10, kLatestOpset, kByteTypes, "slice", 1, kShapeArithmetic, 30, prepare_nothing,
       bind_slice, run_slice},
      {"Slice", "", 1, 9, kByteTypes, "slice.attribute", 1, kShapeArithmetic, 0,
       prepare_slice_attribute, bind_slice_attribute, run_slice_attribute},
      {"Slice", "", 10, kLatestOpset, kStrings, "slice.string", 1, kNoFlags, 30, prepare_nothing,
       bind_strings<bind_slice, 1>, run_strings<run_slice>},
      {"Slice", "", 1, 9, kStrings, "slice.attribute.string", 1, kNoFlags, 0,
       prepare_slice_attribute, bind_strings<bind_slice_attribute, 1>,
       run_strings<run_slice_attribute>},
      {"Slice", "", 10, kLatestOpset, kPackedTypes, "slice.packed", 1, kNoFlags, 30,
       prepare_nothing, bind_packed<bind_slice>, run_packed<run_slice>},
  };
  return rows;
}

}  // namespace ortc::cpu
