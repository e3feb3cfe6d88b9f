// SPDX-License-Identifier: MIT
// Exposing values: see the header.
#include "core/context/edit/expose_values.h"

#include "core/context/inspect/inspect_parts.h"
#include "core/context/model_hash.h"
#include "core/graph/export.h"
#include "core/ops/infer.h"

namespace ortc {

Result<std::string> expose_values(const std::string& path) {
  ASSIGN_OR_RETURN(const JournalView journal, JournalView::open(path));
  ASSIGN_OR_RETURN(const auto model, import_current(path, journal, nullptr));
  Graph& graph = *model->graph;
  RETURN_IF_ERROR(infer_types(graph, {.lenient_shapes = true}));
  ASSIGN_OR_RETURN(const auto order, graph.topological_order());
  std::vector<ValueId> outputs;
  for (ValueId id : graph.outputs()) {
    const bool is_given = graph.value(id)->producer == kNoNode;
    if (is_given || !graph.value(id)->type.is_tensor()) outputs.push_back(id);
  }
  for (NodeId id : order) {
    for (ValueId output : graph.node(id)->outputs()) {
      if (output != kNoValue && graph.value(output)->type.is_tensor()) outputs.push_back(output);
    }
  }
  graph.set_outputs(outputs);
  remove_model_hash(*model);
  ExportOptions options;
  options.place_initializer = [](const Graph&, const Value& value) {
    // A Constant node's value is no initializer.
    const auto external = value.initializer ? value.initializer->external : nullptr;
    return Result<std::optional<ExternalLocation>>(external != nullptr ? std::optional(*external)
                                                                       : std::nullopt);
  };
  options.aligned_attribute = "ep_cache_context";
  std::string bytes;
  RETURN_IF_ERROR(export_model(*model, options, [&](Bytes piece) {
    bytes += as_text(piece);
    return Status::ok();
  }));
  return bytes;
}

}  // namespace ortc
