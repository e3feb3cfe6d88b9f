// SPDX-License-Identifier: MIT
// The kernels of families that have more of them than levels: where a level's best instructions
// are not everywhere, those without them are tested too.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "providers/cpu/arith/gemm_i8/gemm_i8.h"
#include "providers/cpu/arith/nbits/nbits.h"
#include "tests/providers/cpu/arith/amx_emulator.h"
#include "tests/providers/cpu/arith/arith_testing.h"

namespace ortc::cpu::testing {

// `kernels` and those of `more` that are not among them.
template <typename Kernels>
std::vector<const Kernels*> joined(std::vector<const Kernels*> kernels,
                                   std::initializer_list<const Kernels*> more) {
  for (const Kernels* each : more) {
    if (std::find(kernels.begin(), kernels.end(), each) == kernels.end()) kernels.push_back(each);
  }
  return kernels;
}

// AVX2 and AVX-512 with and without VNNI, AMX wherever VNNI is, NEON with and without dot products.
inline std::vector<const GemmI8Kernels*> gemm_i8_of_runnable_isas() {
  std::vector<const GemmI8Kernels*> kernels;
  for (const Isa isa : runnable_isas()) kernels.push_back(&gemm_i8_kernels(isa));
#if ORTC_ARITH_X86
  const Isa most = runnable_isas().back();
  if (most >= Isa::kAvx2) kernels = joined(kernels, {&gemm_i8_avx2()});
  if (most == Isa::kAvx512) kernels = joined(kernels, {&gemm_i8_avx512()});
  if (most == Isa::kAvx512 && host_has_vnni()) {
    have_amx();
    kernels = joined(kernels, {&gemm_i8_avx512vnni(), &gemm_i8_amx()});
  }
#elif ORTC_ARITH_ARM
  kernels = joined(kernels, {&gemm_i8_generic()});
#endif
  return kernels;
}

// AVX2 and AVX-512 with and without VNNI.
inline std::vector<const NBitsKernels*> nbits_of_runnable_isas() {
  std::vector<const NBitsKernels*> kernels;
  for (const Isa isa : runnable_isas()) kernels.push_back(&nbits_kernels(isa));
#if ORTC_ARITH_X86
  const Isa most = runnable_isas().back();
  if (most >= Isa::kAvx2) kernels = joined(kernels, {&nbits_avx2()});
  if (most == Isa::kAvx512) kernels = joined(kernels, {&nbits_avx512()});
#endif
  return kernels;
}

}  // namespace ortc::cpu::testing
