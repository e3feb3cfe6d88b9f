// SPDX-License-Identifier: MIT
// Quantised rows in plain C++, for any CPU.

#include "providers/cpu/arith/quant/quant.h"
// clang-format off
#include "providers/cpu/arith/quant/lookup_generic.h"
#include "providers/cpu/arith/quant/quant.inc"
// clang-format on

namespace ortc::cpu {

const QuantKernels& quant_generic() { return kQuantKernels; }

}  // namespace ortc::cpu
