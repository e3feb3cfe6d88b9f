// SPDX-License-Identifier: MIT
// RelativePositionBias (com.microsoft): for each pair of places the bias of the bucket of their
// distance, as T5 has it: one bucket for each small distance, then wider ones up to max_distance.
//
// The table is said to be [buckets, heads], but head after head lies in it.
#include <algorithm>
#include <cmath>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/microsoft_kernels.h"

namespace ortc::cpu {
namespace {

constexpr TypeMask kF32 = mask_of(DType::kFloat32);

struct BiasParams {
  uint32_t record_bytes;
  uint32_t is_bidirectional;
  int64_t max_distance;
};
static_assert(sizeof(BiasParams) == 16);

Status prepare_bias(PrepareContext& ctx) {
  const BiasParams params{sizeof(BiasParams),
                          ctx.node().int_attribute("is_bidirectional", 0) != 0 ? 1u : 0u,
                          ctx.node().int_attribute("max_distance", 0)};
  if (params.max_distance < 1) {
    return invalid_graph("attribute 'max_distance' is ", params.max_distance,
                         ", expected 1 or more");
  }
  ctx.set_params(params);
  return Status::ok();
}

Status bind_bias(BindContext& ctx) {
  if (ctx.params<BiasParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 3, 3));
  RETURN_IF_ERROR(check_type(ctx, 0, kF32));
  for (size_t i = 1; i < 3; ++i) RETURN_IF_ERROR(check_type(ctx, i, mask_of(DType::kInt64)));
  if (ctx.input(0).rank != 2 || ctx.input(0).dim(0) < 4) {
    return invalid_argument("the table has shape ", dims_to_string(ctx.input(0).dims()),
                            ", expected buckets and heads");
  }
  ASSIGN_OR_RETURN(const int64_t queries, read_int(ctx.input(1), "query_length"));
  ASSIGN_OR_RETURN(const int64_t keys, read_int(ctx.input(2), "key_length"));
  if (queries != keys) {
    return not_implemented("biases of ", queries, " queries and ", keys, " keys");
  }
  return ctx.set_output(0, ctx.input(0).dtype, {1, ctx.input(0).dim(1), queries, keys});
}

// Of a key `distance` places behind its query; before it when negative.
int64_t bucket_of(int64_t distance, int64_t buckets, const BiasParams& params) {
  int64_t first = 0;
  if (params.is_bidirectional != 0) {
    buckets /= 2;
    if (distance > 0) first = buckets;
    distance = std::abs(distance);
  } else {
    distance = std::max<int64_t>(0, -distance);
  }
  const int64_t exact = buckets / 2;
  if (distance < exact) return first + distance;
  const float ratio = std::log(static_cast<float>(distance) / static_cast<float>(exact)) /
                      std::log(static_cast<float>(params.max_distance) / static_cast<float>(exact));
  const float wide = ratio * static_cast<float>(buckets - exact);
  if (!(wide >= 0 && wide < static_cast<float>(buckets))) return first + buckets - 1;
  return first + std::min(exact + static_cast<int64_t>(wide), buckets - 1);
}

Status run_bias(RunContext& ctx) {
  const auto& params = ctx.params<BiasParams>();
  const ValueRef &table = ctx.input(0), &y = ctx.output(0);
  const int64_t buckets = table.dim(0), length = y.dim(2);
  ctx.parallel_for(length, 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t j = 0; j < length; ++j) {
        const int64_t bucket = bucket_of(j - i, buckets, params);
        for (int64_t h = 0; h < table.dim(1); ++h) {
          y.as_mutable<float>()[(h * length + i) * length + j] =
              table.as<float>()[h * buckets + bucket];
        }
      }
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable position_bias_kernels() {
  static constexpr KernelRow kBiasRow("RelativePositionBias", kMicrosoftDomain, 1, kLatestOpset,
                                      kF32, "relative_position_bias.f32", 1, kNoFlags, 6,
                                      prepare_bias, bind_bias, run_bias);
  static constexpr KernelRow rows[] = {
      kBiasRow,
      reduced_row<kBiasRow>("com.microsoft.RelativePositionBias.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
