// SPDX-License-Identifier: MIT
// Turning a matrix of elements known by their size, square by square in registers. Nothing but
// moves: any bits stay as they are.
#pragma once

#include <cstddef>

#include "providers/cpu/arith/isa.h"

namespace ortc::cpu {

struct TurnKernels {
  // to[j * to_ld + i] = from[i * from_ld + j] for i < rows, j < columns, all in elements. The two
  // do not overlap. Elements of 4 bytes lie as floats do, the others anywhere.
  using Turn = void (*)(const void* from, size_t from_ld, void* to, size_t to_ld, size_t rows,
                        size_t columns);
  Turn bytes1, bytes2, bytes4, bytes8, bytes16;
};

const TurnKernels& turn_kernels(Isa isa);
// Of elements of 1, 2, 4, 8 or 16 bytes.
TurnKernels::Turn turn_of(Isa isa, size_t bytes);

const TurnKernels& turn_generic();
#if ORTC_ARITH_X86
const TurnKernels& turn_avx2();    // only on a CPU that has it
const TurnKernels& turn_avx512();  // only on a CPU that has it
#endif

}  // namespace ortc::cpu
