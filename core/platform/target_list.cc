// SPDX-License-Identifier: MIT
// Processor levels as the x86-64 psABI defines them: v3 holds AVX2, FMA and F16C, v4 holds AVX-512
// F, BW, CD, DQ and VL. The compiler's run-time answers include whether the operating system saves
// the registers. Features stand here when a kernel asks for them, or a target may be named by them.
#include "core/platform/target_list.h"

#include <algorithm>

#include "core/base/str_cat.h"

namespace ortc {
namespace {

#if defined(__x86_64__)
constexpr Architecture kHost = Architecture::kX86;
#define ORTC_CPU_HAS(name) (__builtin_cpu_init(), __builtin_cpu_supports(name) != 0)
#else
#define ORTC_CPU_HAS(name) false
#if defined(__aarch64__)
constexpr Architecture kHost = Architecture::kAarch64;
#else
constexpr Architecture kHost = Architecture::kAny;
#endif
#endif

constexpr TargetRow kRows[] = {
    {"generic", false, Architecture::kAny, Isa::kGeneric, [] { return true; },
     "plain C++, any processor"},
    {"x86-64", false, Architecture::kX86, Isa::kGeneric, [] { return kHost == Architecture::kX86; },
     "SSE2"},
    {"x86-64-v2", false, Architecture::kX86, Isa::kGeneric,
     [] { return ORTC_CPU_HAS("x86-64-v2"); }, "SSE4.2; the same kernels as x86-64"},
    {"x86-64-v3", false, Architecture::kX86, Isa::kAvx2, [] { return ORTC_CPU_HAS("x86-64-v3"); },
     "AVX2, FMA, F16C"},
    {"x86-64-v4", false, Architecture::kX86, Isa::kAvx512, [] { return ORTC_CPU_HAS("x86-64-v4"); },
     "AVX-512 F, BW, CD, DQ, VL"},
    {"avx512vnni", true, Architecture::kX86, Isa::kAvx512,
     [] { return ORTC_CPU_HAS("avx512vnni"); }, "8-bit dot products"},
    {"aarch64", false, Architecture::kAarch64, Isa::kGeneric,
     [] { return kHost == Architecture::kAarch64; }, "NEON"},
    {"dotprod", true, Architecture::kAarch64, Isa::kGeneric, host_has_dot_product,
     "8-bit dot products"},
};
#undef ORTC_CPU_HAS

const TargetRow& find_host_level() {
  const TargetRow* best = &kRows[0];
  for (const TargetRow& row : kRows) {
    if (!row.is_feature && row.architecture == kHost && row.is_here()) best = &row;
  }
  return *best;
}

}  // namespace

std::span<const TargetRow> target_rows() { return kRows; }

Architecture host_architecture() { return kHost; }

const TargetRow& host_level() {
  static const TargetRow& level = find_host_level();
  return level;
}

std::vector<std::string_view> target_names(std::string_view targets) {
  std::vector<std::string_view> names;
  for (size_t begin = 0; begin <= targets.size();) {
    const size_t end = std::min(targets.find(kTargetSeparator, begin), targets.size());
    names.push_back(targets.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

Isa lowest_isa(std::string_view targets) {
  const TargetRow* lowest = nullptr;
  for (const std::string_view name : target_names(targets)) {
    const std::string_view level = name.substr(0, name.find('+'));
    for (const TargetRow& row : kRows) {
      const bool is_level = !row.is_feature && row.name == level;
      if (is_level && (lowest == nullptr || row.isa < lowest->isa)) lowest = &row;
    }
  }
  return lowest != nullptr ? lowest->isa : host_isa();
}

std::string target_list() {
  std::string lines;
  for (const TargetRow& row : kRows) {
    const std::string name = str_cat(row.is_feature ? "+" : "", row.name);
    lines += str_cat(name, std::string(name.size() < 12 ? 12 - name.size() : 1, ' '), row.text,
                     row.is_here() ? " (here)" : "", "\n");
  }
  return lines;
}

}  // namespace ortc
