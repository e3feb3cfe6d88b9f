// SPDX-License-Identifier: MIT
// The rewrites of the second half, which make of a graph what the kernels want to be given.
#pragma once

#include "core/base/log.h"
#include "core/compile/lowering_rules.h"
#include "core/platform/work.h"

namespace ortc {

// The rewrites of the second half, in place; for tests and for explain. `graph` ends up with
// operators of kInternalDomain.
Status apply_fusions(Graph& graph, const LoweringRules& rules, const Logger& logger,
                     const Work& work = {});

}  // namespace ortc
