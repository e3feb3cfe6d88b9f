// SPDX-License-Identifier: MIT
// Targets of compilation: a level and features ("x86-64-v4+avx512vnni"), names of target_list.h; or
// several of them for one file ("x86-64-v3;x86-64-v4;aarch64").
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
// The names of one or more targets with ';' between: in the list's order, each once. As
// parse_target(), of each.
Result<std::string> parse_targets(std::string_view text);

// `targets` may be several from here on, and may have names that this library does not know.

// The level whose kernels run at most what was compiled for `targets`, of those that this processor
// has the best: another one's are kept out so that results have the same bits everywhere (but for
// the exceptions of docs/cross-compiling.md). A level that is not known here sets no limit, nor
// does one that is more than this processor has. INVALID_GRAPH when all are of other architectures.
Result<Isa> isa_of_context(std::string_view targets);
// INVALID_ARGUMENT when all are of other architectures.
Status check_runs_here(std::string_view targets);
// Whether what was compiled for `targets` runs on a machine of the target `there`, null being this
// one, and is at its best; if not, with a reason.
// Names that this library does not know ask for recompilation: newer libraries know more.
Compatibility judge_target(std::string_view targets, const Target* there, std::string* reason);

// The one of `targets` that runs best on a machine of the target `there`, null being this one; ""
// when none runs.
std::string_view best_target(std::string_view targets, const Target* there);

}  // namespace ortc::aot
