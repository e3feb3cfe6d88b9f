// SPDX-License-Identifier: MIT
// Model -> bytes: the model's own fields, and where initializers go.
#include "core/graph/export.h"

#include <algorithm>

#include "core/graph/exporter.h"
#include "core/graph/walk.h"

namespace ortc {
namespace {

constexpr uint64_t kModelSizeMax = INT32_MAX;
constexpr size_t kConstantSizeMin = 1024;  // smaller Constant attributes are not worth a place

// The tensor behind a value: an initializer's, or that of the Constant node that makes it.
const Constant* placeable(const Graph& graph, const Value& value) {
  if (value.sparse_initializer) return nullptr;
  const Constant* constant = value.initializer.get();
  if (constant == nullptr) {
    const Node* producer = graph.producer(value.id);
    if (producer == nullptr || !producer->is_op("Constant")) return nullptr;
    const Attribute* attribute = producer->attribute("value");
    if (attribute == nullptr || attribute->kind != AttributeKind::kTensor) return nullptr;
    constant = attribute->tensor.get();
    if (constant == nullptr || constant->tensor.byte_size() < kConstantSizeMin) return nullptr;
  }
  return constant->tensor.dtype() == DType::kString ? nullptr : constant;
}

}  // namespace

Status Exporter::run() {
  if (model_.graph == nullptr) return invalid_argument("the model has no graph");
  if (options_.place_initializer) RETURN_IF_ERROR(place_initializers(*model_.graph));
  out_.add_varint(1, static_cast<uint64_t>(model_.ir_version));
  out_.add_text(2, model_.producer_name);
  out_.add_text(3, model_.producer_version);
  out_.add_text(4, model_.domain);
  if (model_.model_version != 0) {
    out_.add_varint(5, static_cast<uint64_t>(model_.model_version));
  }
  out_.add_text(6, model_.doc);
  RETURN_IF_ERROR(nest(out_, 7, has_aligned(*model_.graph),
                       [&](WireWriter& out) { return write_graph(out, *model_.graph); }));
  if (model_.opsets != nullptr) {
    for (const auto& [domain, version] : *model_.opsets) {
      WireWriter import;
      import.add_bytes(1, domain);
      import.add_varint(2, static_cast<uint64_t>(version));
      out_.add_message(8, import);
    }
  }
  write_entries(out_, 14, model_.metadata);
  for (const std::string& function : model_.functions) out_.add_bytes(25, function);
  out_.add_wire(model_.unknown_fields);
  if (out_.size() > kModelSizeMax) {
    return fail("the model takes ", out_.size(), " bytes, expected at most ", kModelSizeMax,
                ": put initializers into an external file and contexts beside the model");
  }
  return Status::ok();
}

Status Exporter::place_initializers(const Graph& graph) {
  ASSIGN_OR_RETURN(const auto order, graph.topological_order());
  for (NodeId id : order) {
    for (const Graph* inner : graph.node(id)->subgraphs()) {
      RETURN_IF_ERROR(place_initializers(*inner));
    }
  }
  std::vector<const Value*> values;
  for (ValueId id = 0; id < graph.value_bound(); ++id) {
    const Value* value = graph.value(id);
    if (value != nullptr && placeable(graph, *value) != nullptr) values.push_back(value);
  }
  std::sort(values.begin(), values.end(),
            [](const Value* a, const Value* b) { return a->name < b->name; });
  for (const Value* value : values) RETURN_IF_ERROR(place(graph, *value));
  return Status::ok();
}

Status Exporter::place(const Graph& graph, const Value& value) {
  ASSIGN_OR_RETURN(auto location, options_.place_initializer(graph, value));
  if (!location) return Status::ok();
  const size_t size = placeable(graph, value)->tensor.byte_size();
  if (location->is_zstd ? location->length >= size : location->length != size) {
    return fail("initializer '", value.name, "': expected a place of ", size, " bytes",
                location->is_zstd ? " at most" : "", ", found ", location->length);
  }
  placed_.emplace(&value, std::move(*location));
  return Status::ok();
}

bool Exporter::has_aligned(const Attribute& attribute) const {
  if (options_.aligned_attribute.empty()) return false;
  if (attribute.kind == AttributeKind::kString) {
    return attribute.name == options_.aligned_attribute;
  }
  if (attribute.graph && has_aligned(*attribute.graph)) return true;
  return std::any_of(attribute.graphs.begin(), attribute.graphs.end(),
                     [this](const auto& graph) { return has_aligned(*graph); });
}

bool Exporter::has_aligned(const Graph& graph) const {
  if (options_.aligned_attribute.empty()) return false;
  for (const Node& node : nodes_of(graph)) {
    for (const Attribute& attribute : node.attributes()) {
      if (has_aligned(attribute)) return true;
    }
  }
  return false;
}

Result<uint64_t> exported_size(const Model& model, const ExportOptions& options) {
  Exporter exporter(model, options);
  RETURN_IF_ERROR(exporter.run());
  return exporter.result().size();
}

Status export_model(const Model& model, const ExportOptions& options, const ByteSink& sink) {
  Exporter exporter(model, options);
  RETURN_IF_ERROR(exporter.run());
  return exporter.result().write_to(sink);
}

}  // namespace ortc
