// SPDX-License-Identifier: MIT
// Names of levels, which of them this processor has by the list of targets, and how many processors
// there are.
#include "core/platform/cpu.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#elif defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <climits>

#include "core/base/str_cat.h"
#include "core/platform/machine/processor_quota.h"
#include "core/platform/target_list.h"

namespace ortc {

std::string_view isa_name(Isa isa) {
  switch (isa) {
    case Isa::kGeneric:
      return "generic";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvx512:
      return "avx512";
  }
  return "invalid";
}

Isa host_isa() { return host_level().isa; }

std::string host_target() {
  std::string name(host_level().name);
  for (const TargetRow& row : target_rows()) {
    if (row.is_feature && row.architecture == host_architecture() && row.is_here())
      name += str_cat("+", row.name);
  }
  return name;
}

bool host_has_vnni() {
#if defined(__x86_64__)
  static const bool has_vnni = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512vnni") != 0;
  }();
  return has_vnni;
#else
  return false;
#endif
}

bool host_has_avx_vnni() {
#if defined(__x86_64__)
  constexpr unsigned kAvxVnni = 1u << 4;
  static const bool has_it = [] {
    unsigned features = 0, unused = 0;
    return __get_cpuid_count(7, 1, &features, &unused, &unused, &unused) != 0 &&
           (features & kAvxVnni) != 0;
  }();
  return has_it;
#else
  return false;
#endif
}

bool host_has_amx() {
#if defined(__x86_64__)
  constexpr unsigned kTiles = 1u << 24, kInt8 = 1u << 25;
  // Linux keeps the registers of those who asked, from 5.16 on: ARCH_REQ_XCOMP_PERM of XTILEDATA.
  constexpr long kRequest = 0x1023, kTileData = 18;
  static const bool has_it = [] {
    unsigned features = 0, unused = 0;
    if (__get_cpuid_count(7, 0, &unused, &unused, &unused, &features) == 0) return false;
    if ((features & kTiles) == 0 || (features & kInt8) == 0) return false;
    return syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
  }();
  return has_it;
#else
  return false;
#endif
}

bool host_prefetches_streams() {
#if defined(__x86_64__)
  constexpr unsigned kAmd = 0x68747541, kZen5 = 26;  // "Auth"
  unsigned highest = 0, vendor = 0, version = 0, unused = 0, more = 0;
  if (__get_cpuid(0, &highest, &vendor, &unused, &more) == 0 || vendor != kAmd) return false;
  if (__get_cpuid(1, &version, &unused, &unused, &more) == 0) return false;
  const unsigned family = version >> 8 & 15;
  return host_isa() == Isa::kAvx2 || (family == 15 && family + (version >> 20 & 255) >= kZen5);
#else
  return false;
#endif
}

bool host_has_dot_product() {
#if defined(__aarch64__)
  constexpr unsigned long kAsimdDp = 1ul << 20;  // HWCAP_ASIMDDP
  static const bool has_it = (getauxval(AT_HWCAP) & kAsimdDp) != 0;
  return has_it;
#else
  return false;
#endif
}

namespace {

// Processors that the scheduler lets this process run on.
int allowed_cpu_count() {
  // The kernel refuses a set smaller than its own; no machine has as many as the last try.
  for (int capacity = 1024; capacity <= 1 << 20; capacity *= 4) {
    cpu_set_t* set = CPU_ALLOC(capacity);
    if (set == nullptr) break;
    const size_t size = CPU_ALLOC_SIZE(capacity);
    const bool known = sched_getaffinity(0, size, set) == 0;
    const int count = known ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (known) return std::max(count, 1);
  }
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return static_cast<int>(std::clamp<long>(online, 1, INT_MAX));
}

}  // namespace

// A container's quota counts as it was when first asked.
int logical_cpu_count() {
  static const int quota = processor_quota("");
  const int allowed = allowed_cpu_count();
  return quota > 0 ? std::min(quota, allowed) : allowed;
}

}  // namespace ortc
