// SPDX-License-Identifier: MIT
// The files that a model's bytes refer to: locations of external data and context binaries of
// EPContext nodes. Nothing is decoded and no payload is touched, so that a mapped model of any size
// costs the pages its tags stand on.
#pragma once

#include <set>
#include <string>

#include "core/base/bytes.h"

namespace ortc {

class HeldFile;

// Every name once, as the model has it: unchecked. Bytes that are not a model name nothing; of one
// that is damaged, what stands before the damage.
std::set<std::string> files_named_by(Bytes model);
// The same of a file that anybody may be writing to: it is read a few bytes at a time, and what it
// loses meanwhile is damage.
std::set<std::string> files_named_by(const HeldFile& model);
// Whether a node of the model, in whatever body or function, is an EPContext node: whether it is
// compiled already. Up to the damage of one that is damaged.
bool has_context_nodes(Bytes model);

}  // namespace ortc
