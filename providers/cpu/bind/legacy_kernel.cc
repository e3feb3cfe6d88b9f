// SPDX-License-Identifier: MIT
// The first forms of operators of two inputs: see the header.
#include "providers/cpu/bind/legacy_kernel.h"

#include <algorithm>
#include <array>

#include "providers/cpu/bind/bind_checks.h"

namespace ortc::cpu {
namespace {

enum Form : uint32_t { kSameShape = 0, kBroadcast = 1, kChannels = 2 };

struct LegacyParams {
  uint32_t record_bytes;
  uint32_t form;
  uint32_t has_axis;
  uint32_t reserved;
  int64_t axis;
};
static_assert(sizeof(LegacyParams) == 24);

// --- Bind and run: b under dims that numpy's rules align as the attributes say.

Status misfit(const ValueRef& a, const ValueRef& b) {
  return invalid_argument("b of shape ", dims_to_string(b.dims()), " does not fit a of ",
                          dims_to_string(a.dims()));
}

Result<DimList> aligned(const LegacyParams& params, const ValueRef& a, const ValueRef& b) {
  if (params.form == kSameShape) {
    if (!std::ranges::equal(a.dims(), b.dims())) return misfit(a, b);
    return DimList(b.dims());
  }
  if (params.form == kChannels && (b.element_count() == 1 || b.rank != 1)) {
    if (b.rank > a.rank) return misfit(a, b);
    return DimList(b.dims());
  }
  size_t axis = b.rank <= a.rank ? a.rank - b.rank : 0;
  if (params.form == kChannels) axis = 1;
  if (params.form == kBroadcast && params.has_axis != 0) {
    ASSIGN_OR_RETURN(axis, checked_axis(params.axis, a.rank));
  }
  if (axis + b.rank > a.rank) return misfit(a, b);
  DimList dims(b.dims());
  for (size_t d = 0; d < b.rank; ++d) {
    if (b.dim(d) != a.dim(axis + d) && b.dim(d) != 1) return misfit(a, b);
  }
  for (size_t d = axis + b.rank; d < a.rank; ++d) dims.push_back(1);
  return dims;
}

}  // namespace

Status prepare_legacy(PrepareContext& ctx) {
  const Node& node = ctx.node();
  LegacyParams params{sizeof(LegacyParams), kSameShape, 0, 0, 0};
  if (node.is_op("PRelu")) {
    params.form = kChannels;
  } else if (node.int_attribute("broadcast", 0) != 0) {
    params.form = kBroadcast;
  }
  if (const Attribute* axis = node.attribute("axis")) {
    params.has_axis = 1;
    params.axis = axis->i;
  }
  ctx.set_params(params);
  return Status::ok();
}

Status bind_legacy(BindContext& ctx, const KernelRow& row) {
  const auto* params = ctx.params<LegacyParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  ASSIGN_OR_RETURN(const DimList dims, aligned(*params, ctx.input(0), ctx.input(1)));
  std::array<ValueRef, 2> inputs = {ctx.input(0), ctx.input(1)};
  inputs[1].rank = static_cast<uint32_t>(dims.size());
  inputs[1].dim_data = dims.data();
  std::array<BindContext::Output, 1> outputs;
  outputs[0].wanted = true;
  BindContext inner = ctx.with(inputs, outputs);
  RETURN_IF_ERROR(row.bind(inner));
  ctx.set_scratch(inner.scratch());
  return ctx.set_output(0, outputs[0].dtype, outputs[0].dims);
}

Status run_legacy(RunContext& ctx, const KernelRow& row) {
  ASSIGN_OR_RETURN(const DimList dims,
                   aligned(ctx.params<LegacyParams>(), ctx.input(0), ctx.input(1)));
  std::array<ValueRef, 2> inputs = {ctx.input(0), ctx.input(1)};
  inputs[1].rank = static_cast<uint32_t>(dims.size());
  inputs[1].dim_data = dims.data();
  std::array<ValueRef, 1> outputs = {ctx.output(0)};
  RunContext inner = ctx.with(inputs, outputs, ctx.scratch());
  return row.run(inner);
}

}  // namespace ortc::cpu
