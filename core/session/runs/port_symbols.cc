// SPDX-License-Identifier: MIT
// Numbers of named dimensions: see the header.
#include "core/session/runs/port_symbols.h"

namespace ortc {

PortSymbols::PortSymbols(const std::vector<Port>& ports, Numbering& numbering) : begins_{0} {
  for (const Port& port : ports) {
    const Type& type = content_of(port.type);
    const size_t rank = type.is_tensor() && type.has_shape() ? type.shape->size() : 0;
    for (size_t i = 0; i < rank; ++i) {
      const Dim& dim = (*type.shape)[i];
      const bool is_named = !dim.is_known() && !dim.symbol.empty();
      numbers_.push_back(is_named ? numbering.number_of(dim.symbol) : kNone);
    }
    begins_.push_back(numbers_.size());
  }
}

}  // namespace ortc
