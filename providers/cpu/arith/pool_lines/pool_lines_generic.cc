// SPDX-License-Identifier: MIT
// Lines of pools in plain C++, for any CPU.
#include "providers/cpu/arith/pool_lines/pool_lines.h"

// The later build on those before.
// clang-format off
#include "providers/cpu/arith/simd/simd_generic.h"
#include "providers/cpu/arith/pool_lines/float_lines.inc"
#include "providers/cpu/arith/pool_lines/pool_lines.inc"
// clang-format on

namespace ortc::cpu {

const PoolLinesKernels& pool_lines_generic() { return kPoolLinesKernels; }

}  // namespace ortc::cpu
