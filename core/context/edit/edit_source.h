// SPDX-License-Identifier: MIT
// A compiled model that is going to be changed without a session: its graph with every context in
// hand, whether it stood in the model or in a file.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/graph/model.h"
#include "core/provider/registry.h"

namespace ortc {

struct EditSource {
  std::string path;
  std::string label;  // of the file, for names: "enc" of "a/enc_ctx.onnx"
  // The attribute ep_cache_context of each node holds the bytes of its context, as views of the
  // files; embed_mode still says where they stood.
  std::unique_ptr<Model> model;

  // The model, its weights and all contexts, as one writer left them together. INVALID_GRAPH with
  // node and file for a context that is missing, damaged or of another generation; contexts of
  // other runtimes are taken as they are. What fails for a model fails here too.
  static Result<EditSource> open(const std::string& path, const ProviderRegistry& providers);
};

// "enc" of "a/enc_ctx.onnx".
std::string edit_label(const std::string& path);

// Calls visit(Node&) for every EPContext node, of sub-graphs too, until one fails.
Status for_context_nodes(Graph& graph, const std::function<Status(Node&)>& visit);

// The name under which a node's graph stands in its context.
std::string_view partition_name_of(const Node& node);

}  // namespace ortc
