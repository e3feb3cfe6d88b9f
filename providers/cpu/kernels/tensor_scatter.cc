// SPDX-License-Identifier: MIT
#include "providers/cpu/cpu_kernels.h"
namespace ortc::cpu {
KernelTable tensor_scatter_kernels() { return {}; }
}  // namespace ortc::cpu
