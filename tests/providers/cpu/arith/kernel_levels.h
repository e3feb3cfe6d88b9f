// SPDX-License-Identifier: MIT
// The kernels of families that have more of them than levels: where a level's best instructions
// are not everywhere, those without them are tested too.
#pragma once

#include <vector>

#include "providers/cpu/arith/gemm_i8/gemm_i8.h"
#include "providers/cpu/arith/nbits/nbits.h"
#include "tests/providers/cpu/arith/amx_emulator.h"
#include "tests/providers/cpu/arith/arith_testing.h"

namespace ortc::cpu::testing {

// AVX2 and AVX-512 with and without VNNI, AMX wherever VNNI is, NEON with and without dot products.
inline std::vector<const GemmI8Kernels*> gemm_i8_of_runnable_isas() {
  std::vector<const GemmI8Kernels*> kernels;
  for (const Isa isa : runnable_isas()) kernels.push_back(&gemm_i8_kernels(isa));
#if ORTC_ARITH_X86
  if (runnable_isas().back() >= Isa::kAvx2) kernels.push_back(&gemm_i8_avx2());
  if (runnable_isas().back() == Isa::kAvx512) kernels.push_back(&gemm_i8_avx512());
  if (runnable_isas().back() == Isa::kAvx512 && host_has_vnni()) {
    have_amx();
    kernels.push_back(&gemm_i8_avx512vnni());
    kernels.push_back(&gemm_i8_amx());
  }
#elif ORTC_ARITH_ARM
  kernels.push_back(&gemm_i8_generic());
#endif
  return kernels;
}

// AVX2 and AVX-512 with and without VNNI.
inline std::vector<const NBitsKernels*> nbits_of_runnable_isas() {
  std::vector<const NBitsKernels*> kernels;
  for (const Isa isa : runnable_isas()) kernels.push_back(&nbits_kernels(isa));
#if ORTC_ARITH_X86
  if (runnable_isas().back() >= Isa::kAvx2) kernels.push_back(&nbits_avx2());
  if (runnable_isas().back() == Isa::kAvx512) kernels.push_back(&nbits_avx512());
#endif
  return kernels;
}

}  // namespace ortc::cpu::testing
