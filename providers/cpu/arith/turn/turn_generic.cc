// SPDX-License-Identifier: MIT
// Turning in plain C++, for any CPU.
#include "providers/cpu/arith/turn/turn.h"

// The second builds on the first.
// clang-format off
#include "providers/cpu/arith/simd/simd_generic.h"
#include "providers/cpu/arith/turn/turn.inc"
// clang-format on

namespace ortc::cpu {

const TurnKernels& turn_generic() { return kTurnKernels; }

}  // namespace ortc::cpu
