// SPDX-License-Identifier: MIT
// DepthToSpace and SpaceToDepth: blocks of pixels become channels and back.
//
//   DCR  y[n, c, h b + i, w b + j] = x[n, (i b + j) C + c, h, w]
//   CRD  y[n, c, h b + i, w b + j] = x[n, (c b + i) b + j, h, w]
//   SpaceToDepth is DCR the other way.
#include <algorithm>

#include "core/graph/one_of.h"
#include "providers/cpu/arith/turn/turn.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/kernels/movement/pairs.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

struct BlockParams {
  uint32_t record_bytes;
  uint32_t by_column;  // CRD
  int64_t block;
};
static_assert(sizeof(BlockParams) == 16);

// --- Prepare.

Status prepare_blocks(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(const uint32_t by_column, one_of(ctx.node(), "mode", "DCR", {"DCR", "CRD"}));
  const int64_t block = ctx.node().int_attribute("blocksize", 0);
  if (block < 1 || block > INT32_MAX) {
    return invalid_graph("attribute 'blocksize' is ", block, ", expected 1 or more");
  }
  ctx.set_params(BlockParams{sizeof(BlockParams), by_column, block});
  return Status::ok();
}

// --- Bind.

Status check_blocks(BindContext& ctx) {
  const auto* params = ctx.params<BlockParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kByteTypes));
  if (params->block < 1 || params->block > INT32_MAX) {
    return invalid_graph("its params record has blocks of ", params->block);
  }
  if (ctx.input(0).rank != 4) {
    return invalid_argument("the input has rank ", ctx.input(0).rank, ", expected 4");
  }
  return Status::ok();
}

Status bind_depth_to_space(BindContext& ctx) {
  RETURN_IF_ERROR(check_blocks(ctx));
  const int64_t b = ctx.params<BlockParams>()->block;
  const ValueRef& x = ctx.input(0);
  const auto height = checked_mul(x.dim(2), b), width = checked_mul(x.dim(3), b);
  if (!height || !width || x.dim(1) % (b * b) != 0) {
    return invalid_argument(x.dim(1), " channels cannot become blocks of ", b, " by ", b);
  }
  return ctx.set_output(0, x.dtype, {x.dim(0), x.dim(1) / (b * b), *height, *width});
}

Status bind_space_to_depth(BindContext& ctx) {
  RETURN_IF_ERROR(check_blocks(ctx));
  const int64_t b = ctx.params<BlockParams>()->block;
  const ValueRef& x = ctx.input(0);
  const auto channels = checked_mul(x.dim(1), b * b);
  if (!channels || x.dim(2) % b != 0 || x.dim(3) % b != 0) {
    return invalid_argument("an image of ", x.dim(2), " by ", x.dim(3),
                            " cannot be cut into blocks of ", b);
  }
  return ctx.set_output(0, x.dtype, {x.dim(0), *channels, x.dim(2) / b, x.dim(3) / b});
}

// --- Run.

// f(deep, apart, wide): a row of the image is `block` rows of the tensor of many channels, which
// begin at `deep` and lie `apart`; their elements take turns from `wide` on.
template <typename F>
void for_each_row_of_blocks(const RunContext& ctx, const ValueRef& deep, int64_t channels, F&& f) {
  const auto& params = ctx.params<BlockParams>();
  const int64_t b = params.block, height = deep.dim(2), width = deep.dim(3);
  const int64_t plane = height * width;
  const int64_t apart = params.by_column != 0 ? plane : channels * plane;
  const int64_t grain = std::max<int64_t>(1, kElementGrain / (width * b));
  ctx.parallel_for(deep.dim(0) * channels * height * b, grain, [&](int64_t begin, int64_t end) {
    int64_t i = begin % b, h = begin / b % height;
    int64_t c = begin / (b * height) % channels, n = begin / (b * height * channels);
    for (int64_t row = begin; row < end; ++row) {
      const int64_t depth = params.by_column != 0 ? (c * b + i) * b : i * b * channels + c;
      f((n * deep.dim(1) + depth) * plane + h * width, apart, row * width * b);
      if (++i < b) continue;
      i = 0;
      if (++h < height) continue;
      h = 0;
      if (++c < channels) continue;
      c = 0;
      ++n;
    }
  });
}

// to[j * to_ld + i] = from[i * from_ld + j], of so few that a call costs more than they do.
constexpr int64_t kFew = 48;
template <typename T>
void turn_few(const T* from, int64_t from_ld, T* to, int64_t to_ld, int64_t rows, int64_t columns) {
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t i = 0; i < rows; ++i) to[j * to_ld + i] = from[i * from_ld + j];
  }
}

template <bool kToSpace>
Status run_blocks(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  if (x.element_count() == 0) return Status::ok();
  const ValueRef& deep = kToSpace ? x : y;
  const int64_t b = ctx.params<BlockParams>().block, width = deep.dim(3);
  const TurnKernels::Turn turn = turn_of(ctx.isa(), element_bytes(x.dtype));
  const auto b_ld = static_cast<size_t>(b), columns = static_cast<size_t>(width);
  with_chunk(element_bytes(x.dtype), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = x.as<T>();
    T* to = y.as_mutable<T>();
    const int64_t channels = kToSpace ? y.dim(1) : x.dim(1);
    for_each_row_of_blocks(ctx, deep, channels, [=](int64_t at, int64_t apart, int64_t wide) {
      if constexpr (kToSpace) {
        if (b == 2) return join_pairs(from + at, from + at + apart, to + wide, width);
        if (b * width <= kFew) return turn_few(from + at, apart, to + wide, b, b, width);
        turn(from + at, static_cast<size_t>(apart), to + wide, b_ld, b_ld, columns);
      } else {
        if (b == 2) return split_pairs(from + wide, to + at, to + at + apart, width);
        if (b * width <= kFew) return turn_few(from + wide, b, to + at, apart, width, b);
        turn(from + wide, b_ld, to + at, static_cast<size_t>(apart), columns, b_ld);
      }
    });
  });
  return Status::ok();
}

}  // namespace

KernelTable space_depth_kernels() {
  static constexpr KernelRow rows[] = {
      {"DepthToSpace", "", 1, kLatestOpset, kByteTypes, "depth_to_space", 1, kNoFlags, 0,
       prepare_blocks, bind_depth_to_space, run_blocks<true>},
      {"SpaceToDepth", "", 1, kLatestOpset, kByteTypes, "space_to_depth", 1, kNoFlags, 0,
       prepare_blocks, bind_space_to_depth, run_blocks<false>},
      {"DepthToSpace", "", 1, kLatestOpset, kStrings, "depth_to_space.string", 1, kNoFlags, 0,
       prepare_blocks, bind_strings<bind_depth_to_space, 1>, run_strings<run_blocks<true>>},
      {"SpaceToDepth", "", 1, kLatestOpset, kStrings, "space_to_depth.string", 1, kNoFlags, 0,
       prepare_blocks, bind_strings<bind_space_to_depth, 1>, run_strings<run_blocks<false>>},
  };
  return rows;
}

}  // namespace ortc::cpu
