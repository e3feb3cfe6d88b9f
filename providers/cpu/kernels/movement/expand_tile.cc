// SPDX-License-Identifier: MIT
// Expand and Tile, by element size: reads that repeat.
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

// What stands at `from`, `bytes` long, `count` times at `to`.
void repeat_bytes(const std::byte* from, int64_t bytes, int64_t count, std::byte* to) {
  const bool is_chunk = with_chunk(static_cast<size_t>(bytes), [&](auto tag) {
    using T = typename decltype(tag)::type;
    fill_row(reinterpret_cast<T*>(to), *reinterpret_cast<const T*>(from), count);
  });
  if (is_chunk) return;
  using Word = Chunk<4>;
  constexpr int64_t kWord = sizeof(Word), kFewWords = 16;  // are worth no call
  const int64_t words = bytes / kWord, all = words * count;
  if (bytes % kWord != 0 || all > kFewWords) return repeat_row(from, bytes, 0, to, bytes * count);
  const auto* x = reinterpret_cast<const Word*>(from);
  auto* y = reinterpret_cast<Word*>(to);
  for (int64_t i = 0; i < words; ++i) y[i] = x[i];
  for (int64_t i = words; i < all; ++i) y[i] = y[i - words];
}

// A tensor whose dimensions up to an axis are walked as those of x, in bytes of y: the loop's
// elements are what stands below that axis.
NdLoop<1> blocks_of(const ValueRef& x, const ValueRef& y, size_t axis, int64_t bytes) {
  NdLoop<1> loop;
  int64_t pitch = bytes;
  DimList pitches(y.dims());
  for (size_t i = y.rank; i-- > 0; pitch *= y.dim(i)) pitches[i] = pitch;
  for (size_t i = 0; i < axis; ++i) loop.append(x.dim(i), {pitches[i]});
  loop.finish();
  return loop;
}

// f(number, its place in y) for blocks [begin, end) of a loop.
template <typename F>
void for_blocks(const NdLoop<1>& loop, int64_t begin, int64_t end, F&& f) {
  for_each_row(loop, begin, end, [&](int64_t at, const auto& offsets, int64_t n) {
    for (int64_t i = 0; i < n; ++i) f(at + i, offsets[0] + i * loop.inner_stride(0));
  });
}

constexpr int64_t kTilePiece = 1 << 17;  // bytes that a thread copies at least

// The blocks of an axis, where each stands once, behind themselves.
void repeat_blocks(const RunContext& ctx, const NdLoop<1>& loop, int64_t bytes, int64_t more,
                   std::byte* y) {
  if (more == 0) return;
  if (bytes * more < kTilePiece) {
    const int64_t grain = std::max<int64_t>(1, kTilePiece / (bytes * more));
    return ctx.parallel_for(loop.count, grain, [&](int64_t begin, int64_t end) {
      for_blocks(loop, begin, end,
                 [&](int64_t, int64_t at) { repeat_bytes(y + at, bytes, more, y + at + bytes); });
    });
  }
  for_blocks(loop, 0, loop.count, [&](int64_t, int64_t at) {
    ctx.parallel_for(bytes * more, kTilePiece, [&](int64_t begin, int64_t end) {
      repeat_row(y + at, bytes, begin % bytes, y + at + bytes + begin, end - begin);
    });
  });
}

// First the rows below the last axis that repeats, as often as they do; then, from the inside out,
// what stands in y already. x has the rank of y.
void repeat_tensor(const RunContext& ctx, const ValueRef& x, const ValueRef& y) {
  if (y.element_count() == 0) return;
  const auto element = static_cast<int64_t>(element_bytes(x.dtype));
  const auto repeats = [&](size_t axis) { return y.dim(axis) / x.dim(axis); };
  const auto* from = x.as<std::byte>();
  auto* to = y.as_mutable<std::byte>();
  size_t axis = x.rank;
  int64_t bytes = element, times = 1;  // of x, below the axis
  while (axis > 0 && times == 1 && bytes < kTilePiece) {
    times = repeats(--axis);
    bytes *= x.dim(axis);
  }
  const int64_t more = bytes * times < kTilePiece ? 0 : times - 1;  // by all threads
  times -= more;
  const NdLoop<1> rows = blocks_of(x, y, axis, element);
  const int64_t grain = std::max<int64_t>(1, kTilePiece / (bytes * times));
  ctx.parallel_for(rows.count, grain, [&](int64_t begin, int64_t end) {
    for_blocks(rows, begin, end, [&](int64_t i, int64_t at) {
      repeat_bytes(from + i * bytes, bytes, times, to + at);
    });
  });
  repeat_blocks(ctx, rows, bytes, more, to);
  bytes *= times + more;
  while (axis-- > 0) {
    bytes *= x.dim(axis);
    repeat_blocks(ctx, blocks_of(x, y, axis, element), bytes, repeats(axis) - 1, to);
    bytes *= repeats(axis);
  }
}

Status run_tile(RunContext& ctx) {
  repeat_tensor(ctx, ctx.input(0), ctx.output(0));
  return Status::ok();
}

Status run_expand(RunContext& ctx) {
  ValueRef x = ctx.input(0);
  DimList dims;
  for (size_t i = x.rank; i < ctx.output(0).rank; ++i) dims.push_back(1);
  for (const int64_t dim : x.dims()) dims.push_back(dim);
  x.dim_data = dims.data();
  x.rank = static_cast<uint32_t>(dims.size());
  repeat_tensor(ctx, x, ctx.output(0));
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
