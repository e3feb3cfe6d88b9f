// SPDX-License-Identifier: MIT
// How many panels the tests of f64 products divide.
#pragma once

#include "providers/cpu/arith/gemm_f64/gemm_f64.h"

namespace ortc::cpu::testing {

inline size_t panels_f64(size_t n) { return (n + kColumnsF64 - 1) / kColumnsF64; }

}  // namespace ortc::cpu::testing
