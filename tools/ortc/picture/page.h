// SPDX-License-Identifier: MIT
// One HTML file that needs nothing else: the sharing map, each model's graph, and tables of what
// the pictures show.
#pragma once

#include <string>
#include <vector>

#include "tools/ortc/picture/model_facts.h"

namespace ortc::tool {

struct Page {
  std::string text;
  size_t nodes_left_out = 0;    // of parts that are not drawn in detail, and of tables
  size_t tensors_left_out = 0;  // of the table
};

Page make_page(const std::vector<ModelFacts>& models);

}  // namespace ortc::tool
