// SPDX-License-Identifier: MIT
// MaxUnpool: pooled values back at the places that MaxPool's indices name, zeros elsewhere.
//
// Indices count elements of the tensor whose axes are stride (n - 1) + kernel - padding; when
// another shape is asked for, that tensor stands in its first corner.
#include <algorithm>

#include "providers/cpu/arith/plain_rows/plain_rows.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/windows/window.h"

namespace ortc::cpu {
namespace {

using UnpoolTypes = TypeList<float, double, Float16, Bfloat16>;

struct UnpoolParams {
  uint32_t record_bytes;
  uint32_t reserved;
  WindowParams windows;
};
static_assert(sizeof(UnpoolParams) == 144);

// --- Prepare.

Status prepare_unpool(PrepareContext& ctx) {
  UnpoolParams params{};
  params.record_bytes = sizeof params;
  ASSIGN_OR_RETURN(params.windows, windows_from_attributes(ctx.node()));
  if (params.windows.rank == 0 || params.windows.kernel[0] == 0) {
    return invalid_graph("attribute 'kernel_shape' is missing");
  }
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

// The shape that indices count in.
Result<DimList> indexed_dims(const UnpoolParams& params, const ValueRef& x) {
  const WindowParams& windows = params.windows;
  if (windows.rank < 1 || windows.rank > kSpatialMax || x.rank != windows.rank + 2) {
    return invalid_argument("the input has rank ", x.rank, ", expected ", windows.rank + 2);
  }
  DimList dims;
  dims.push_back(x.dim(0));
  dims.push_back(x.dim(1));
  for (size_t i = 0; i < windows.rank; ++i) {
    const auto is_extent = [](int64_t v, int64_t least) { return v >= least && v <= INT32_MAX; };
    if (!is_extent(windows.kernel[i], 1) || !is_extent(windows.stride[i], 1) ||
        !is_extent(windows.pad_begin[i], 0) || !is_extent(windows.pad_end[i], 0) ||
        !is_extent(x.dim(i + 2), 1)) {
      return invalid_argument("windows of impossible size over axis ", i + 2);
    }
    const int64_t size = windows.stride[i] * (x.dim(i + 2) - 1) + windows.kernel[i] -
                         windows.pad_begin[i] - windows.pad_end[i];
    if (size < 1) return invalid_argument("axis ", i + 2, " would have ", size, " elements");
    dims.push_back(size);
  }
  if (!checked_element_count(dims)) return invalid_argument("the result is too large");
  return dims;
}

Status bind_unpool(BindContext& ctx) {
  const auto* params = ctx.params<UnpoolParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 3));
  RETURN_IF_ERROR(check_type(ctx, 0, UnpoolTypes::kMask));
  RETURN_IF_ERROR(check_type(ctx, 1, mask_of(DType::kInt64)));
  const ValueRef& x = ctx.input(0);
  if (!std::ranges::equal(x.dims(), ctx.input(1).dims())) {
    return invalid_argument("indices of shape ", dims_to_string(ctx.input(1).dims()),
                            " for values of ", dims_to_string(x.dims()));
  }
  ASSIGN_OR_RETURN(DimList dims, indexed_dims(*params, x));
  if (ctx.has_input(2)) {
    DimList wanted;
    RETURN_IF_ERROR(read_ints(ctx.input(2), "the output shape", &wanted));
    bool fits = wanted.size() == dims.size();
    for (size_t d = 0; fits && d < dims.size(); ++d) fits = wanted[d] >= dims[d];
    if (!fits) {
      return invalid_argument("the output shape ", dims_to_string(wanted), " is smaller than ",
                              dims_to_string(dims));
    }
    dims = wanted;
  }
  return ctx.set_output(0, x.dtype, dims);
}

// --- Run.

Status run_unpool(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  ASSIGN_OR_RETURN(const DimList dims, indexed_dims(ctx.params<UnpoolParams>(), x));
  const auto* indices = ctx.input(1).as<int64_t>();
  const int64_t size = product(dims), count = x.element_count();
  if (count > 0) {
    const auto range = plain_rows_kernels(ctx.isa()).range_i64(indices, static_cast<size_t>(count));
    if (range.least < 0) return index_out_of_range(range.least, size);
    if (range.most >= size) return index_out_of_range(range.most, size);
  }
  const bool is_same = std::ranges::equal(dims, y.dims());
  const DimList strides = row_major_strides(y.dims());
  with_type(UnpoolTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = x.as<T>();
    T* to = y.as_mutable<T>();
    std::fill_n(to, y.element_count(), T(0.0f));
    for (int64_t i = 0; is_same && i < count; ++i) to[indices[i]] = from[i];
    for (int64_t i = 0; !is_same && i < count; ++i) {
      int64_t rest = indices[i], at = 0;
      for (size_t d = dims.size(); d-- > 0; rest /= dims[d]) at += rest % dims[d] * strides[d];
      to[at] = from[i];
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable max_unpool_kernels() {
  static constexpr KernelRow rows[] = {
      {"MaxUnpool", "", 9, kLatestOpset, UnpoolTypes::kMask, "max_unpool", 1, kNoFlags, 4,
       prepare_unpool, bind_unpool, run_unpool},
  };
  return rows;
}

}  // namespace ortc::cpu
