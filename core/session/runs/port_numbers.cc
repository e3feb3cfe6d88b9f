// SPDX-License-Identifier: MIT
// Ports by name: see the header.
#include "core/session/runs/port_numbers.h"

namespace ortc {

PortNumbers::PortNumbers(const std::vector<Port>& ports)
    : ports_(&ports), index_(ports.size() > kFewPorts ? ports.size() : 0) {
  if (!is_indexed()) return;
  for (size_t i = ports.size(); i-- > 0;) index_.add(ports[i].name, i);
}

size_t PortNumbers::find(std::string_view name) const {
  size_t found = SIZE_MAX;
  const auto look = [&](size_t i) {
    if ((*ports_)[i].name == name) found = i;
    return found != SIZE_MAX;
  };
  if (is_indexed()) {
    index_.find(name, look);
    return found;
  }
  for (size_t i = 0; ports_ != nullptr && i < ports_->size(); ++i) {
    if (look(i)) break;
  }
  return found;
}

}  // namespace ortc
