// SPDX-License-Identifier: MIT
// TensorScatter: a copy of a cache in which each batch entry's update stands from its own index on
// along one axis; circular: places behind the end continue at the start.
#include <algorithm>
#include <cstring>

#include "core/graph/one_of.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/packed_moves.h"
#include "providers/cpu/bind/rows/copy_rows.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

struct CacheParams {
  uint32_t record_bytes;
  uint32_t circular;
  int64_t axis;
};
static_assert(sizeof(CacheParams) == 16);

Status prepare_cache(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(const uint32_t is_circular,
                   one_of(ctx.node(), "mode", "linear", {"linear", "circular"}));
  ctx.set_params(
      CacheParams{sizeof(CacheParams), is_circular, ctx.node().int_attribute("axis", -2)});
  return Status::ok();
}

Status bind_cache(BindContext& ctx) {
  const auto* params = ctx.params<CacheParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 3));
  RETURN_IF_ERROR(check_type(ctx, 0, kByteTypes));
  RETURN_IF_ERROR(check_same_type(ctx, 1, 0));
  RETURN_IF_ERROR(check_type(ctx, 2, mask_of(DType::kInt64)));
  const ValueRef& cache = ctx.input(0);
  const ValueRef& update = ctx.input(1);
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(params->axis, cache.rank));
  if (axis == 0) return invalid_argument("axis 0 is that of the batch");
  bool fits = update.rank == cache.rank;
  for (size_t d = 0; fits && d < cache.rank; ++d) {
    fits = d == axis ? update.dim(d) <= cache.dim(d) : update.dim(d) == cache.dim(d);
  }
  if (fits && ctx.has_input(2)) {
    fits = ctx.input(2).rank == 1 && ctx.input(2).dim(0) == cache.dim(0);
  }
  if (!fits) {
    return invalid_argument("a cache of shape ", dims_to_string(cache.dims()), " and an update of ",
                            dims_to_string(update.dims()), " do not fit");
  }
  return ctx.set_output(0, cache.dtype, cache.dims());
}

Status run_cache(RunContext& ctx) {
  const auto& params = ctx.params<CacheParams>();
  const ValueRef& cache = ctx.input(0);
  const ValueRef& update = ctx.input(1);
  const auto axis =
      static_cast<size_t>(params.axis < 0 ? params.axis + int64_t{cache.rank} : params.axis);
  const int64_t size = cache.dim(axis), count = update.dim(axis);
  const auto* first = ctx.has_input(2) ? ctx.input(2).as<int64_t>() : nullptr;
  for (int64_t b = 0; first != nullptr && b < cache.dim(0); ++b) {
    const int64_t last = params.circular != 0 ? size : size - count + 1;
    if (first[b] < 0 || (count > 0 && first[b] >= last)) {
      return invalid_argument("an update of ", count, " at ", first[b], " in a cache of ", size);
    }
  }
  if (cache.element_count() == 0) return Status::ok();
  const auto bytes = static_cast<int64_t>(element_bytes(cache.dtype));
  const int64_t inner = product(cache.dims(), axis + 1, cache.rank) * bytes;
  const int64_t outer = product(cache.dims(), 1, axis);
  const int64_t total = cache.element_count() * bytes;
  auto* y = ctx.output(0).as_mutable<std::byte>();
  copy_rows(ctx, {cache.as<std::byte>(), total, y, total, total, 1});
  for (int64_t row = 0; row < cache.dim(0) * outer; ++row) {
    const int64_t start = first != nullptr ? first[row / outer] : 0;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = (start + i) % size;
      std::memcpy(y + (row * size + at) * inner, update.as<std::byte>() + (row * count + i) * inner,
                  static_cast<size_t>(inner));
    }
  }
  return Status::ok();
}

}  // namespace

KernelTable tensor_scatter_kernels() {
  static constexpr KernelRow rows[] = {
      {"TensorScatter", "", 24, kLatestOpset, kByteTypes, "tensor_scatter", 1, kNoFlags, 0,
       prepare_cache, bind_cache, run_cache},
      {"TensorScatter", "", 24, kLatestOpset, kStrings, "tensor_scatter.string", 1, kNoFlags, 0,
       prepare_cache, bind_strings<bind_cache, 3>, run_strings<run_cache>},
      {"TensorScatter", "", 24, kLatestOpset, kPackedTypes, "tensor_scatter.packed", 1, kNoFlags, 0,
       prepare_cache, bind_packed<bind_cache>, run_packed<run_cache>},
  };
  return rows;
}

}  // namespace ortc::cpu
