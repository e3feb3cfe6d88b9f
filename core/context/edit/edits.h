// SPDX-License-Identifier: MIT
// Changes of compiled models that need no session: packing, merging, extracting, renaming. Contexts
// are carried over as they are; what other runtimes wrote is never looked into. Each writes all of
// its files or none, and tells what cannot be done by name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/context/edit/write_edited.h"
#include "core/provider/registry.h"

namespace ortc {

struct Renaming {
  std::string model;  // the label of its file
  std::string kind;   // "value", "node", "dimension", "metadata", "context graph"
  std::string from, to;
};

struct EditReport {
  std::vector<FileReport> files;
  std::vector<Renaming> renamed;

  std::string json() const;  // {"schema":"ortc.edit/1","files":[...],"renamed":[...]}
};

// Contexts and initializers of a model go into it, or contexts into files beside it, as
// `output.form` says.
Result<EditReport> pack_model(const std::string& path, EditOutput output,
                              const ProviderRegistry& providers);

// Several models as one, side by side; a connection "enc.y=dec.x" feeds an output of one to an
// input of another. Models are called by the names of their files without "_ctx.onnx" (or with
// "_ctx"), or by number from 1. What a later model calls as an earlier one does gets the model's
// name in front ("dec/x"); connected inputs and outputs go. INVALID_ARGUMENT when models do not fit
// together: opsets, compatibility, types, dimensions.
Result<EditReport> merge_models(std::span<const std::string> paths,
                                std::span<const std::string> connections, EditOutput output,
                                const ProviderRegistry& providers);

// One EPContext node with its graph as a model of its own. INVALID_ARGUMENT when there is no such
// node, with the names there are.
Result<EditReport> extract_context(const std::string& path, const std::string& node_name,
                                   EditOutput output, const ProviderRegistry& providers);

// A prefix in front of the names of EPContext nodes and of their graphs, in the model and in the
// containers, which are rewritten. NOT_IMPLEMENTED for contexts that are a provider's own bytes.
Result<EditReport> prefix_model(const std::string& path, const std::string& prefix,
                                EditOutput output, const ProviderRegistry& providers);

}  // namespace ortc
