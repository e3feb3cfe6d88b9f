// SPDX-License-Identifier: MIT
// Options of the CPU provider: see the header. None has an effect, so there is no struct of them.
#include "providers/cpu/cpu_options.h"

namespace ortc::cpu {
namespace {

// Options of CPUExecutionProvider: ep.cpu.<option>, or given with the provider.
constexpr OptionRow kRows[] = {
    {"use_arena", "", flag(), "1", "Arenas are the session's: see session.enable_cpu_mem_arena."},
};

}  // namespace

Status check_cpu_options(const KeyValues& given) {
  return set_options(kRows, nullptr, "CPUExecutionProvider", given);
}

}  // namespace ortc::cpu
