// SPDX-License-Identifier: MIT
// Whether a model would pass 2^31-1 bytes, which its format does not allow, told before anything is
// compiled.
#pragma once

#include <span>

#include "core/graph/graph.h"

namespace ortc {

// `graphs`: those whose constants the model's file will hold, each content once; of at least
// `external_threshold` bytes go elsewhere. FAIL when the constants alone are too many: names the
// ways out.
Status check_model_size(std::span<const Graph* const> graphs, uint64_t external_threshold);

}  // namespace ortc
