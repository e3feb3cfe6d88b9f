// SPDX-License-Identifier: MIT
// InstanceNormalization and GroupNormalization: channels, or groups of them, are rows that are
// normalised by their own mean and variance; then each channel is scaled and shifted.
//
// Opset 18 has one scale per group, opset 21 one per channel.
#include <algorithm>
#include <cmath>

#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/cpu_kernels.h"

namespace ortc::cpu {
namespace {

struct GroupNormParams {
  uint32_t record_bytes;
  float epsilon;
  int64_t groups;  // 0: every channel is one
  uint32_t scales_groups;
  uint32_t reserved;
};
static_assert(sizeof(GroupNormParams) == 24);

constexpr int64_t kGrain = 8192;  // elements one thread takes at a time

// --- Prepare.

Status prepare_instance(PrepareContext& ctx) {
  ctx.set_params(GroupNormParams{sizeof(GroupNormParams),
                                 ctx.node().float_attribute("epsilon", 1e-5f), 0, 0, 0});
  return Status::ok();
}

Status prepare_group(PrepareContext& ctx) {
  const Node& node = ctx.node();
  const int64_t stash = node.int_attribute("stash_type", 1);
  if (stash != static_cast<int64_t>(DType::kFloat32)) {
    return not_implemented("stash_type ", stash, ", only float32 is handled");
  }
  const int64_t groups = node.int_attribute("num_groups", 0);
  if (groups < 1) {
    return invalid_graph("attribute 'num_groups' is ", groups, ", expected 1 or more");
  }
  ctx.set_params(GroupNormParams{sizeof(GroupNormParams), node.float_attribute("epsilon", 1e-5f),
                                 groups, ctx.opset() < 21 ? 1u : 0u, 0});
  return Status::ok();
}

// --- Bind.

Status bind_norm(BindContext& ctx) {
  const auto* params = ctx.params<GroupNormParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 3, 3));
  for (size_t i = 0; i < 3; ++i)
    RETURN_IF_ERROR(check_type(ctx, i, i == 0 ? kFloatTypes : mask_of(ctx.input(0).dtype)));
  const ValueRef& x = ctx.input(0);
  if (x.rank < 2) return invalid_argument("the input has rank ", x.rank, ", expected [n,c,..]");
  if (params->groups < 0 || (params->groups > 0 && x.dim(1) % params->groups != 0)) {
    return invalid_argument(x.dim(1), " channels cannot be divided into ", params->groups,
                            " groups");
  }
  const int64_t scales =
      params->groups > 0 && params->scales_groups != 0 ? params->groups : x.dim(1);
  for (size_t i = 1; i < 3; ++i) {
    if (ctx.input(i).rank != 1 || ctx.input(i).dim(0) != scales) {
      return invalid_argument("input ", i, " has shape ", dims_to_string(ctx.input(i).dims()),
                              ", expected [", scales, "]");
    }
  }
  return ctx.set_output(0, x.dtype, x.dims());
}

// --- Run.

void normalise_row(const VectorF32Kernels& vector, const float* x, float* y, int64_t n,
                   float epsilon) {
  NormRowF32 row;
  row.x = x;
  row.y = y;
  row.n = static_cast<size_t>(n);
  row.epsilon = epsilon;
  vector.layer_norm(row);
}

void normalise_row(const VectorF32Kernels&, const double* x, double* y, int64_t n, float epsilon) {
  double sum = 0, square = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  const double mean = sum / static_cast<double>(n);
  for (int64_t i = 0; i < n; ++i) square += (x[i] - mean) * (x[i] - mean);
  const double factor =
      1 / std::sqrt(square / static_cast<double>(n) + static_cast<double>(epsilon));
  for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * factor;
}

void scale_row(const VectorF32Kernels& vector, float scale, float bias, float* y, int64_t n) {
  vector.scale_and_add(y, scale, bias, y, static_cast<size_t>(n));
}
void scale_row(const VectorF32Kernels&, double scale, double bias, double* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = y[i] * scale + bias;
}

template <typename T>
void run_typed(const RunContext& ctx) {
  const auto& params = ctx.params<GroupNormParams>();
  const ValueRef& x = ctx.input(0);
  const int64_t channels = x.dim(1);
  const int64_t plane = product(x.dims(), 2, x.rank);
  const int64_t groups = params.groups > 0 ? params.groups : channels;
  const int64_t per_group = channels / groups, n = per_group * plane;
  const VectorF32Kernels& vector = vector_f32_kernels(ctx.isa());
  const T* scale = ctx.input(1).as<T>();
  const T* bias = ctx.input(2).as<T>();
  ctx.parallel_for(
      x.dim(0) * groups, std::max<int64_t>(1, kGrain / n), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          T* to = ctx.output(0).as_mutable<T>() + r * n;
          normalise_row(vector, x.as<T>() + r * n, to, n, params.epsilon);
          const int64_t group = r % groups;
          for (int64_t c = 0; c < per_group; ++c) {
            const int64_t at =
                params.groups > 0 && params.scales_groups != 0 ? group : group * per_group + c;
            scale_row(vector, scale[at], bias[at], to + c * plane, plane);
          }
        }
      });
}

Status run_norm(RunContext& ctx) {
  if (ctx.input(0).element_count() == 0) return Status::ok();
  if (ctx.input(0).dtype == DType::kFloat64) {
    run_typed<double>(ctx);
  } else {
    run_typed<float>(ctx);
  }
  return Status::ok();
}

}  // namespace

KernelTable instance_group_norm_kernels() {
  static constexpr KernelRow kInstanceNormalizationRow("InstanceNormalization", "", 1, kLatestOpset,
                                                       kFloatTypes, "group_norm.f32", 1, kNoFlags,
                                                       0, prepare_instance, bind_norm, run_norm);
  static constexpr KernelRow kGroupNormalizationRow("GroupNormalization", "", 18, kLatestOpset,
                                                    kFloatTypes, "group_norm.f32", 1, kNoFlags, 0,
                                                    prepare_group, bind_norm, run_norm);
  static constexpr KernelRow rows[] = {
      kInstanceNormalizationRow,
      reduced_row<kInstanceNormalizationRow>("InstanceNormalization.reduced"),
      kGroupNormalizationRow,
      reduced_row<kGroupNormalizationRow>("GroupNormalization.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
