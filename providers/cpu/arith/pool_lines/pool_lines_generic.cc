// SPDX-License-Identifier: MIT
// Lines of pools in plain C++, for any CPU.
#include "providers/cpu/arith/pool_lines/pool_lines.h"
#include "providers/cpu/arith/pool_lines/pool_lines.inc"

namespace ortc::cpu {

const PoolLinesKernels& pool_lines_generic() { return kPoolLinesKernels; }

}  // namespace ortc::cpu
