// SPDX-License-Identifier: MIT
// The instruction set levels the arithmetic is written for. Detecting what the CPU has is the
// caller's business; a level is only ever passed in. A level that was not built for this
// architecture falls back to kGeneric in every selector.
#pragma once

#include <cstdint>

#if defined(__x86_64__) || defined(_M_X64)
#define ORTC_ARITH_X86 1
#else
#define ORTC_ARITH_X86 0
#endif

namespace ortc::cpu {

enum class Isa : uint8_t {
  kGeneric,  // plain C++, whatever the build's baseline is
  kAvx2,     // AVX2, FMA, F16C
  kAvx512,   // AVX-512 F, BW, DQ, VL
};

}  // namespace ortc::cpu
