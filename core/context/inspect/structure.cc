// SPDX-License-Identifier: MIT
// Structure: see the header. Contexts are numbered as nodes that use them come along.
#include "core/context/inspect/structure.h"

#include <algorithm>
#include <map>

#include "core/graph/walk.h"

namespace ortc {
namespace {

std::string operator_name(const Node& node) {
  return node.domain().empty() ? node.op_type() : str_cat(node.domain(), ".", node.op_type());
}

class StructureWriter {
 public:
  StructureWriter(JsonWriter& json, const Graph& graph, ModelContextSource& contexts)
      : json_(json), graph_(graph), contexts_(contexts) {
    for (ValueId id : graph.inputs()) {
      if (graph.value(id)->initializer == nullptr) inputs_.emplace(id, inputs_.size());
    }
  }

  Status write() {
    ASSIGN_OR_RETURN(const auto order, graph_.topological_order());
    json_.begin_object().key("inputs").begin_array();
    for (ValueId id : graph_.inputs()) {
      if (inputs_.count(id) != 0) json_.value(value_text(*graph_.value(id)));
    }
    json_.end_array().key("nodes").begin_array();
    for (NodeId id : order) {
      numbers_.emplace(id, numbers_.size());
      write_node(*graph_.node(id));
    }
    json_.end_array();
    json_.key("outputs").begin_array();
    for (ValueId id : graph_.outputs()) write_read(id);
    json_.end_array();
    write_contexts();
    json_.key("stored_weights").begin_array();
    write_stored_weights(graph_);
    json_.end_array().end_object();
    return {};
  }

 private:
  void write_node(const Node& node) {
    json_.begin_object().field("name", node.name()).field("op", operator_name(node));
    json_.key("reads").begin_array();
    for (const auto* ids : {&node.inputs(), &node.implicit_inputs()}) {
      for (ValueId id : *ids) {
        if (id != kNoValue) write_read(id);
      }
    }
    json_.end_array();
    json_.key("gives").begin_array();
    for (ValueId id : node.outputs()) {
      if (id != kNoValue) json_.value(value_text(*graph_.value(id)));
    }
    json_.end_array();
    json_.field("weight_bytes", weight_bytes(node)).field("nodes_in_bodies", nodes_in_bodies(node));
    if (is_context(node)) json_.field("source", node.string_attribute("source", ""));
    json_.key("contexts").begin_array();
    write_used_contexts(node);
    json_.end_array().end_object();
  }

  static bool is_context(const Node& node) { return node.is_op("EPContext", kMicrosoftDomain); }

  static std::string value_text(const Value& value) {
    return str_cat(value.name, ": ", type_to_string(value.type));
  }

  // Initializers come from neither a node nor an input.
  void write_read(ValueId id) {
    const Value& value = *graph_.value(id);
    const auto node = numbers_.find(value.producer);
    const auto input = inputs_.find(id);
    if (node == numbers_.end() && input == inputs_.end()) return;
    json_.begin_object().field("value", value_text(value));
    if (node != numbers_.end()) {
      json_.field("node", node->second);
    } else {
      json_.field("input", input->second);
    }
    json_.end_object();
  }

  uint64_t weight_bytes(const Node& node) const {
    uint64_t bytes = 0;
    for (ValueId id : node.inputs()) {
      const auto& initializer = id == kNoValue ? nullptr : graph_.value(id)->initializer;
      if (initializer) bytes += initializer->tensor.byte_size();
    }
    for (const Attribute& attribute : node.attributes()) {
      if (attribute.tensor) bytes += attribute.tensor->tensor.byte_size();
    }
    return bytes;
  }

  static uint64_t nodes_in_bodies(const Node& node) {
    uint64_t count = 0;
    for (const Graph* body : node.subgraphs()) {
      for (const Node& inner : nodes_of(*body)) count += 1 + nodes_in_bodies(inner);
    }
    return count;
  }

  void write_used_contexts(const Node& node) {
    for (const Graph* body : node.subgraphs()) {
      for (const Node& inner : nodes_of(*body)) write_used_contexts(inner);
    }
    if (!is_context(node) || node.attribute(kGenerationAttribute) == nullptr) return;
    auto opened = contexts_.open_container_of(node);
    if (!opened.is_ok()) return;
    const std::string graph(node.string_attribute("partition_name", node.name()));
    const auto tensors = (*opened)->graph_tensors(graph);
    if (!tensors.is_ok()) return;
    Used& used = used_[opened->get()];
    if (used.binary == nullptr) {
      used.binary = std::move(opened).value();
      used.number = used_.size() - 1;
      used.node = &node;
      used_in_order_.push_back(&used);
    }
    // A node that only refers to another's context does not say where it is.
    if (used.node->attribute("ep_cache_context") == nullptr) used.node = &node;
    json_.begin_object().field("context", static_cast<uint64_t>(used.number));
    json_.field("graph", graph).key("tensors").begin_array();
    for (uint32_t number : *tensors) json_.value(static_cast<uint64_t>(number));
    json_.end_array().end_object();
  }

  void write_contexts() {
    json_.key("contexts").begin_array();
    for (const Used* used : used_in_order_) {
      const ContextHeaderInfo& header = used->binary->header();
      json_.begin_object();
      const bool is_embedded = used->node->int_attribute("embed_mode", 1) != 0;
      json_.field(is_embedded ? "node" : "file",
                  is_embedded ? std::string_view(used->node->name())
                              : used->node->string_attribute("ep_cache_context", ""));
      json_.field("generation", header.generation.hex()).field("target", header.target);
      json_.field("bytes", header.file_size).key("tensors").begin_array();
      for (uint32_t i = 0; i < used->binary->tensor_count(); ++i) {
        const ContextBinary::TensorFacts facts = used->binary->tensor_facts(i);
        json_.begin_object().field("offset", facts.offset).field("bytes", facts.bytes);
        json_.field("stored_bytes", facts.stored_bytes).field("hash", facts.hash.hex());
        json_.end_object();
      }
      json_.end_array().end_object();
    }
    json_.end_array();
  }

  void write_stored(const Constant& constant, std::string_view name) {
    if (constant.external == nullptr) return;
    const ExternalLocation& place = *constant.external;
    json_.begin_object().field("name", name).field("file", place.location);
    json_.field("offset", place.offset).field("bytes", place.length).end_object();
  }

  void write_stored_weights(const Graph& graph) {
    for (ValueId id : graph.initializers()) {
      write_stored(*graph.value(id)->initializer, graph.value(id)->name);
    }
    for (const Node& node : nodes_of(graph)) {
      for (const Attribute& attribute : node.attributes()) {
        if (attribute.tensor) write_stored(*attribute.tensor, node.name());
      }
      for (const Graph* body : node.subgraphs()) write_stored_weights(*body);
    }
  }

  struct Used {
    std::shared_ptr<const ContextBinary> binary;
    size_t number = 0;
    const Node* node = nullptr;  // that says where the context is
  };

  JsonWriter& json_;
  const Graph& graph_;
  ModelContextSource& contexts_;
  std::map<NodeId, uint64_t> numbers_;
  std::map<ValueId, uint64_t> inputs_;
  std::map<const ContextBinary*, Used> used_;
  std::vector<const Used*> used_in_order_;
};

}  // namespace

Status write_structure(JsonWriter& json, const Graph& graph, ModelContextSource& contexts) {
  json.key("structure");
  return StructureWriter(json, graph, contexts).write();
}

}  // namespace ortc
