// SPDX-License-Identifier: MIT
// Models: the metadata map, and shells.
#include "core/graph/model.h"

#include <algorithm>

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

Model shell_of(const Model& model) {
  Model shell;
  shell.ir_version = std::max<int64_t>(model.ir_version, 4);
  shell.producer_name = model.producer_name;
  shell.producer_version = model.producer_version;
  shell.domain = model.domain;
  shell.model_version = model.model_version;
  shell.doc = model.doc;
  shell.metadata = model.metadata;
  shell.opsets = model.opsets;
  shell.unknown_fields = model.unknown_fields;
  return shell;
}

}  // namespace ortc
