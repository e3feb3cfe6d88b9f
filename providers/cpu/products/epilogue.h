// SPDX-License-Identifier: MIT
// The epilogue of fused products (docs/design/internal-operators.md) as part of a params record:
// what prepare reads from attributes, what bind checks, what run hands to the arithmetic.
#pragma once

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/arith/activation.h"
#include "providers/cpu/internal_ops.h"

namespace ortc::cpu {

struct EpilogueParams {
  uint32_t activation;  // a number of arith/activation.h's Activation; these are for ever
  float alpha, beta;
  float scale;  // of the product
};
static_assert(sizeof(EpilogueParams) == 16);

// Reads `activation`, `activation_alpha` and `activation_beta`. INVALID_GRAPH for an unknown name.
Result<EpilogueParams> epilogue_from_attributes(const Node& node, float scale);

// The activation is one that exists; the bias has `channels` floats and the residual
// the output's shape, as far as they are present.
Status check_epilogue(const BindContext& ctx, const EpilogueParams& params, int64_t channels,
                      std::span<const int64_t> output_dims);

// With the addresses of this run; rows of the residual lie `channels` floats apart.
EpilogueF32 make_epilogue(const RunContext& ctx, const EpilogueParams& params, int64_t channels);

}  // namespace ortc::cpu
