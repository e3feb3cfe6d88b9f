// SPDX-License-Identifier: MIT
// Expand and Tile, by element size: reads that repeat. Tile sees each dimension as two, the
// repetition with stride 0 outside the dimension itself.
#include <algorithm>

#include "providers/cpu/bind/broadcast.h"
#include "providers/cpu/bind/packed_moves.h"
#include "providers/cpu/bind/rows/copy_rows.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/convert.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

// --- Bind.

Status bind_expand(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, kByteTypes));
  DimList dims;
  RETURN_IF_ERROR(read_ints(ctx.input(1), "the shape", &dims));
  for (const int64_t dim : dims) {
    if (dim < 0) return invalid_argument("the shape ", dims_to_string(dims), " is negative");
  }
  RETURN_IF_ERROR(broadcast_into(&dims, ctx.input(0).dims()));
  return ctx.set_output(0, ctx.input(0).dtype, dims);
}

Status bind_tile(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, kByteTypes));
  const ValueRef& x = ctx.input(0);
  DimList dims;
  RETURN_IF_ERROR(read_ints(ctx.input(1), "repeats", &dims));
  if (dims.size() != x.rank) {
    return invalid_argument("there are ", dims.size(), " repeats for a tensor of rank ", x.rank);
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    const auto product = dims[i] >= 0 ? checked_mul(dims[i], x.dim(i)) : std::nullopt;
    if (!product) return invalid_argument("dimension ", i, " cannot repeat ", dims[i], " times");
    dims[i] = *product;
  }
  return ctx.set_output(0, x.dtype, dims);
}

// The first version repeats along one axis; both numbers have the type of the data.
Result<int64_t> whole_number(const ValueRef& tensor, std::string_view what) {
  if (tensor.element_count() != 1) return invalid_argument(what, " is not one number");
  if (tensor.data == nullptr) return not_implemented(what, " is needed before the run");
  int64_t number = 0;
  convert_row(tensor.dtype, DType::kInt64)(tensor.data, &number, 1);
  return number;
}

Status bind_first_tile(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, 3, 3));
  for (size_t i = 0; i < 3; ++i) {
    RETURN_IF_ERROR(check_type(ctx, i, FloatTypes::kMask | mask_of(DType::kInt64)));
  }
  const ValueRef& x = ctx.input(0);
  ASSIGN_OR_RETURN(const int64_t tiles, whole_number(ctx.input(1), "the number of tiles"));
  ASSIGN_OR_RETURN(const int64_t given, whole_number(ctx.input(2), "the axis"));
  ASSIGN_OR_RETURN(const size_t axis, checked_axis(given, x.rank));
  DimList dims(x.dims());
  const auto size = tiles >= 0 ? checked_mul(tiles, dims[axis]) : std::nullopt;
  if (!size) return invalid_argument("axis ", axis, " cannot repeat ", tiles, " times");
  dims[axis] = *size;
  return ctx.set_output(0, x.dtype, dims);
}

// --- Run.

Status run_expand(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  copy_strided(ctx, broadcast_loop<1>(y.dims(), {x.dims()}), element_bytes(x.dtype), x.data,
               y.data);
  return Status::ok();
}

// The innermost rows and how often each stands behind itself, as one axis: the loop's offsets are
// where the rows begin. The size of such a row; 0 where rows do not repeat.
template <size_t kCapacity>
int64_t join_repetitions(NdLoop<1, kCapacity>* loop) {
  const size_t inner = loop->rank - 1;
  if (inner == 0 || loop->inner_stride(0) != 1 || loop->strides[0][inner - 1] != 0) return 0;
  const int64_t size = loop->inner_size();
  loop->dims[inner - 1] *= size;
  --loop->rank;
  return size;
}

Status run_tile(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  if (y.element_count() == 0) return Status::ok();
  const DimList strides = row_major_strides(x.dims());
  NdLoop<1, 2 * kMaxRank> loop;
  for (size_t i = 0; i < x.rank; ++i) {
    loop.append(y.dim(i) / x.dim(i), {0});
    loop.append(x.dim(i), {strides[i]});
  }
  loop.finish();
  const int64_t period = join_repetitions(&loop);
  with_chunk(element_bytes(x.dtype), [&](auto tag) {
    using T = typename decltype(tag)::type;
    parallel_rows(ctx, loop, 1, [&](int64_t at, const auto& offsets, int64_t n) {
      const T* from = x.as<T>() + offsets[0];
      T* to = y.as_mutable<T>() + at;
      if (period > 0) return repeat_row(from, period, at % period, to, n);
      copy_row(from, loop.inner_stride(0), to, n);
    });
  });
  return Status::ok();
}

}  // namespace

KernelTable expand_tile_kernels() {
  static constexpr KernelRow rows[] = {
      {"Expand", "", 8, kLatestOpset, kByteTypes, "expand", 1, kShapeArithmetic, 2, prepare_nothing,
       bind_expand, run_expand},
      {"Tile", "", 6, kLatestOpset, kByteTypes, "tile", 1, kShapeArithmetic, 2, prepare_nothing,
       bind_tile, run_tile},
      {"Tile", "", 1, 5, FloatTypes::kMask, "tile.first", 1, kNoFlags, 6, prepare_nothing,
       bind_first_tile, run_tile},
      {"Expand", "", 8, kLatestOpset, kStrings, "expand.string", 1, kNoFlags, 2, prepare_nothing,
       bind_strings<bind_expand, 1>, run_strings<run_expand>},
      {"Tile", "", 6, kLatestOpset, kStrings, "tile.string", 1, kNoFlags, 2, prepare_nothing,
       bind_strings<bind_tile, 1>, run_strings<run_tile>},
      {"Expand", "", 8, kLatestOpset, kPackedTypes, "expand.packed", 1, kNoFlags, 2,
       prepare_nothing, bind_packed<bind_expand>, run_packed<run_expand>},
      {"Tile", "", 6, kLatestOpset, kPackedTypes, "tile.packed", 1, kNoFlags, 2, prepare_nothing,
       bind_packed<bind_tile>, run_packed<run_tile>},
  };
  return rows;
}

}  // namespace ortc::cpu
