// SPDX-License-Identifier: MIT
// f32 pooling in plain C++, for any CPU.

#include "providers/cpu/arith/pool_f32/pool_f32.h"

// The bodies build on one another in this order.
// clang-format off
#include "providers/cpu/arith/simd/simd_generic.h"
#include "providers/cpu/arith/conv_f32/taps.inc"
#include "providers/cpu/arith/pool_f32/pool_f32.inc"
// clang-format on

namespace ortc::cpu {

const PoolF32Kernels& pool_f32_generic() { return kPoolF32Kernels; }

}  // namespace ortc::cpu
