// SPDX-License-Identifier: MIT
// Asking the processor for its maker: see the header.
#include "core/platform/machine/processor_vendor.h"

#include <cstring>
#include <fstream>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ortc {
namespace {

#if defined(__x86_64__)
uint32_t vendor_by_cpuid() {
  unsigned int most = 0, words[3] = {};  // in this order the words are a text
  if (__get_cpuid(0, &most, &words[0], &words[2], &words[1]) == 0) return 0;
  if (std::memcmp(words, "GenuineIntel", sizeof words) == 0) return 0x8086;
  if (std::memcmp(words, "AuthenticAMD", sizeof words) == 0) return 0x1022;
  return 0;
}
#endif

}  // namespace

uint32_t vendor_of_identification(uint32_t midr) {
  switch (midr >> 24) {
    case 0x41:
      return 0x13b5;  // Arm
    case 0x48:
      return 0x19e5;  // HiSilicon
    case 0x4e:
      return 0x10de;  // NVIDIA
    case 0x51:
      return 0x4d4f4351;  // Qualcomm: letters, as in Windows
    case 0x61:
      return 0x106b;  // Apple
    default:
      return 0;
  }
}

uint32_t processor_vendor([[maybe_unused]] const std::string& root) {
#if defined(__x86_64__)
  return vendor_by_cpuid();
#else
  std::ifstream file(root + "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
  uint64_t midr = 0;
  if (!(file >> std::hex >> midr)) return 0;
  return vendor_of_identification(static_cast<uint32_t>(midr));
#endif
}

}  // namespace ortc
