// SPDX-License-Identifier: MIT
// Names that both models have go before places: inputs may stand in another order.

#include "tools/ortc/values/seed_names.h"

#include <string_view>
#include <unordered_set>

namespace ortc::tool {

std::vector<std::string> seed_names(const std::vector<Port>& ports,
                                    const std::vector<std::string>& alike) {
  std::unordered_set<std::string_view> taken;
  for (const Port& port : ports) taken.insert(port.name);
  const std::unordered_set<std::string_view> known(alike.begin(), alike.end());
  std::vector<std::string> free;
  for (const std::string& name : alike) {
    if (taken.count(name) == 0) free.push_back(name);
  }
  std::vector<std::string> names;
  size_t used = 0;
  for (const Port& port : ports) {
    const bool is_known = known.count(port.name) > 0;
    names.push_back(is_known || used == free.size() ? port.name : free[used++]);
  }
  return names;
}

}  // namespace ortc::tool
