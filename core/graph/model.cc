// SPDX-License-Identifier: MIT
// Model: its metadata map.
#include "core/graph/model.h"

namespace ortc {

const std::string* Model::metadata_value(std::string_view key) const {
  for (const auto& [name, value] : metadata) {
    if (name == key) return &value;
  }
  return nullptr;
}

void Model::set_metadata(std::string key, std::string value) {
  for (auto& [name, old] : metadata) {
    if (name == key) {
      old = std::move(value);
      return;
    }
  }
  metadata.emplace_back(std::move(key), std::move(value));
}

}  // namespace ortc
