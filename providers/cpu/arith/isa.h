// SPDX-License-Identifier: MIT
// The instruction set levels the arithmetic is written for (core/platform/cpu.h says which there
// are). Detecting what the CPU has is the caller's business; a level is only ever passed in. A
// level that was not built for this architecture falls back to the generic one in every selector.
//
// Files of higher levels include this header: nothing here may bring inline functions along, or the
// linker could take their code for all levels.
#pragma once

#include <cstdint>

#if defined(__x86_64__) || defined(_M_X64)
#define ORTC_ARITH_X86 1
#else
#define ORTC_ARITH_X86 0
#endif
#if defined(__aarch64__)
#define ORTC_ARITH_ARM 1
#else
#define ORTC_ARITH_ARM 0
#endif

// Before a function that many kernels call with arguments of their own: gcc would give each a body.
#if defined(__clang__)
#define ORTC_ONE_BODY [[gnu::noinline]]
#else
#define ORTC_ONE_BODY [[gnu::noinline, gnu::noclone]]
#endif

namespace ortc {
enum class Isa : uint8_t;
}
