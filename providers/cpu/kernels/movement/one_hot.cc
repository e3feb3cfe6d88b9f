// SPDX-License-Identifier: MIT
// OneHot: y[o, d, i] = values[d == indices[o, i] ? 1 : 0]. Negative indices count from the back;
// an index outside [-depth, depth) gives a column of off values.
#include <algorithm>
#include <cstring>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/convert.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

// --- Prepare.

struct OneHotParams {
  uint32_t record_bytes;
  uint32_t reserved;
  int64_t axis;
};
static_assert(sizeof(OneHotParams) == 16);

Status prepare_one_hot(PrepareContext& ctx) {
  ctx.set_params(OneHotParams{sizeof(OneHotParams), 0, ctx.node().int_attribute("axis", -1)});
  return Status::ok();
}

// --- Bind.

Status bind_one_hot(BindContext& ctx) {
  const auto* params = ctx.params<OneHotParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 3, 3));
  RETURN_IF_ERROR(check_type(ctx, 0, NumberTypes::kMask));
  RETURN_IF_ERROR(check_type(ctx, 1, NumberTypes::kMask));
  RETURN_IF_ERROR(check_type(ctx, 2, kByteTypes));
  const ValueRef& indices = ctx.input(0);
  const ValueRef& depth = ctx.input(1);
  if (depth.element_count() != 1 || ctx.input(2).element_count() != 2) {
    return invalid_argument("depth is not a scalar, or values are not two");
  }
  if (depth.data == nullptr) return not_implemented("the depth is needed before the run");
  if (indices.rank == kMaxRank) return not_implemented("a result of rank above ", kMaxRank);
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(params->axis, indices.rank + 1));
  int64_t size = 0;
  convert_row(depth.dtype, DType::kInt64)(depth.data, &size, 1);
  if (size < 0) return invalid_argument("depth is ", size);
  DimList dims;
  for (size_t d = 0; d <= indices.rank; ++d) {
    dims.push_back(d == axis ? size : indices.dim(d < axis ? d : d - 1));
  }
  return ctx.set_output(0, ctx.input(2).dtype, dims);
}

// --- Run.

constexpr int64_t kIndices = 256;  // of a piece that has room on the stack

struct Depth {
  int64_t least, depth, inner;
};

template <typename T>
void set_ones(const int64_t* given, int64_t n, const Depth& depth, T one, T* y) {
  for (int64_t i = 0; i < n; ++i) {
    const int64_t index = given[i];
    if (index < depth.least || index >= depth.depth) continue;
    y[(index < 0 ? index + depth.depth : index) * depth.inner + i] = one;
  }
}

Status run_one_hot(RunContext& ctx) {
  const ValueRef& indices = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  const int64_t given = ctx.params<OneHotParams>().axis;
  const auto axis = static_cast<size_t>(given < 0 ? given + y.rank : given);
  const int64_t depth = y.dim(axis);
  const int64_t outer = product(y.dims(), 0, axis);
  const int64_t inner = product(y.dims(), axis + 1, y.rank);
  if (y.element_count() == 0) return Status::ok();
  const ConvertRow to_int64 = convert_row(indices.dtype, DType::kInt64);
  const bool is_unsigned = indices.dtype == DType::kUint64;  // negative: beyond any depth
  const auto index_bytes = static_cast<int64_t>(element_bytes(indices.dtype));
  with_chunk(element_bytes(y.dtype), [&](auto tag) {
    using T = typename decltype(tag)::type;
    T values[2];
    std::memcpy(values, ctx.input(2).data, sizeof values);
    const int64_t grain = std::max<int64_t>(1, kElementGrain / (depth * inner));
    ctx.parallel_for(outer, grain, [&](int64_t begin, int64_t end) {
      T* to = y.as_mutable<T>();
      std::fill(to + begin * depth * inner, to + end * depth * inner, values[0]);
      for (; begin < end; ++begin) {
        for (int64_t at = 0; at < inner; at += kIndices) {
          const int64_t n = std::min(kIndices, inner - at), first = begin * inner + at;
          int64_t given[kIndices];
          to_int64(indices.as<std::byte>() + first * index_bytes, given, n);
          set_ones(given, n, {is_unsigned ? 0 : -depth, depth, inner}, values[1],
                   to + begin * depth * inner + at);
        }
      }
    });
  });
  return Status::ok();
}

}  // namespace

KernelTable one_hot_kernels() {
  static constexpr KernelRow rows[] = {
      {"OneHot", "", 9, kLatestOpset, kByteTypes, "one_hot", 1, kNoFlags, 2, prepare_one_hot,
       bind_one_hot, run_one_hot, 2},
      {"OneHot", "", 9, kLatestOpset, kStrings, "one_hot.string", 1, kNoFlags, 2, prepare_one_hot,
       bind_strings<bind_one_hot, 4>, run_strings<run_one_hot>, 2},
  };
  return rows;
}

}  // namespace ortc::cpu
