// SPDX-License-Identifier: MIT
#include "providers/cpu/cpu_kernels.h"
namespace ortc::cpu {
KernelTable linear_attention_kernels() { return {}; }
}  // namespace ortc::cpu
