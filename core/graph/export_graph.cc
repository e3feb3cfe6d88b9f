// SPDX-License-Identifier: MIT
// Graphs, nodes, values and types as wire bytes.
#include "core/graph/exporter.h"
#include "core/graph/limits.h"
#include "core/graph/symbol/symbol.h"

namespace ortc {
namespace {

void write_shape(WireWriter& out, const std::optional<Shape>& shape) {
  if (!shape) return;
  WireWriter message;
  for (const Dim& dim : *shape) {
    WireWriter item;
    if (dim.is_known()) {
      item.add_varint(1, static_cast<uint64_t>(dim.value));
    } else {
      item.add_text(2, shown_symbol(dim.symbol));
    }
    item.add_text(3, dim.denotation);
    message.add_message(1, item);
  }
  out.add_message(2, message);
}

void write_element(WireWriter& out, uint32_t number, const Type& type) {
  if (type.element == nullptr) return;
  WireWriter message;
  write_type(message, *type.element);
  out.add_message(number, message);
}

// The field of TypeProto that holds this kind.
uint32_t type_field(TypeKind kind) {
  switch (kind) {
    case TypeKind::kNone:
      return 0;
    case TypeKind::kTensor:
      return 1;
    case TypeKind::kSequence:
      return 4;
    case TypeKind::kMap:
      return 5;
    case TypeKind::kOpaque:
      return 7;
    case TypeKind::kSparseTensor:
      return 8;
    case TypeKind::kOptional:
      return 9;
  }
  return 0;
}

}  // namespace

void write_type(WireWriter& out, const Type& type) {
  WireWriter inner;
  switch (type.kind) {
    case TypeKind::kNone:
      break;
    case TypeKind::kTensor:
    case TypeKind::kSparseTensor:
      inner.add_varint(1, static_cast<uint64_t>(type.dtype));
      write_shape(inner, type.shape);
      break;
    case TypeKind::kSequence:
    case TypeKind::kOptional:
      write_element(inner, 1, type);
      break;
    case TypeKind::kMap:
      inner.add_varint(1, static_cast<uint64_t>(type.dtype));
      write_element(inner, 2, type);
      break;
    case TypeKind::kOpaque:
      inner.add_text(1, type.opaque_domain);
      inner.add_text(2, type.opaque_name);
      break;
  }
  if (type.kind != TypeKind::kNone) out.add_message(type_field(type.kind), inner);
  out.add_text(6, type.denotation);
  out.add_wire(type.unknown_fields);
}

void write_entries(WireWriter& out, uint32_t number,
                   const std::vector<std::pair<std::string, std::string>>& entries) {
  for (const auto& [key, value] : entries) {
    WireWriter entry;
    entry.add_bytes(1, key);
    entry.add_bytes(2, value);
    out.add_message(number, entry);
  }
}

void Exporter::write_value_info(WireWriter& out, const Value& value) {
  out.add_bytes(1, value.name);
  if (value.type.kind != TypeKind::kNone) {
    WireWriter type;
    write_type(type, value.type);
    out.add_message(2, type);
  }
  out.add_text(3, value.doc);
  write_entries(out, 4, value.metadata);
  out.add_wire(value.unknown_fields);
}

Status Exporter::write_graph(WireWriter& out, const Graph& graph) {
  ASSIGN_OR_RETURN(const auto order, graph.topological_order());
  for (NodeId id : order) {
    const Node& node = *graph.node(id);
    bool is_open = false;
    for (const Attribute& attribute : node.attributes()) {
      is_open = is_open || has_aligned(attribute);
    }
    RETURN_IF_ERROR_WHILE(
        nest(out, 1, is_open, [&](WireWriter& inner) { return write_node(inner, graph, node); }),
        node.label());
  }
  out.add_text(2, graph.name);
  for (ValueId id : graph.initializers()) {
    const Value& value = *graph.value(id);
    if (value.sparse_initializer) continue;
    auto place = placed_.find(&value);
    WireWriter tensor;
    write_tensor(tensor, *value.initializer, value.name,
                 place == placed_.end() ? nullptr : &place->second);
    out.add_message(5, tensor);
  }
  out.add_text(10, graph.doc);
  write_values(out, graph);
  for (const std::string& annotation : graph.quantization_annotations) {
    out.add_bytes(14, annotation);
  }
  for (ValueId id : graph.initializers()) {
    const Value& value = *graph.value(id);
    if (!value.sparse_initializer) continue;
    WireWriter sparse;
    write_sparse(sparse, *value.sparse_initializer, value.name);
    out.add_message(15, sparse);
  }
  write_entries(out, 16, graph.metadata);
  out.add_wire(graph.unknown_fields);
  return Status::ok();
}

void Exporter::write_values(WireWriter& out, const Graph& graph) {
  auto write = [&](uint32_t number, const Value& value) {
    WireWriter info;
    write_value_info(info, value);
    out.add_message(number, info);
  };
  for (ValueId id : graph.inputs()) write(11, *graph.value(id));
  if (model_.ir_version <= kLastIrVersionOfListedInitializers) {
    for (ValueId id : graph.initializers()) {
      if (!graph.value(id)->is_input) write(11, *graph.value(id));
    }
  }
  for (ValueId id : graph.outputs()) write(12, *graph.value(id));
  for (ValueId id = 0; id < graph.value_bound(); ++id) {
    const Value* value = graph.value(id);
    if (value == nullptr || !value->has_value_info || value->is_input || value->is_output) continue;
    if (value->is_captured() || value->type.kind == TypeKind::kNone) continue;
    write(13, *value);
  }
}

Status Exporter::write_node(WireWriter& out, const Graph& graph, const Node& node) {
  auto add_names = [&](uint32_t number, const std::vector<ValueId>& ids) {
    for (ValueId id : ids) {
      out.add_bytes(number, id == kNoValue ? std::string_view() : graph.value(id)->name);
    }
  };
  add_names(1, node.inputs());
  add_names(2, node.outputs());
  out.add_text(3, node.name());
  out.add_text(4, node.op_type());
  for (const Attribute& attribute : node.attributes()) {
    RETURN_IF_ERROR_WHILE(
        nest(out, 5, has_aligned(attribute),
             [&](WireWriter& inner) { return write_attribute(inner, node, attribute); }),
        "attribute '", attribute.name, "'");
  }
  out.add_text(6, node.doc);
  out.add_text(7, node.domain());
  out.add_text(8, node.overload());
  write_entries(out, 9, node.metadata);
  out.add_wire(node.unknown_fields);
  return Status::ok();
}

}  // namespace ortc
