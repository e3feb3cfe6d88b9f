// SPDX-License-Identifier: MIT
// Values that come back: see the header.
#include "core/partition/layout/kept_values.h"

namespace ortc {

void KeptValues::keep(ValueId id) {
  const Value& value = *graph_.value(id);
  kept_.try_emplace(id, Kept{value.name, value.type, value.outer_value, value.initializer, id});
}

Result<ValueId> KeptValues::now(ValueId id) {
  const auto found = kept_.find(id);
  if (found == kept_.end()) {
    if (graph_.value(id) != nullptr) return id;
    return fail("a value went that was not kept");
  }
  Kept& kept = found->second;
  if (graph_.value(kept.now) != nullptr) return kept.now;
  if (kept.outer_value != kNoValue) {
    ASSIGN_OR_RETURN(kept.now, graph_.capture(kept.outer_value));
    return kept.now;
  }
  ASSIGN_OR_RETURN(kept.now, graph_.add_value(graph_.unique_name(kept.name), kept.type));
  if (kept.initializer != nullptr) graph_.set_initializer(kept.now, kept.initializer);
  return kept.now;
}

bool KeptValues::is_captured(ValueId id) const {
  const auto found = kept_.find(id);
  return found != kept_.end() && found->second.outer_value != kNoValue;
}

}  // namespace ortc
