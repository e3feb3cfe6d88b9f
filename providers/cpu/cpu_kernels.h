// SPDX-License-Identifier: MIT
// The CPU kernels, all families.
#pragma once

#include "core/base/first_load.h"
#include "core/kernel/kernel_registry.h"

namespace ortc::cpu {

// Made at the first call; lives as long as the library.
const KernelRegistry& kernel_registry();

#define ORTC_CPU_FAMILY(name) ORTC_FIRST_LOAD KernelTable name##_kernels();
#include "providers/cpu/family_list.inc"
#undef ORTC_CPU_FAMILY

}  // namespace ortc::cpu
