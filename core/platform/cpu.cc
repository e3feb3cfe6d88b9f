// SPDX-License-Identifier: MIT
// Processor levels as the x86-64 psABI defines them: v3 holds AVX2, FMA and F16C, v4 holds AVX-512
// F, BW, DQ and VL. The compiler's run-time answers include whether the operating system saves the
// registers.
#include "core/platform/cpu.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

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

static Isa detect_isa() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return Isa::kAvx512;
  if (__builtin_cpu_supports("x86-64-v3")) return Isa::kAvx2;
#endif
  return Isa::kGeneric;
}

Isa host_isa() {
  static const Isa isa = detect_isa();
  return isa;
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

std::string host_target() {
#if defined(__x86_64__)
  switch (host_isa()) {
    case Isa::kAvx512:
      return "x86-64-v4";
    case Isa::kAvx2:
      return "x86-64-v3";
    case Isa::kGeneric:
      break;
  }
  return "x86-64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  utsname names;
  return uname(&names) == 0 ? names.machine : "unknown";
#endif
}

int logical_cpu_count() {
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

}  // namespace ortc
