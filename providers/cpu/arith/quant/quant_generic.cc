// SPDX-License-Identifier: MIT
// Quantised rows in plain C++, for any CPU.

#include "providers/cpu/arith/quant/quant.h"
#include "providers/cpu/arith/quant/quant.inc"

namespace ortc::cpu {

const QuantKernels& quant_generic() { return kQuantKernels; }

}  // namespace ortc::cpu
