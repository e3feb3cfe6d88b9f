// SPDX-License-Identifier: MIT
// The sharing map: each file as a band of its tensors by offset, coloured by how many models use
// them, and below it a strip for each model.
#pragma once

#include "tools/ortc/picture/drawing.h"
#include "tools/ortc/picture/sharing_facts.h"

namespace ortc::tool {

// Without files nothing is drawn: its height is 0.
Drawing draw_sharing(const SharingFacts& sharing);

// "2 models use 3.1 MiB of tensors; 1.6 MiB are stored, 1.5 MiB saved".
std::string sharing_sentence(const SharingFacts& sharing);

}  // namespace ortc::tool
