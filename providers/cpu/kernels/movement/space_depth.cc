// SPDX-License-Identifier: MIT
// DepthToSpace and SpaceToDepth: blocks of pixels become channels and back.
//
//   DCR  y[n, c, h b + i, w b + j] = x[n, (i b + j) C + c, h, w]
//   CRD  y[n, c, h b + i, w b + j] = x[n, (c b + i) b + j, h, w]
//   SpaceToDepth is DCR the other way.
#include <algorithm>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"

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
  const std::string_view mode = ctx.node().string_attribute("mode", "DCR");
  const int64_t block = ctx.node().int_attribute("blocksize", 0);
  if (mode != "DCR" && mode != "CRD") return invalid_graph("attribute 'mode' is '", mode, "'");
  if (block < 1 || block > INT32_MAX) return invalid_graph("attribute 'blocksize' is ", block);
  ctx.set_params(BlockParams{sizeof(BlockParams), mode == "CRD" ? 1u : 0u, block});
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

// f(small, large): offsets of every element in the tensor of many channels and in the other one.
// kBlock is the size of a block where the compiler shall know it, else 0.
template <int64_t kBlock, typename F>
void for_each_block(const RunContext& ctx, const ValueRef& deep, int64_t channels, F&& f) {
  const auto& params = ctx.params<BlockParams>();
  const int64_t b = kBlock != 0 ? kBlock : params.block, height = deep.dim(2), width = deep.dim(3);
  const int64_t grain = std::max<int64_t>(1, kElementGrain / std::max<int64_t>(1, height * width));
  ctx.parallel_for(deep.dim(0) * deep.dim(1), grain, [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const int64_t n = plane / deep.dim(1), depth = plane % deep.dim(1);
      const bool by_column = params.by_column != 0;
      const int64_t c = by_column ? depth / (b * b) : depth % channels;
      const int64_t in_block = by_column ? depth % (b * b) : depth / channels;
      const int64_t i = in_block / b, j = in_block % b;
      for (int64_t h = 0; h < height; ++h) {
        const int64_t row = ((n * channels + c) * height * b + h * b + i) * width * b + j;
        for (int64_t w = 0; w < width; ++w) f((plane * height + h) * width + w, row + w * b);
      }
    }
  });
}

template <bool kToSpace, int64_t kBlock>
void move_blocks(const RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  with_chunk(element_bytes(x.dtype), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* __restrict from = x.as<T>();
    T* __restrict to = y.as_mutable<T>();
    if constexpr (kToSpace) {
      for_each_block<kBlock>(ctx, x, y.dim(1),
                             [=](int64_t deep, int64_t wide) { to[wide] = from[deep]; });
    } else {
      for_each_block<kBlock>(ctx, y, x.dim(1),
                             [=](int64_t deep, int64_t wide) { to[deep] = from[wide]; });
    }
  });
}

template <bool kToSpace>
Status run_blocks(RunContext& ctx) {
  if (ctx.input(0).element_count() == 0) return Status::ok();
  if (ctx.params<BlockParams>().block == 2) {
    move_blocks<kToSpace, 2>(ctx);
  } else {
    move_blocks<kToSpace, 0>(ctx);
  }
  return Status::ok();
}

}  // namespace

KernelTable space_depth_kernels() {
  static constexpr KernelRow rows[] = {
      {"DepthToSpace", "", 1, kLatestOpset, kByteTypes, "depth_to_space", 1, kNoFlags, 0,
       prepare_blocks, bind_depth_to_space, run_blocks<true>},
      {"SpaceToDepth", "", 1, kLatestOpset, kByteTypes, "space_to_depth", 1, kNoFlags, 0,
       prepare_blocks, bind_space_to_depth, run_blocks<false>},
  };
  return rows;
}

}  // namespace ortc::cpu
