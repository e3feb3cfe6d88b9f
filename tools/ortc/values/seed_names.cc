// SPDX-License-Identifier: MIT
// Names that both models have go before places: inputs may stand in another order.

#include "tools/ortc/values/seed_names.h"

#include <algorithm>

namespace ortc::tool {

std::vector<std::string> seed_names(const std::vector<Port>& ports,
                                    const std::vector<std::string>& alike) {
  std::vector<std::string> free;
  for (const std::string& name : alike) {
    const bool is_taken = std::any_of(ports.begin(), ports.end(),
                                      [&](const Port& port) { return port.name == name; });
    if (!is_taken) free.push_back(name);
  }
  std::vector<std::string> names;
  size_t used = 0;
  for (const Port& port : ports) {
    const bool is_known = std::find(alike.begin(), alike.end(), port.name) != alike.end();
    names.push_back(is_known || used == free.size() ? port.name : free[used++]);
  }
  return names;
}

}  // namespace ortc::tool
