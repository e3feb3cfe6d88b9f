// SPDX-License-Identifier: MIT
// f64 products in plain C++, for any CPU.
#include "providers/cpu/arith/gemm_f64/gemm_f64.h"
#include "providers/cpu/arith/gemm_f64/gemm_f64.inc"

namespace ortc::cpu {

const GemmF64Kernels& gemm_f64_generic() { return kGemmF64Kernels; }

}  // namespace ortc::cpu
