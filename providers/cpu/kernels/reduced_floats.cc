// SPDX-License-Identifier: MIT
#include "providers/cpu/cpu_kernels.h"
namespace ortc::cpu {
KernelTable reduced_floats_kernels() { return {}; }
}  // namespace ortc::cpu
