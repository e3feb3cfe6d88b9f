// SPDX-License-Identifier: MIT
// What a model says about itself, as the program sees it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/model.h"
#include "ort_c/types.h"

struct OrtModelMetadata {
  std::string producer_name, graph_name, domain, description, graph_description;
  int64_t version = 0;
  std::vector<std::pair<std::string, std::string>> entries;
};

namespace ortc::api {

OrtModelMetadata metadata_of(const Model& model);

}  // namespace ortc::api
