// SPDX-License-Identifier: MIT
// The CPU kernels of com.microsoft alone: the registry's second list of families.
#pragma once

#include "core/base/first_load.h"
#include "core/kernel/kernel_row.h"

namespace ortc::cpu {

#define ORTC_CPU_FAMILY(name) ORTC_FIRST_LOAD KernelTable name##_kernels();
#include "providers/cpu/microsoft_family_list.inc"
#undef ORTC_CPU_FAMILY

}  // namespace ortc::cpu
