// SPDX-License-Identifier: MIT
// The reports of compiles for people: files, providers, nodes that were left, times.
#pragma once

#include <string>
#include <vector>

#include "tools/ortc/output/json.h"

namespace ortc::tool {

// A model and what the library says of its compile.
struct CompiledModel {
  std::string name;
  Json report;
};

// A table of files with their sizes, or that there are none.
std::string files_text(const Json& files);
// Models together: nodes and parts by provider, nodes that were left with the reasons, and times.
std::string work_text(const std::vector<CompiledModel>& models);
// How much a group stores, or would store, of what its models have.
std::string shared_text(const Json& group);

}  // namespace ortc::tool
