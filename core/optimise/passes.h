// SPDX-License-Identifier: MIT
// The passes: one function each, in the file passes/<name>.cc of its name.
#pragma once

#include "core/optimise/pipeline.h"

namespace ortc {

using PassFunction = Result<int>(Graph& graph, const PassContext& context);

PassFunction bias_gelu_fusion;
PassFunction cast_chain;
PassFunction common_subexpression;
PassFunction constant_folding;
PassFunction constant_node_to_initializer;
PassFunction conv_add_fusion;
PassFunction conv_bn_fusion;
PassFunction conv_mul_fusion;
PassFunction dead_node_elimination;
PassFunction fast_gelu_fusion;
PassFunction gelu_fusion;
PassFunction gradient;
PassFunction identity_elimination;
PassFunction layer_norm_fusion;
PassFunction layout_sinking;
PassFunction pad_fusion;
PassFunction quick_gelu_fusion;
PassFunction reshape_chain;
PassFunction rms_norm_fusion;
PassFunction shape_folding;
PassFunction skip_layer_norm_fusion;
PassFunction sum_to_add;
PassFunction transpose_cancellation;

}  // namespace ortc
