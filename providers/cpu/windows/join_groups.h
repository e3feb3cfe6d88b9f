// SPDX-License-Identifier: MIT
// Groups of few channels as fewer groups, whose weights between channels that did not meet are of
// no effect. What a window reads lies together then, and columns that were empty are used.
#pragma once

#include "core/base/tensor.h"
#include "providers/cpu/windows/conv_shape.h"

namespace ortc::cpu {

// How many groups become one; 1: they are better off as they are.
int64_t groups_to_join(const ConvWeightsParams& params);

// Of 8-bit weights [out_c][in_c / groups][kernel_h][kernel_w]: those of groups / `joined` groups.
// `nothing` has the bytes of no effect, one for each channel of the output or one for all.
Result<Tensor> join_groups(const Tensor& weights, const ConvWeightsParams& params, int64_t joined,
                           std::span<const uint8_t> nothing);

}  // namespace ortc::cpu
