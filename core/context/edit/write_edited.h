// SPDX-License-Identifier: MIT
// Writes a model whose contexts are in hand (edit_source.h), with its files, as one output set.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/context/binary_writer.h"
#include "core/context/compile_report.h"
#include "core/graph/model.h"

namespace ortc {

enum class ContextForm {
  kAsItWas,   // in the model or in files, as embed_mode of each node says; likewise initializers
  kEmbedded,  // all in the model: contexts and initializers
  kFiles,     // contexts in files beside the model; initializers as they were
};

struct EditOutput {
  std::string path;  // of the model; other files are named after it
  ContextForm form = ContextForm::kAsItWas;
  bool overwrite = false;
  bool replace_shared = false;       // even files that another model of the folder reads
  Work work;                         // hashing and writing; what of it is left when it is written
  std::vector<std::string> sources;  // models whose files are never replaced
  // Containers that are rewritten to files, by the address of what stands for them in nodes.
  std::map<const std::byte*, std::shared_ptr<const ContextBinaryWriter>> containers;
};

// Nodes with the same context share one file. `model` is as it was written afterwards. Fails as
// OutputSet does.
Result<std::vector<FileReport>> write_edited(Model& model, const EditOutput& output);

}  // namespace ortc
