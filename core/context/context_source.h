// SPDX-License-Identifier: MIT
// Finds and opens the contexts that a model's EPContext nodes refer to.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/context/binary_reader.h"
#include "core/context/journal_view.h"
#include "core/graph/model.h"

namespace ortc {

// The attribute, besides ONNX Runtime's, that ties a model to the binary written with it.
inline constexpr std::string_view kGenerationAttribute = "ortc_generation";

class ModelContextSource final : public ContextSource {
 public:
  // `folder`: what names in nodes are relative to. `journal` may redirect names; both outlive the
  // source.
  ModelContextSource(const Model& model, std::string folder, const JournalView* journal,
                     Access access = Access::kMap)
      : model_(model), folder_(std::move(folder)), journal_(journal), access_(access) {}

  // INVALID_GRAPH, with node and file, for every fault: absolute names, names that leave the
  // folder, missing and damaged files, a binary of another generation.
  Result<const ContextView*> open(const Node& ep_context_node) override;

 private:
  Result<std::shared_ptr<const ContextBinary>> open_primary(const Node& node);
  Result<Blob> read_file(const Node& node, std::string_view name);

  const Model& model_;
  std::string folder_;
  const JournalView* journal_;
  Access access_;
  // The second one is where the model is, when its path is a link.
  std::shared_ptr<const Folder> opened_folder_, real_folder_;
  std::map<std::string, std::shared_ptr<const ContextBinary>> by_file_;
  std::map<const Node*, std::shared_ptr<const ContextBinary>> by_node_;
};

// All EPContext nodes of a graph and its sub-graphs.
std::vector<const Node*> ep_context_nodes(const Graph& graph);

}  // namespace ortc
