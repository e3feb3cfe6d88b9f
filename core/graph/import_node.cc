// SPDX-License-Identifier: MIT
// NodeProto -> Node, or the inlined body of the local function it calls.
#include "core/graph/importer.h"

namespace ortc {
namespace {

constexpr uint64_t kNodeCost = sizeof(Node) + 64;

}  // namespace

Status Importer::import_nodes(Onnx__NodeProto* const* nodes, size_t count, Scope& scope) {
  for (size_t i = 0; i < count; ++i) {
    const Onnx__NodeProto& node = *nodes[i];
    const Status status = import_node(node, scope);
    if (!status.is_ok()) {
      return std::move(Status(status).note(
          str_cat("node '", decoded_.text(node.name), "' (", decoded_.text(node.op_type), ")")));
    }
  }
  return Status::ok();
}

Result<std::vector<ValueId>> Importer::resolve_all(const ProtobufCBinaryData* names, size_t count,
                                                   Scope& scope) {
  std::vector<ValueId> ids(count, kNoValue);
  for (size_t i = 0; i < count; ++i) {
    const std::string_view name = decoded_.text(names[i]);
    if (name.empty()) continue;
    ASSIGN_OR_RETURN(ids[i], resolve(scope, name));
  }
  return ids;
}

Status Importer::import_node(const Onnx__NodeProto& proto, Scope& scope) {
  if (const Function* function = function_of(proto)) {
    return inline_call(*function, proto, scope);
  }
  RETURN_IF_ERROR(charge(kNodeCost + 16 * (proto.n_input + proto.n_output)));
  if (decoded_.text(proto.op_type).empty()) return invalid_graph("the operator has no name");
  std::string domain = decoded_.string(proto.domain);
  if (domain == "ai.onnx") domain.clear();
  RETURN_IF_ERROR(check_opset(domain, scope));
  ASSIGN_OR_RETURN(auto inputs, resolve_all(proto.input, proto.n_input, scope));
  ASSIGN_OR_RETURN(auto outputs, resolve_all(proto.output, proto.n_output, scope));
  ASSIGN_OR_RETURN(auto attributes, import_attributes(proto, scope));
  std::string name = decoded_.string(proto.name);
  if (scope.call != nullptr) {
    name.insert(0, name.empty() ? scope.call->prefix.substr(0, scope.call->prefix.size() - 1)
                                : scope.call->prefix);
  }
  RETURN_IF_ERROR(charge(name.size()));
  ASSIGN_OR_RETURN(Node * node,
                   scope.graph->add_node(decoded_.string(proto.op_type), std::move(domain),
                                         std::move(name), std::move(inputs), std::move(outputs),
                                         std::move(attributes), decoded_.string(proto.overload)));
  node->doc = decoded_.string(proto.doc_string);
  node->metadata = import_entries(decoded_, proto.metadata_props, proto.n_metadata_props);
  node->unknown_fields = unknown_fields_of(proto.base);
  return Status::ok();
}

// The opset a node is read with is the model's; a function may bring domains of its own.
Status Importer::check_opset(const std::string& domain, const Scope& scope) {
  int64_t imported = scope.graph->opset(domain);
  if (scope.call != nullptr) {
    const Onnx__FunctionProto& function = *scope.call->function->proto;
    auto own = scope.call->function->opsets.find(domain);
    if (own == scope.call->function->opsets.end()) {
      return invalid_graph("function '", decoded_.text(function.name),
                           "' imports no opset of domain '", domain, "'");
    }
    if (imported == 0) {
      opsets_->emplace_back(domain, own->second);
      imported = own->second;
    }
    if (own->second != imported) {
      return not_implemented("function '", decoded_.text(function.name), "' imports opset ",
                             own->second, " of domain '", domain, "', the model opset ", imported);
    }
  }
  if (imported != 0) return Status::ok();
  if (domain == kMicrosoftDomain) {
    opsets_->emplace_back(domain, 1);  // there is no other version; exporters leave it out
    return Status::ok();
  }
  const auto known = std::ranges::find_if(options_.default_opsets,
                                          [&](const auto& entry) { return entry.first == domain; });
  if (known == options_.default_opsets.end()) {
    return invalid_graph("the model imports no opset of domain '", domain, "'");
  }
  opsets_->push_back(*known);
  return Status::ok();
}

}  // namespace ortc
