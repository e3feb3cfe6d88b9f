// SPDX-License-Identifier: MIT
// Targets of compilation: a level and features ("x86-64-v4+avx512vnni"), names of target_list.h.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/platform/target_list.h"
#include "core/provider/provider_factory.h"

namespace ortc::aot {

struct Target {
  std::string name;  // features in the list's order, each once; "host" is resolved
  const TargetRow* level = nullptr;
  std::vector<const TargetRow*> features;
  Isa isa() const { return level->isa; }
};

// INVALID_ARGUMENT names the level or feature that is unknown, the nearest, and those there are.
Result<Target> parse_target(std::string_view text);
// The level whose kernels run at most what was compiled for `target`: another one's are kept out so
// that results have the same bits everywhere. A level that is not known here sets no limit.
Isa isa_cap(std::string_view target);
// INVALID_ARGUMENT for a target of another architecture.
Status check_runs_here(const Target& target);
// Whether what was compiled for `target` is at its best here; kPreferRecompilation has a reason.
// Names that this library does not know are such a reason too: newer libraries know more.
Compatibility judge_target(std::string_view target, std::string* reason);

}  // namespace ortc::aot
