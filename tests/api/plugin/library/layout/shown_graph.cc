// SPDX-License-Identifier: MIT
// Graphs as text: see the header.
#include "shown_graph.h"

#include <stdexcept>
#include <vector>

namespace layout_library {
namespace {

void must(OrtStatus* status) {
  if (status != nullptr) throw std::runtime_error(ort->GetErrorMessage(status));
}

std::string text_of(OrtStatus* (*get)(const OrtNode*, const char**), const OrtNode* node) {
  const char* text = nullptr;
  must(get(node, &text));
  return text;
}

std::string name_of(const OrtNode* node) {
  const std::string domain = text_of(ort->Node_GetDomain, node);
  const std::string shown = domain == "com.ms.internal.nhwc" ? "nhwc" : domain;
  return (shown.empty() ? "" : shown + ".") + text_of(ort->Node_GetOperatorType, node);
}

std::string dims_of(const OrtNode* node) {
  size_t count = 0;
  must(ort->Node_GetNumOutputs(node, &count));
  std::vector<const OrtValueInfo*> outputs(count);
  must(ort->Node_GetOutputs(node, outputs.data(), count));
  const OrtTypeInfo* type = nullptr;
  must(ort->GetValueInfoTypeInfo(outputs.front(), &type));
  const OrtTensorTypeAndShapeInfo* tensor = nullptr;
  must(ort->CastTypeInfoToTensorInfo(type, &tensor));
  size_t rank = 0;
  must(ort->GetDimensionsCount(tensor, &rank));
  std::vector<int64_t> dims(rank);
  must(ort->GetDimensions(tensor, dims.data(), rank));
  std::string text;
  for (int64_t dim : dims) text += (text.empty() ? "" : ",") + std::to_string(dim);
  return "[" + text + "]";
}

template <typename Show>
std::string list(const OrtGraph& graph, Show show) {
  size_t count = 0;
  must(ort->Graph_GetNumNodes(&graph, &count));
  std::vector<const OrtNode*> nodes(count);
  must(ort->Graph_GetNodes(&graph, nodes.data(), count));
  std::string text;
  for (const OrtNode* node : nodes) text += (text.empty() ? "" : " ") + show(node);
  return text;
}

}  // namespace

std::string operators_of(const OrtGraph& graph) {
  const OrtNode* owner = nullptr;
  must(ort->Graph_GetParentNode(&graph, &owner));
  return (owner != nullptr ? "(inner) " : "") + list(graph, name_of);
}

std::string details_of(const OrtGraph& graph) {
  return list(graph, [](const OrtNode* node) {
    int since = 0;
    must(ort->Node_GetSinceVersion(node, &since));
    const bool is_own = !text_of(ort->Node_GetEpName, node).empty();
    return (is_own ? "*" : "") + name_of(node) + "@" + std::to_string(since) + dims_of(node);
  });
}

}  // namespace layout_library
