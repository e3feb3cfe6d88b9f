// SPDX-License-Identifier: MIT
// Reading graphs of the host: see the header.
#include "providers/ortc_ep/host_graph.h"

#include "core/graph/limits.h"
#include "core/ops/infer.h"
#include "providers/ortc_ep/host_attributes.h"
#include "providers/ortc_ep/host_values.h"

namespace ortc::ort_ep {
namespace {

// Of nodes whose attributes the host does not show: no kernel knows it.
constexpr std::string_view kUnreadable = "unreadable";

std::string domain_of(const char* domain) {
  const std::string_view name = domain != nullptr ? domain : "";
  return name == "ai.onnx" ? std::string() : std::string(name);
}

Result<std::string> text_of(const Host& host, OrtStatus* (*get)(const OrtNode*, const char**),
                            const OrtNode& node) {
  const char* text = nullptr;
  RETURN_IF_ERROR(host.take(get(&node, &text)));
  return std::string(text != nullptr ? text : "");
}

Result<HostValues> values_of(const Host& host, const OrtGraph& graph,
                             OrtStatus* (*count_of)(const OrtGraph*, size_t*),
                             OrtStatus* (*list_of)(const OrtGraph*, const OrtValueInfo**, size_t)) {
  size_t count = 0;
  RETURN_IF_ERROR(host.take(count_of(&graph, &count)));
  HostValues values(count);
  RETURN_IF_ERROR(host.take(list_of(&graph, values.data(), count)));
  return values;
}

// Reads one graph and its bodies.
class Reading {
 public:
  Reading(const Host& host, const std::shared_ptr<const void>& borrowed,
          std::vector<const OrtNode*>& nodes)
      : host_(host), borrowed_(borrowed), nodes_(nodes) {}

  Status read_opsets(const OrtGraph& graph) {
    size_t count = 0;
    ORTC_ASK(host_, Graph_GetNumOperatorSets(&graph, &count));
    std::vector<const char*> domains(count);
    std::vector<int64_t> versions(count);
    ORTC_ASK(host_, Graph_GetOperatorSets(&graph, domains.data(), versions.data(), count));
    auto opsets = std::make_shared<OpsetImports>();
    for (size_t i = 0; i < count; ++i) opsets->emplace_back(domain_of(domains[i]), versions[i]);
    opsets_ = std::move(opsets);
    return Status::ok();
  }

  std::shared_ptr<Graph> new_graph(Graph* parent) {
    return std::make_shared<Graph>(opsets_, parent);
  }

  Status read_inputs(Graph& graph, const HostValues& inputs) {
    for (const OrtValueInfo* input : inputs) {
      bool is_constant = false;
      if (input == nullptr) continue;
      ORTC_ASK(host_, ValueInfo_IsConstantInitializer(input, &is_constant));
      ASSIGN_OR_RETURN(const ValueId id, define(graph, *input));
      if (id == kNoValue) return invalid_graph("an input of the host's graph has no name");
      if (!is_constant && !graph.value(id)->is_input) graph.add_input(id);
    }
    return Status::ok();
  }

  // Inputs may have a value that stands in for them.
  Status read_initializers(Graph& graph, const OrtGraph& from) {
    ASSIGN_OR_RETURN(const HostValues values,
                     values_of(host_, from, host_.api->Graph_GetNumInitializers,
                               host_.api->Graph_GetInitializers));
    for (const OrtValueInfo* value : values) {
      ASSIGN_OR_RETURN(const ValueId id, define(graph, *value));
      RETURN_IF_ERROR(read_constant(graph, id, *value));
    }
    return Status::ok();
  }

  Status read_nodes(Graph& graph, const std::vector<const OrtNode*>& nodes) {
    for (const OrtNode* node : nodes) {
      ASSIGN_OR_RETURN(const HostValues outputs, outputs_of(host_, *node));
      for (const OrtValueInfo* output : outputs) {
        if (output != nullptr) RETURN_IF_ERROR(define(graph, *output).status());
      }
    }
    for (const OrtNode* node : nodes) RETURN_IF_ERROR(read_node(graph, *node));
    return Status::ok();
  }

  Status read_outputs(Graph& graph, const HostValues& outputs) {
    for (const OrtValueInfo* output : outputs) {
      if (output == nullptr) continue;
      ASSIGN_OR_RETURN(const ValueId id, find(graph, *output));
      if (id == kNoValue) return invalid_graph("an output of the host's graph has no name");
      graph.add_output(id);
    }
    return Status::ok();
  }

 private:
  // The value of that name, made now if there is none.
  Result<ValueId> define(Graph& graph, const OrtValueInfo& value) {
    ASSIGN_OR_RETURN(std::string name, name_of(host_, &value));
    if (name.empty()) return kNoValue;
    if (const Value* known = graph.find_value(name)) return known->id;
    const OrtTypeInfo* info = nullptr;
    ORTC_ASK(host_, GetValueInfoTypeInfo(&value, &info));
    Type type;
    if (info != nullptr) {
      ASSIGN_OR_RETURN(type, type_of(host_, *info));
    }
    ASSIGN_OR_RETURN(const ValueId id, graph.add_value(std::move(name), std::move(type)));
    graph.value(id)->has_value_info = true;
    return id;
  }

  // What is not a tensor of numbers stays without contents; nobody claims what reads it.
  Status read_constant(Graph& graph, ValueId id, const OrtValueInfo& value) {
    if (id == kNoValue || graph.value(id)->initializer != nullptr) return Status::ok();
    const OrtValue* content = nullptr;
    ORTC_ASK(host_, ValueInfo_GetInitializerValue(&value, &content));
    if (content == nullptr) return Status::ok();
    auto tensor = tensor_of(host_, *content);
    if (!tensor.is_ok() && tensor.status().code() == Code::kNotImplemented) return Status::ok();
    RETURN_IF_ERROR(tensor.status());
    auto constant = std::make_shared<Constant>();
    constant->name = graph.value(id)->name;
    ASSIGN_OR_RETURN(constant->tensor, view_of(*tensor, borrowed_));
    graph.set_initializer(id, std::move(constant));
    return Status::ok();
  }

  // Looks in the graphs around, too. What is nowhere comes from outside of what is read.
  Result<ValueId> find(Graph& graph, const OrtValueInfo& value) {
    ASSIGN_OR_RETURN(const std::string name, name_of(host_, &value));
    if (name.empty()) return kNoValue;
    if (const Value* known = graph.find_value(name)) return known->id;
    if (graph.parent() != nullptr) {
      ASSIGN_OR_RETURN(const ValueId outer, find(*graph.parent(), value));
      return graph.capture(outer);
    }
    ASSIGN_OR_RETURN(const ValueId id, define(graph, value));
    bool is_constant = false;
    ORTC_ASK(host_, ValueInfo_IsConstantInitializer(&value, &is_constant));
    if (is_constant) {
      RETURN_IF_ERROR(read_constant(graph, id, value));
    } else {
      graph.add_input(id);
    }
    return id;
  }

  Result<std::vector<ValueId>> find_all(Graph& graph, const HostValues& values) {
    std::vector<ValueId> ids;
    for (const OrtValueInfo* value : values) {
      ValueId id = kNoValue;
      if (value != nullptr) {
        ASSIGN_OR_RETURN(id, find(graph, *value));
      }
      ids.push_back(id);
    }
    return ids;
  }

  Result<std::shared_ptr<Graph>> read_body(Graph& outer, const OrtGraph& from) {
    if (++depth_ > kGraphDepthMax) {
      return invalid_graph("graphs are nested deeper than ", kGraphDepthMax);
    }
    auto graph = new_graph(&outer);
    const OrtApi& api = *host_.api;
    ASSIGN_OR_RETURN(const HostValues inputs,
                     values_of(host_, from, api.Graph_GetNumInputs, api.Graph_GetInputs));
    ASSIGN_OR_RETURN(const HostValues outputs,
                     values_of(host_, from, api.Graph_GetNumOutputs, api.Graph_GetOutputs));
    ASSIGN_OR_RETURN(const auto nodes, nodes_of(host_, from));
    RETURN_IF_ERROR(read_inputs(*graph, inputs));
    RETURN_IF_ERROR(read_initializers(*graph, from));
    RETURN_IF_ERROR(read_nodes(*graph, nodes));
    RETURN_IF_ERROR(read_outputs(*graph, outputs));
    --depth_;
    return graph;
  }

  Status read_node(Graph& graph, const OrtNode& node) {
    const OrtApi& api = *host_.api;
    ASSIGN_OR_RETURN(std::string op_type, text_of(host_, api.Node_GetOperatorType, node));
    ASSIGN_OR_RETURN(std::string domain, text_of(host_, api.Node_GetDomain, node));
    ASSIGN_OR_RETURN(std::string name, text_of(host_, api.Node_GetName, node));
    ASSIGN_OR_RETURN(const HostValues inputs, inputs_of(host_, node));
    ASSIGN_OR_RETURN(const HostValues outputs, outputs_of(host_, node));
    ASSIGN_OR_RETURN(auto in, find_all(graph, inputs));
    ASSIGN_OR_RETURN(auto out, find_all(graph, outputs));
    ASSIGN_OR_RETURN(auto attributes, attributes_of(host_, node));
    ASSIGN_OR_RETURN(const auto bodies, bodies_of(host_, node));
    domain = attributes ? domain_of(domain.c_str()) : std::string(kUnreadable);
    if (!attributes) attributes.emplace();
    for (const HostBody& body : bodies) {
      Attribute attribute;
      attribute.name = body.attribute;
      attribute.kind = AttributeKind::kGraph;
      ASSIGN_OR_RETURN(attribute.graph, read_body(graph, *body.graph));
      attributes->push_back(std::move(attribute));
    }
    ASSIGN_OR_RETURN(const Node* made,
                     graph.add_node(std::move(op_type), std::move(domain), std::move(name),
                                    std::move(in), std::move(out), std::move(*attributes)));
    if (graph.parent() != nullptr) return Status::ok();
    nodes_.resize(made->id() + 1);
    nodes_[made->id()] = &node;
    return Status::ok();
  }

  const Host& host_;
  const std::shared_ptr<const void>& borrowed_;
  std::vector<const OrtNode*>& nodes_;
  std::shared_ptr<const OpsetImports> opsets_;
  int depth_ = 0;
};

}  // namespace

Result<HostValues> inputs_of(const Host& host, const OrtNode& node) {
  size_t count = 0;
  ORTC_ASK(host, Node_GetNumInputs(&node, &count));
  HostValues values(count);
  ORTC_ASK(host, Node_GetInputs(&node, values.data(), count));
  return values;
}

Result<HostValues> outputs_of(const Host& host, const OrtNode& node) {
  size_t count = 0;
  ORTC_ASK(host, Node_GetNumOutputs(&node, &count));
  HostValues values(count);
  ORTC_ASK(host, Node_GetOutputs(&node, values.data(), count));
  return values;
}

Result<std::vector<const OrtNode*>> nodes_of(const Host& host, const OrtGraph& graph) {
  size_t count = 0;
  ORTC_ASK(host, Graph_GetNumNodes(&graph, &count));
  std::vector<const OrtNode*> nodes(count);
  ORTC_ASK(host, Graph_GetNodes(&graph, nodes.data(), count));
  return nodes;
}

Result<std::vector<HostBody>> bodies_of(const Host& host, const OrtNode& node) {
  size_t count = 0;
  ORTC_ASK(host, Node_GetNumSubgraphs(&node, &count));
  std::vector<const OrtGraph*> graphs(count);
  std::vector<const char*> names(count);
  std::vector<HostBody> bodies;
  if (count == 0) return bodies;
  ORTC_ASK(host, Node_GetSubgraphs(&node, graphs.data(), count, names.data()));
  for (size_t i = 0; i < count; ++i) bodies.push_back({names[i], graphs[i]});
  return bodies;
}

Result<std::string> name_of(const Host& host, const OrtValueInfo* value) {
  if (value == nullptr) return std::string();
  const char* name = nullptr;
  ORTC_ASK(host, GetValueInfoName(value, &name));
  return std::string(name != nullptr ? name : "");
}

bool is_context_node(const Host& host, const OrtNode& node) {
  const auto op_type = text_of(host, host.api->Node_GetOperatorType, node);
  const auto domain = text_of(host, host.api->Node_GetDomain, node);
  return op_type.is_ok() && domain.is_ok() && *op_type == "EPContext" &&
         *domain == kMicrosoftDomain;
}

Result<HostGraph> HostGraphReader::read(const OrtGraph& from) const {
  const OrtApi& api = *host_.api;
  ASSIGN_OR_RETURN(const HostValues inputs,
                   values_of(host_, from, api.Graph_GetNumInputs, api.Graph_GetInputs));
  ASSIGN_OR_RETURN(const HostValues outputs,
                   values_of(host_, from, api.Graph_GetNumOutputs, api.Graph_GetOutputs));
  return read_between(from, inputs, outputs);
}

Result<HostGraph> HostGraphReader::read_fused(const OrtGraph& from, const OrtNode& fused) const {
  ASSIGN_OR_RETURN(const HostValues inputs, inputs_of(host_, fused));
  ASSIGN_OR_RETURN(const HostValues outputs, outputs_of(host_, fused));
  return read_between(from, inputs, outputs);
}

Result<HostGraph> HostGraphReader::read_between(const OrtGraph& from, const HostValues& inputs,
                                                const HostValues& outputs) const {
  HostGraph read;
  Reading reading(host_, borrowed_, read.nodes);
  RETURN_IF_ERROR(reading.read_opsets(from));
  ASSIGN_OR_RETURN(const auto nodes, nodes_of(host_, from));
  read.graph = reading.new_graph(nullptr);
  RETURN_IF_ERROR(reading.read_inputs(*read.graph, inputs));
  RETURN_IF_ERROR(reading.read_initializers(*read.graph, from));
  RETURN_IF_ERROR(reading.read_nodes(*read.graph, nodes));
  RETURN_IF_ERROR(reading.read_outputs(*read.graph, outputs));
  RETURN_IF_ERROR(infer_types(*read.graph, {.lenient_shapes = true}));
  return read;
}

Result<HostGraph> HostGraphReader::read_alone(const OrtNode& node) const {
  HostGraph read;
  Reading reading(host_, borrowed_, read.nodes);
  ASSIGN_OR_RETURN(const auto bodies, bodies_of(host_, node));
  if (bodies.empty()) return invalid_graph("a node around a graph has no graph");
  RETURN_IF_ERROR(reading.read_opsets(*bodies.front().graph));
  ASSIGN_OR_RETURN(const HostValues outputs, outputs_of(host_, node));
  read.graph = reading.new_graph(nullptr);
  RETURN_IF_ERROR(reading.read_nodes(*read.graph, {&node}));
  RETURN_IF_ERROR(reading.read_outputs(*read.graph, outputs));
  RETURN_IF_ERROR(infer_types(*read.graph, {.lenient_shapes = true}));
  return read;
}

}  // namespace ortc::ort_ep
