// SPDX-License-Identifier: MIT
// Transpose of any rank, by element size.
//
//   y[i0, ..., in] = x[i_perm^-1(0), ..., i_perm^-1(n)]
//
// Neighbouring axes that stay together are merged first.
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/packed_moves.h"
#include "providers/cpu/bind/rows/copy_permuted.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

// --- Prepare.

struct TransposeParams {
  uint32_t record_bytes;
  uint32_t rank;  // 0: all axes reversed
  uint8_t perm[kMaxRank];
};
static_assert(sizeof(TransposeParams) == 72);

Status prepare_transpose(PrepareContext& ctx) {
  TransposeParams params{};
  params.record_bytes = sizeof params;
  const auto perm = ctx.node().ints_attribute("perm");
  if (perm.size() > kMaxRank) {
    return not_implemented("perm of ", perm.size(), " axes, at most ", kMaxRank, " can be handled");
  }
  for (const int64_t axis : perm) {
    if (axis < 0 || axis >= static_cast<int64_t>(perm.size())) {
      return invalid_graph("perm holds ", axis, ", which is outside its ", perm.size(), " axes");
    }
    params.perm[params.rank++] = static_cast<uint8_t>(axis);
  }
  ctx.set_params(params);
  return Status::ok();
}

size_t source_axis(const TransposeParams& params, size_t axis, size_t rank) {
  return params.rank == 0 ? rank - 1 - axis : params.perm[axis];
}

// --- Bind.

Status bind_transpose(BindContext& ctx) {
  const auto* params = ctx.params<TransposeParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kByteTypes));
  const ValueRef& x = ctx.input(0);
  if (params->rank != 0 && params->rank != x.rank) {
    return invalid_argument("the input has shape ", dims_to_string(x.dims()), " of rank ", x.rank,
                            ", expected rank ", params->rank);
  }
  DimList dims;
  bool seen[kMaxRank] = {};
  for (size_t i = 0; i < x.rank; ++i) {
    const size_t from = source_axis(*params, i, x.rank);
    if (from >= x.rank || seen[from]) return invalid_graph("perm is not a permutation");
    seen[from] = true;
    dims.push_back(x.dim(from));
  }
  return ctx.set_output(0, x.dtype, dims);
}

// --- Run.

// The loop over y with the strides of x, in elements.
NdLoop<1> transpose_loop(const TransposeParams& params, const ValueRef& x) {
  const DimList strides = row_major_strides(x.dims());
  NdLoop<1> loop;
  for (size_t i = 0; i < x.rank; ++i) {
    const size_t from = source_axis(params, i, x.rank);
    loop.append(x.dim(from), {strides[from]});
  }
  loop.finish();
  return loop;
}

Status run_transpose(RunContext& ctx) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& y = ctx.output(0);
  const NdLoop<1> loop = transpose_loop(ctx.params<TransposeParams>(), x);
  if (loop.count == 0) return Status::ok();
  copy_permuted(ctx, loop, element_bytes(x.dtype), x.data, y.data);
  return Status::ok();
}

}  // namespace

KernelTable transpose_kernels() {
  static constexpr KernelRow rows[] = {
      {"Transpose", "", 1, kLatestOpset, kByteTypes, "transpose", 1, kNoFlags, 0, prepare_transpose,
       bind_transpose, run_transpose},
      {"Transpose", "", 1, kLatestOpset, kStrings, "transpose.string", 1, kNoFlags, 0,
       prepare_transpose, bind_strings<bind_transpose, 1>, run_strings<run_transpose>},
      {"Transpose", "", 1, kLatestOpset, kPackedTypes, "transpose.packed", 1, kNoFlags, 0,
       prepare_transpose, bind_packed<bind_transpose>, run_packed<run_transpose>},
  };
  return rows;
}

}  // namespace ortc::cpu
