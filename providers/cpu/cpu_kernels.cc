// SPDX-License-Identifier: MIT
// The registry of CPU kernels, from the lists of families.
#include "providers/cpu/cpu_kernels.h"

#include "providers/cpu/microsoft_kernels.h"

namespace ortc::cpu {

const KernelRegistry& kernel_registry() {
  // Never destroyed: a run may still be under way while the process exits.
  static const KernelRegistry& registry = *new KernelRegistry({
#define ORTC_CPU_FAMILY(name) name##_kernels(),
#include "providers/cpu/family_list.inc"
#include "providers/cpu/microsoft_family_list.inc"
#undef ORTC_CPU_FAMILY
  });
  return registry;
}

}  // namespace ortc::cpu
