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
#include "providers/cpu/bind/rows/turned_rows.h"
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

struct Groups {
  const GroupNormParams& params;
  int64_t channels, plane;
  int64_t count;      // of an image
  int64_t per_group;  // channels
  int64_t n;          // elements of a group

  explicit Groups(const RunContext& ctx)
      : params(ctx.params<GroupNormParams>()),
        channels(ctx.input(0).dim(1)),
        plane(product(ctx.input(0).dims(), 2, ctx.input(0).rank)),
        count(params.groups > 0 ? params.groups : channels),
        per_group(channels / count),
        n(per_group * plane) {}
  bool scales_groups() const { return params.groups > 0 && params.scales_groups != 0; }
};

// Channel c of a group has scale[c step] and bias[c step].
void normalise_group(const VectorF32Kernels& vector, const Groups& groups, const float* x,
                     const float* scale, const float* bias, int64_t step, float* y) {
  const bool is_one = groups.per_group == 1;
  NormRowF32 row;
  row.x = x;
  row.y = y;
  row.n = static_cast<size_t>(groups.n);
  row.epsilon = groups.params.epsilon;
  if (is_one) row.one_scale = *scale, row.one_bias = *bias;
  vector.layer_norm(row);
  for (int64_t c = 0; !is_one && c < groups.per_group; ++c, y += groups.plane) {
    vector.scale_and_add(y, scale[c * step], bias[c * step], y, static_cast<size_t>(groups.plane));
  }
}

void normalise_group(const VectorF32Kernels&, const Groups& groups, const double* x,
                     const double* scale, const double* bias, int64_t step, double* y) {
  const int64_t n = groups.n;
  double sum = 0, square = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  const double mean = sum / static_cast<double>(n);
  for (int64_t i = 0; i < n; ++i) square += (x[i] - mean) * (x[i] - mean);
  const double factor =
      1 / std::sqrt(square / static_cast<double>(n) + static_cast<double>(groups.params.epsilon));
  for (int64_t c = 0; c < groups.per_group; ++c, x += groups.plane, y += groups.plane) {
    const double weight = scale[c * step], addend = bias[c * step];
    for (int64_t i = 0; i < groups.plane; ++i) y[i] = (x[i] - mean) * factor * weight + addend;
  }
}

template <typename T>
void run_typed(const RunContext& ctx) {
  const Groups groups(ctx);
  const VectorF32Kernels& vector = vector_f32_kernels(ctx.isa());
  const int64_t step = groups.scales_groups() ? 0 : 1;
  const int64_t scales = groups.scales_groups() ? 1 : groups.per_group;
  const T* scale = ctx.input(1).as<T>();
  const T* bias = ctx.input(2).as<T>();
  ctx.parallel_for(ctx.input(0).dim(0) * groups.count, std::max<int64_t>(1, kGrain / groups.n),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t r = begin; r < end; ++r) {
                       const int64_t at = r % groups.count * scales;
                       normalise_group(vector, groups, ctx.input(0).as<T>() + r * groups.n,
                                       scale + at, bias + at, step,
                                       ctx.output(0).as_mutable<T>() + r * groups.n);
                     }
                   });
}

// Groups of one channel and so few elements.
constexpr int64_t kFew = 64;
void run_turned(const RunContext& ctx, const Groups& groups, int64_t rows) {
  const VectorF32Kernels& vector = vector_f32_kernels(ctx.isa());
  const auto repeat = [&](size_t input, int64_t row, size_t count, float* to) {
    const float* from = ctx.input(input).as<float>();
    const auto channels = static_cast<size_t>(groups.channels);
    const size_t first = static_cast<size_t>(row % groups.channels);
    const size_t once = std::min(count, channels), head = std::min(once, channels - first);
    std::copy_n(from + first, head, to);
    std::copy_n(from, once - head, to + head);
    for (size_t i = once; i < count; ++i) to[i] = to[i - channels];
  };
  for_turned_rows(ctx, rows, groups.n, ctx.input(0).as<float>(), ctx.output(0).as_mutable<float>(),
                  [&](float* columns, size_t count, int64_t row) {
                    float scale[kTurnedMost], bias[kTurnedMost];
                    repeat(1, row, count, scale);
                    repeat(2, row, count, bias);
                    vector.layer_norm_columns(columns, static_cast<size_t>(groups.n), count,
                                              groups.params.epsilon, scale, bias);
                  });
}

Status run_norm(RunContext& ctx) {
  if (ctx.input(0).element_count() == 0) return Status::ok();
  const Groups groups(ctx);
  const int64_t rows = ctx.input(0).dim(0) * groups.count;
  if (ctx.input(0).dtype == DType::kFloat64) {
    run_typed<double>(ctx);
  } else if (groups.per_group == 1 && groups.n <= kFew && rows >= kTurnedFewest) {
    run_turned(ctx, groups, rows);
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
