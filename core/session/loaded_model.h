// SPDX-License-Identifier: MIT
// The first stage: a model that was read. Its graph is typed; functions are inlined.
#pragma once

#include <memory>
#include <string>

#include "core/session/making.h"
#include "core/session/model_facts.h"
#include "core/session/model_source.h"

namespace ortc {

struct LoadedModel {
  ModelSource source;
  std::unique_ptr<Model> model;
  ModelPorts ports;
  std::string context_folder;  // what names in EPContext nodes are relative to
  bool is_compiled = false;    // it has EPContext nodes
};

// Reads through the journal of a write that was cut off. INVALID_GRAPH, INVALID_PROTOBUF,
// NO_SUCHFILE name file and place.
Result<LoadedModel> load_model(const ModelSource& source, Making& making);
// The same for a model that was read before; no one else has it.
Result<LoadedModel> load_model(const ModelSource& source, std::unique_ptr<Model> read,
                               Making& making);
// The model as the file has it: not typed.
Result<std::unique_ptr<Model>> read_model(const ModelSource& source, Making& making);

// The passes of the level; writes the optimised model when the options name a file, unless a
// context model may be made of it. `isa`: of the kernels that compute constants.
Result<LoadedModel> optimise_model(LoadedModel loaded, Isa isa, Making& making);
// FAIL for one that has compiled nodes.
Status write_optimised(const Model& model, bool has_compiled_nodes, Making& making);

}  // namespace ortc
