// SPDX-License-Identifier: MIT
// ConvInteger and QLinearConv with any operands, for the rows in integer_products.cc.
#pragma once

#include "core/kernel/kernel_contexts.h"

namespace ortc::cpu {

Status prepare_integer_conv(PrepareContext& ctx);
Status bind_conv_integer(BindContext& ctx);
Status run_conv_integer(RunContext& ctx);
Status bind_qlinear_conv(BindContext& ctx);
Status run_qlinear_conv(RunContext& ctx);

}  // namespace ortc::cpu
