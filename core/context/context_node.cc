// SPDX-License-Identifier: MIT
// Attributes of EPContext nodes: see the header.
#include "core/context/context_node.h"

namespace ortc {
namespace {

std::string_view kind_name(AttributeKind kind) {
  static constexpr std::string_view kNames[] = {
      "UNDEFINED",      "FLOAT",      "INT",        "STRING",  "TENSOR", "GRAPH",
      "FLOATS",         "INTS",       "STRINGS",    "TENSORS", "GRAPHS", "SPARSE_TENSOR",
      "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};
  const auto number = static_cast<size_t>(kind);
  return number < std::size(kNames) ? kNames[number] : "of unknown type";
}

// The attribute when the node has it; a fault when it is of another kind.
Result<const Attribute*> find(const Node& node, std::string_view name, AttributeKind kind) {
  const Attribute* found = node.attribute(name);
  if (found == nullptr || found->kind == kind) return found;
  return invalid_graph(context_label(node), ": expected the attribute ", name, " to be ",
                       kind_name(kind), ", found ", kind_name(found->kind));
}

Status read_text(const Node& node, std::string_view name, std::string_view& out) {
  ASSIGN_OR_RETURN(const Attribute* found, find(node, name, AttributeKind::kString));
  if (found != nullptr) out = found->s.text();
  return Status::ok();
}

Status read_number(const Node& node, std::string_view name, int64_t& out) {
  ASSIGN_OR_RETURN(const Attribute* found, find(node, name, AttributeKind::kInt));
  if (found != nullptr) out = found->i;
  return Status::ok();
}

}  // namespace

Result<ContextNode> ContextNode::read(const Node& node) {
  ContextNode context;
  int64_t is_main = 1, is_embedded = 1;
  RETURN_IF_ERROR(read_number(node, "main_context", is_main));
  RETURN_IF_ERROR(read_number(node, "embed_mode", is_embedded));
  RETURN_IF_ERROR(read_number(node, "max_size", context.max_size));
  context.is_main = is_main != 0;
  context.is_embedded = is_embedded != 0;
  ASSIGN_OR_RETURN(const Attribute* content,
                   find(node, "ep_cache_context", AttributeKind::kString));
  if (content != nullptr) context.content = content->s;
  RETURN_IF_ERROR(read_text(node, "ep_sdk_version", context.sdk_version));
  RETURN_IF_ERROR(read_text(node, "onnx_model_filename", context.model_filename));
  RETURN_IF_ERROR(read_text(node, "hardware_architecture", context.hardware_architecture));
  RETURN_IF_ERROR(read_text(node, "partition_name", context.partition_name));
  RETURN_IF_ERROR(read_text(node, "source", context.source));
  RETURN_IF_ERROR(read_text(node, "notes", context.notes));
  return context;
}

std::string context_label(const Node& node) {
  return str_cat(node.label(), " of source '", node.string_attribute("source", ""), "'");
}

}  // namespace ortc
