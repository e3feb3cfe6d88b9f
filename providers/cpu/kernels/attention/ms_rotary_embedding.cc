// SPDX-License-Identifier: MIT
// RotaryEmbedding of com.microsoft: heads turned by the angles of their places. rotate.h has the
// arithmetic.
//
// The input is [batch, sequence, heads * size] or [batch, heads, sequence, size], caches are
// [places, half]; position_ids are [batch, sequence], or one number from which each sequence counts
// up. Without num_heads a head is what the caches have angles for.
#include <algorithm>

#include "providers/cpu/arith/plain_rows/plain_rows.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/kernels/attention/rotate.h"

namespace ortc::cpu {
namespace {

enum Input : size_t { kX, kPositions, kCos, kSin };

struct RotaryParams {
  uint32_t record_bytes;
  uint32_t interleaved;
  int64_t heads;    // 0: as many as there are
  int64_t rotated;  // numbers of a head that are turned; 0: all
};
static_assert(sizeof(RotaryParams) == 24);

Status prepare_rotary(PrepareContext& ctx) {
  const Node& node = ctx.node();
  if (node.int_attribute("is_packed_batching", 0) != 0) {
    return not_implemented("attribute 'is_packed_batching'");
  }
  if (node.float_attribute("scale", 1.0f) != 1.0f) return not_implemented("attribute 'scale'");
  RotaryParams params{sizeof(RotaryParams), node.int_attribute("interleaved", 0) != 0 ? 1u : 0u,
                      node.int_attribute("num_heads", 0),
                      node.int_attribute("rotary_embedding_dim", 0)};
  if (params.rotated > 0 && params.heads == 0) {
    return invalid_graph("attribute 'rotary_embedding_dim' needs 'num_heads'");
  }
  ctx.set_params(params);
  return Status::ok();
}

struct RotaryShape {
  int64_t batch, heads, sequence;
  Rotation rotation;
  bool is_packed;  // [batch, sequence, heads * size]
};

template <typename Context>
Result<RotaryShape> rotary_shape(const Context& ctx, const RotaryParams& params) {
  const ValueRef &x = ctx.input(kX), &cos = ctx.input(kCos);
  const auto refuse = [](std::string_view name, const ValueRef& found) {
    return invalid_argument(name, " has shape ", dims_to_string(found.dims()),
                            ", which does not fit");
  };
  if (cos.rank != 2) return refuse("cos_cache", cos);
  if (!std::ranges::equal(cos.dims(), ctx.input(kSin).dims())) {
    return refuse("sin_cache", ctx.input(kSin));
  }
  RotaryShape s{};
  s.rotation = {0, cos.dim(1), params.interleaved != 0};
  if (x.rank == 4) {
    s.batch = x.dim(0), s.heads = x.dim(1), s.sequence = x.dim(2), s.rotation.size = x.dim(3);
  } else if (x.rank == 3) {
    s.is_packed = true;
    s.batch = x.dim(0), s.sequence = x.dim(1);
    const int64_t heads =
        params.heads > 0 ? params.heads : x.dim(2) / std::max<int64_t>(1, cos.dim(1) * 2);
    if (heads < 1 || x.dim(2) % heads != 0) return refuse("input", x);
    s.heads = heads, s.rotation.size = x.dim(2) / heads;
  } else {
    return refuse("input", x);
  }
  const int64_t rotated = params.rotated > 0 ? params.rotated : s.rotation.size;
  if (rotated % 2 != 0 || rotated / 2 != cos.dim(1) || rotated > s.rotation.size) {
    return refuse("cos_cache", cos);
  }
  const ValueRef& ids = ctx.input(kPositions);
  const bool is_first = ids.element_count() == 1 && ids.rank <= 1;
  const bool is_each = ids.rank == 2 && ids.dim(0) == s.batch && ids.dim(1) == s.sequence;
  if (!is_first && !is_each) return refuse("position_ids", ids);
  return s;
}

Status bind_rotary(BindContext& ctx) {
  const auto* params = ctx.params<RotaryParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 4, 4));
  for (const size_t i : {kX, kCos, kSin}) {
    RETURN_IF_ERROR(check_type(ctx, i, mask_of(DType::kFloat32)));
  }
  RETURN_IF_ERROR(check_type(ctx, kPositions, mask_of(DType::kInt64)));
  RETURN_IF_ERROR(rotary_shape(ctx, *params).status());
  return ctx.set_output(0, DType::kFloat32, ctx.input(kX).dims());
}

// Where token t of batch entry b stands.
int64_t place_of(const RunContext& ctx, const RotaryShape& s, int64_t b, int64_t t) {
  const ValueRef& ids = ctx.input(kPositions);
  return ids.rank == 2 ? ids.as<int64_t>()[b * s.sequence + t] : ids.as<int64_t>()[0] + t;
}

Status run_rotary(RunContext& ctx) {
  ASSIGN_OR_RETURN(const RotaryShape s, rotary_shape(ctx, ctx.params<RotaryParams>()));
  if (ctx.input(kX).element_count() == 0) return Status::ok();
  const int64_t places = ctx.input(kCos).dim(0), size = s.rotation.size, half = s.rotation.half;
  for (int64_t i = 0; i < s.batch * s.sequence; ++i) {
    const int64_t first = ctx.input(kPositions).as<int64_t>()[0];
    const bool overflows = ctx.input(kPositions).rank != 2 && (first < 0 || first >= places);
    const int64_t place = overflows ? first : place_of(ctx, s, i / s.sequence, i % s.sequence);
    if (place < 0 || place >= places) {
      return invalid_argument("position ", place, " of ", places);
    }
  }
  const auto *x = ctx.input(kX).as<float>(), *cos = ctx.input(kCos).as<float>(),
             *sin = ctx.input(kSin).as<float>();
  auto* y = ctx.output(0).as_mutable<float>();
  const PlainRowsKernels& plain = plain_rows_kernels(ctx.isa());
  const int64_t grain = std::max<int64_t>(1, kElementGrain / size);
  ctx.parallel_for(s.batch * s.heads * s.sequence, grain, [&](int64_t begin, int64_t end) {
    const int64_t inner = s.is_packed ? s.heads : s.sequence;  // of the two
    const int64_t outer = s.heads * s.sequence / inner;
    int64_t b = begin / inner / outer, o = begin / inner % outer, n = begin % inner;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t at = place_of(ctx, s, b, s.is_packed ? o : n) * half;
      const float* head = x + i * size;
      float* turned = y + i * size;
      if (++n == inner) {
        n = 0;
        if (++o == outer) o = 0, ++b;
      }
      if (s.rotation.interleaved) {
        plain.rotate_pairs(head, cos + at, sin + at, turned, static_cast<size_t>(half));
      } else {
        plain.rotate(head, head + half, cos + at, sin + at, turned, turned + half,
                     static_cast<size_t>(half));
      }
      if (head != turned) std::copy(head + 2 * half, head + size, turned + 2 * half);
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable ms_rotary_embedding_kernels() {
  static constexpr KernelRow kRotaryRow("RotaryEmbedding", "com.microsoft", 1, kLatestOpset,
                                        mask_of(DType::kFloat32), "ms_rotary_embedding.f32", 1,
                                        kNoFlags, 0, prepare_rotary, bind_rotary, run_rotary);
  static constexpr KernelRow rows[] = {
      kRotaryRow,
      reduced_row<kRotaryRow>("com.microsoft.RotaryEmbedding.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
