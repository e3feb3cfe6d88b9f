// SPDX-License-Identifier: MIT
// Quantised rows for AVX2.
// No headers of the standard library that define inline functions are included, so that nothing
// compiled for this instruction set can be merged into code that runs on lesser CPUs.

#include "providers/cpu/arith/quant/quant.h"

#if ORTC_ARITH_X86

// Each builds on those before it.
// clang-format off
#include "providers/cpu/arith/quant/lookup_avx2.h"
#include "providers/cpu/arith/quant/pairs_avx2.h"
#include "providers/cpu/arith/quant/pairs.inc"
#include "providers/cpu/arith/quant/quant.inc"
// clang-format on

namespace ortc::cpu {

const QuantKernels& quant_avx2() { return kQuantKernels; }

}  // namespace ortc::cpu

#endif  // ORTC_ARITH_X86
