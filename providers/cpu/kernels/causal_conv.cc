// SPDX-License-Identifier: MIT
#include "providers/cpu/cpu_kernels.h"
namespace ortc::cpu {
KernelTable causal_conv_kernels() { return {}; }
}  // namespace ortc::cpu
