// SPDX-License-Identifier: MIT
// RotaryEmbedding: pairs of a head's first numbers are turned by angles that depend on the place.
//
// Caches are [places, half], read at position_ids, or [batch, sequence, half]. rotate.h has the
// arithmetic.
#include <algorithm>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/kernels/attention/rotate.h"

namespace ortc::cpu {
namespace {

using RotaryTypes = TypeList<float, double>;

struct RotaryParams {
  uint32_t record_bytes;
  uint32_t interleaved;
  int64_t heads;
  int64_t rotated;  // numbers of a head that are turned; 0: all
};
static_assert(sizeof(RotaryParams) == 24);

Status prepare_rotary(PrepareContext& ctx) {
  const Node& node = ctx.node();
  ctx.set_params(RotaryParams{
      sizeof(RotaryParams), node.int_attribute("interleaved", 0) != 0 ? 1u : 0u,
      node.int_attribute("num_heads", 0), node.int_attribute("rotary_embedding_dim", 0)});
  return Status::ok();
}

struct RotaryShape {
  int64_t batch, heads, sequence, size, half;
  bool is_packed;  // [batch, sequence, heads * size]
};

template <typename Context>
Result<RotaryShape> rotary_shape(const Context& ctx, const RotaryParams& params) {
  const ValueRef& x = ctx.input(0);
  RotaryShape s{};
  if (x.rank == 4) {
    s = {x.dim(0), x.dim(1), x.dim(2), x.dim(3), 0, false};
  } else if (x.rank == 3 && params.heads > 0 && x.dim(2) % params.heads == 0) {
    s = {x.dim(0), params.heads, x.dim(1), x.dim(2) / params.heads, 0, true};
  } else {
    return invalid_argument("an input of shape ", dims_to_string(x.dims()), " with ", params.heads,
                            " heads");
  }
  const int64_t rotated = params.rotated == 0 ? s.size : params.rotated;
  if (rotated < 0 || rotated > s.size || rotated % 2 != 0) {
    return invalid_argument(rotated, " of ", s.size, " numbers cannot be turned in pairs");
  }
  s.half = rotated / 2;
  const ValueRef& cos = ctx.input(1);
  const bool by_id = ctx.has_input(3);
  bool fits = std::ranges::equal(cos.dims(), ctx.input(2).dims());
  if (by_id) {
    const ValueRef& ids = ctx.input(3);
    if (ids.rank != 2 || ids.dim(0) != s.batch || ids.dim(1) != s.sequence) {
      return invalid_argument("position_ids of shape ", dims_to_string(ids.dims()),
                              " do not fit the input of ", dims_to_string(x.dims()));
    }
    fits = fits && cos.rank == 2 && cos.dim(1) == s.half;
  } else {
    fits = fits && cos.rank == 3 && cos.dim(0) == s.batch && cos.dim(1) == s.sequence &&
           cos.dim(2) == s.half;
  }
  if (!fits) {
    return invalid_argument("caches of shape ", dims_to_string(cos.dims()),
                            " do not fit the input of ", dims_to_string(x.dims()));
  }
  return s;
}

Status bind_rotary(BindContext& ctx) {
  const auto* params = ctx.params<RotaryParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 3, 4));
  RETURN_IF_ERROR(check_type(ctx, 0, RotaryTypes::kMask));
  RETURN_IF_ERROR(check_same_type(ctx, 1, 0));
  RETURN_IF_ERROR(check_same_type(ctx, 2, 0));
  RETURN_IF_ERROR(check_type(ctx, 3, mask_of(DType::kInt64)));
  RETURN_IF_ERROR(rotary_shape(ctx, *params).status());
  return ctx.set_output(0, ctx.input(0).dtype, ctx.input(0).dims());
}

Status run_rotary(RunContext& ctx) {
  const auto& params = ctx.params<RotaryParams>();
  ASSIGN_OR_RETURN(const RotaryShape s, rotary_shape(ctx, params));
  const ValueRef& cos = ctx.input(1);
  const auto* ids = ctx.has_input(3) ? ctx.input(3).as<int64_t>() : nullptr;
  for (int64_t i = 0; ids != nullptr && i < s.batch * s.sequence; ++i) {
    if (ids[i] < 0 || ids[i] >= cos.dim(0)) {
      return invalid_argument("position ", ids[i], " of ", cos.dim(0));
    }
  }
  if (ctx.output(0).element_count() == 0) return Status::ok();
  with_type(RotaryTypes{}, ctx.input(0).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int64_t grain = std::max<int64_t>(1, kElementGrain / std::max<int64_t>(1, s.size));
    const int64_t in_entry = s.heads * s.sequence;
    ctx.parallel_for(s.batch * in_entry, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t b = i / in_entry, in_text = i - b * in_entry;
        const int64_t t = s.is_packed ? in_text / s.heads : in_text % s.sequence;
        const int64_t place = ids != nullptr ? ids[b * s.sequence + t] : b * s.sequence + t;
        rotate(ctx.input(0).as<T>() + i * s.size, cos.as<T>() + place * s.half,
               ctx.input(2).as<T>() + place * s.half,
               Rotation{s.size, s.half, params.interleaved != 0},
               ctx.output(0).as_mutable<T>() + i * s.size);
      }
    });
  });
  return Status::ok();
}

}  // namespace

KernelTable rotary_embedding_kernels() {
  static constexpr KernelRow kRotaryEmbeddingRow(
      "RotaryEmbedding", "", 23, kLatestOpset, RotaryTypes::kMask, "rotary_embedding", 1, kNoFlags,
      0, prepare_rotary, bind_rotary, run_rotary);
  static constexpr KernelRow rows[] = {
      kRotaryEmbeddingRow,
      reduced_row<kRotaryEmbeddingRow>("RotaryEmbedding.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
