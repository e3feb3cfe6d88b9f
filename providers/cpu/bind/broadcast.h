// SPDX-License-Identifier: MIT
// Numpy broadcasting: shapes aligned at the right, a dimension of 1 repeats.
#pragma once

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/rows/nd_loop.h"

namespace ortc::cpu {

// Widens `dims` by the shape of one more operand. INVALID_ARGUMENT when they do not fit.
Status broadcast_into(DimList* dims, std::span<const int64_t> operand);

// The shape of inputs [0, count) together.
Result<DimList> broadcast_inputs(const BindContext& ctx, size_t count);

// Strides of an operand under the output's dims: 0 where it repeats. The shapes fit (bind checked).
DimList broadcast_strides(std::span<const int64_t> operand, std::span<const int64_t> out_dims);

template <size_t kOperands>
NdLoop<kOperands> broadcast_loop(std::span<const int64_t> out_dims,
                                 const std::array<std::span<const int64_t>, kOperands>& operands) {
  std::array<DimList, kOperands> strides;
  for (size_t k = 0; k < kOperands; ++k) strides[k] = broadcast_strides(operands[k], out_dims);
  NdLoop<kOperands> loop;
  for (size_t d = 0; d < out_dims.size(); ++d) {
    std::array<int64_t, kOperands> at;
    for (size_t k = 0; k < kOperands; ++k) at[k] = strides[k][d];
    loop.append(out_dims[d], at);
  }
  loop.finish();
  return loop;
}

}  // namespace ortc::cpu
