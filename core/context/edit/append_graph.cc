// SPDX-License-Identifier: MIT
// Appending graphs: see the header.
#include "core/context/edit/append_graph.h"

namespace ortc {
namespace {

class Appender {
 public:
  Appender(Graph& to, const Graph& from)
      : to_(to), from_(from), ids_(from.value_bound(), kNoValue) {}

  Status run() {
    for (ValueId id = 0; id < from_.value_bound(); ++id) {
      if (from_.value(id) != nullptr) RETURN_IF_ERROR(copy_value(*from_.value(id)));
    }
    for (ValueId id : from_.inputs()) to_.add_input(ids_[id]);
    ASSIGN_OR_RETURN(const auto order, from_.topological_order());
    for (NodeId id : order) RETURN_IF_ERROR(copy_node(*from_.node(id)));
    for (ValueId id : from_.outputs()) to_.add_output(ids_[id]);
    to_.unknown_fields += from_.unknown_fields;
    for (const std::string& annotation : from_.quantization_annotations) {
      to_.quantization_annotations.push_back(annotation);
    }
    return Status::ok();
  }

 private:
  Status copy_value(const Value& value) {
    ASSIGN_OR_RETURN(const ValueId id, to_.add_value(value.name, value.type));
    ids_[value.id] = id;
    Value& copy = *to_.value(id);
    copy.initializer = value.initializer;
    copy.sparse_initializer = value.sparse_initializer;
    copy.doc = value.doc;
    copy.unknown_fields = value.unknown_fields;
    copy.has_value_info = value.has_value_info;
    copy.metadata = value.metadata;
    return Status::ok();
  }

  std::vector<ValueId> mapped(const std::vector<ValueId>& ids) const {
    std::vector<ValueId> result;
    for (ValueId id : ids) result.push_back(id == kNoValue ? kNoValue : ids_[id]);
    return result;
  }

  std::shared_ptr<Graph> copy_body(const Graph& body) {
    auto copy = body.clone(&to_);
    for (ValueId id = 0; id < copy->value_bound(); ++id) {
      Value* value = copy->value(id);
      if (value != nullptr && value->is_captured()) value->outer_value = ids_[value->outer_value];
    }
    return copy;
  }

  Status copy_node(const Node& node) {
    std::vector<Attribute> attributes = node.attributes();
    for (Attribute& attribute : attributes) {
      if (attribute.graph) attribute.graph = copy_body(*attribute.graph);
      for (auto& body : attribute.graphs) body = copy_body(*body);
    }
    ASSIGN_OR_RETURN(Node * copy,
                     to_.add_node(node.op_type(), node.domain(), node.name(), mapped(node.inputs()),
                                  mapped(node.outputs()), std::move(attributes), node.overload()));
    copy->doc = node.doc;
    copy->unknown_fields = node.unknown_fields;
    copy->metadata = node.metadata;
    return Status::ok();
  }

  Graph& to_;
  const Graph& from_;
  std::vector<ValueId> ids_;  // by id in from_
};

}  // namespace

Status append_graph(Graph& to, const Graph& from) { return Appender(to, from).run(); }

}  // namespace ortc
