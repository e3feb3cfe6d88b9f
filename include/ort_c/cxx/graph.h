// SPDX-License-Identifier: MIT
// Nodes, graphs and models: of files that were read, and for the model editor.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ort_c/cxx/graph_values.h"
#include "ort_c/cxx/session.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

struct Graph;
struct AttrNameSubgraph;

namespace detail {

template <typename T>
struct ConstGraphImpl;

/// What can be asked of a node. Inputs and outputs that it leaves out hold nullptr.
template <typename T>
struct ConstNodeImpl : Base<T> {
  using Base<T>::Base;

  size_t GetId() const { return answer_of<size_t>(this->p_, ORT_CXX_CALL(Node_GetId)); }
  std::string GetName() const { return text_of(this->p_, ORT_CXX_CALL(Node_GetName)); }
  std::string GetOperatorType() const {
    return text_of(this->p_, ORT_CXX_CALL(Node_GetOperatorType));
  }
  std::string GetDomain() const { return text_of(this->p_, ORT_CXX_CALL(Node_GetDomain)); }
  int GetSinceVersion() const {
    return answer_of<int>(this->p_, ORT_CXX_CALL(Node_GetSinceVersion));
  }
  std::string GetEpName() const { return text_of(this->p_, ORT_CXX_CALL(Node_GetEpName)); }

  std::vector<ConstValueInfo> GetInputs() const {
    return list_of<ConstValueInfo>(this->p_, ORT_CXX_CALL(Node_GetNumInputs),
                                   ORT_CXX_CALL(Node_GetInputs));
  }
  std::vector<ConstValueInfo> GetOutputs() const {
    return list_of<ConstValueInfo>(this->p_, ORT_CXX_CALL(Node_GetNumOutputs),
                                   ORT_CXX_CALL(Node_GetOutputs));
  }
  /// Values that its sub-graphs take from outside.
  std::vector<ConstValueInfo> GetImplicitInputs() const {
    return list_of<ConstValueInfo>(this->p_, ORT_CXX_CALL(Node_GetNumImplicitInputs),
                                   ORT_CXX_CALL(Node_GetImplicitInputs));
  }
  std::vector<ConstOpAttr> GetAttributes() const {
    return list_of<ConstOpAttr>(this->p_, ORT_CXX_CALL(Node_GetNumAttributes),
                                ORT_CXX_CALL(Node_GetAttributes));
  }
  /// Fails with NOT_FOUND when the node has no attribute of that name.
  Status GetAttributeByName(const std::string& name, ConstOpAttr& out) const {
    const OrtOpAttr* attribute = nullptr;
    Status status(ORT_CXX_CALL(Node_GetAttributeByName)(this->p_, name.c_str(), &attribute));
    out = ConstOpAttr(attribute);
    return status;
  }
  std::vector<AttrNameSubgraph> GetSubgraphs() const;
  ConstGraphImpl<Unowned<const OrtGraph>> GetGraph() const;
};

}  // namespace detail

/// A node that belongs to a graph.
using ConstNode = detail::ConstNodeImpl<detail::Unowned<const OrtNode>>;

/// A node of the model editor.
struct Node : detail::ConstNodeImpl<OrtNode> {
  Node() = default;
  explicit Node(std::nullptr_t) {}
  explicit Node(OrtNode* p) : ConstNodeImpl(p) {}
  Node(const std::string& operator_name, const std::string& operator_domain,
       const std::string& node_name, const std::vector<std::string>& input_names,
       const std::vector<std::string>& output_names) {
    init(operator_name, operator_domain, node_name, input_names, output_names, nullptr, 0);
  }
  /// The node takes the attributes over; they hold nullptr then.
  Node(const std::string& operator_name, const std::string& operator_domain,
       const std::string& node_name, const std::vector<std::string>& input_names,
       const std::vector<std::string>& output_names, std::vector<OpAttr>& attributes) {
    init(operator_name, operator_domain, node_name, input_names, output_names,
         detail::c_array(attributes.data()), attributes.size());
  }

 private:
  void init(const std::string& operator_name, const std::string& operator_domain,
            const std::string& node_name, const std::vector<std::string>& input_names,
            const std::vector<std::string>& output_names, OrtOpAttr** attributes,
            size_t attribute_count) {
    ThrowOnError(ORT_CXX_EDITOR_CALL(CreateNode)(
        operator_name.c_str(), operator_domain.c_str(), node_name.c_str(),
        detail::pointers_to(input_names).data(), input_names.size(),
        detail::pointers_to(output_names).data(), output_names.size(), attributes, attribute_count,
        &p_));
  }
};

/// A node, and which of its inputs or outputs a value is.
struct ValueInfoConsumerProducerInfo {
  ConstNode node;
  int64_t index;
};

/// A domain and the version of its operators that a model imports.
struct OperatorSet {
  std::string domain;
  int64_t version;
};

namespace detail {

/// What can be asked of a graph. What it gives lives as long as the graph.
template <typename T>
struct ConstGraphImpl : Base<T> {
  using Base<T>::Base;

  std::string GetName() const { return text_of(this->p_, ORT_CXX_CALL(Graph_GetName)); }
  /// Empty for a model from memory.
  std::string GetModelPath() const { return text_of(this->p_, ORT_CXX_CALL(Graph_GetModelPath)); }
  int64_t GetOnnxIRVersion() const {
    return answer_of<int64_t>(this->p_, ORT_CXX_CALL(Graph_GetOnnxIRVersion));
  }
  std::vector<OperatorSet> GetOperatorSets() const {
    const auto count = answer_of<size_t>(this->p_, ORT_CXX_CALL(Graph_GetNumOperatorSets));
    std::vector<const char*> domains(count);
    std::vector<int64_t> versions(count);
    ThrowOnError(
        ORT_CXX_CALL(Graph_GetOperatorSets)(this->p_, domains.data(), versions.data(), count));
    std::vector<OperatorSet> sets;
    for (size_t i = 0; i < count; ++i) sets.push_back({domains[i], versions[i]});
    return sets;
  }
  std::vector<ConstValueInfo> GetInputs() const {
    return list_of<ConstValueInfo>(this->p_, ORT_CXX_CALL(Graph_GetNumInputs),
                                   ORT_CXX_CALL(Graph_GetInputs));
  }
  std::vector<ConstValueInfo> GetOutputs() const {
    return list_of<ConstValueInfo>(this->p_, ORT_CXX_CALL(Graph_GetNumOutputs),
                                   ORT_CXX_CALL(Graph_GetOutputs));
  }
  std::vector<ConstValueInfo> GetInitializers() const {
    return list_of<ConstValueInfo>(this->p_, ORT_CXX_CALL(Graph_GetNumInitializers),
                                   ORT_CXX_CALL(Graph_GetInitializers));
  }
  /// In an order in which they can run.
  std::vector<ConstNode> GetNodes() const {
    return list_of<ConstNode>(this->p_, ORT_CXX_CALL(Graph_GetNumNodes),
                              ORT_CXX_CALL(Graph_GetNodes));
  }
  /// The node whose sub-graph this is; holds nullptr for the main graph.
  ConstNode GetParentNode() const {
    return ConstNode(answer_of<const OrtNode*>(this->p_, ORT_CXX_CALL(Graph_GetParentNode)));
  }
  /// Some of the nodes as a graph of their own.
  Graph GetGraphView(const std::vector<ConstNode>& nodes) const;
  ModelMetadata GetModelMetadata() const {
    return ModelMetadata(
        answer_of<OrtModelMetadata*>(this->p_, ORT_CXX_CALL(Graph_GetModelMetadata)));
  }
};

/// What can be done to a graph of the model editor. One thread at a time.
template <typename T>
struct GraphImpl : ConstGraphImpl<T> {
  using ConstGraphImpl<T>::ConstGraphImpl;

  /// The graph takes the values over; they hold nullptr then.
  void SetInputs(std::vector<ValueInfo>& inputs) {
    ThrowOnError(
        ORT_CXX_EDITOR_CALL(SetGraphInputs)(this->p_, c_array(inputs.data()), inputs.size()));
  }
  void SetOutputs(std::vector<ValueInfo>& outputs) {
    ThrowOnError(
        ORT_CXX_EDITOR_CALL(SetGraphOutputs)(this->p_, c_array(outputs.data()), outputs.size()));
  }
  /// Takes the tensor over; it holds nullptr then. `data_is_external`: memory of the program under
  /// it is used as it is and must outlive all sessions of the model.
  void AddInitializer(const std::string& name, Value& tensor, bool data_is_external) {
    ThrowOnError(ORT_CXX_EDITOR_CALL(AddInitializerToGraph)(this->p_, name.c_str(), tensor,
                                                            data_is_external));
    tensor.release();
  }
  /// Takes the node over; it holds nullptr then.
  void AddNode(Node& node) {
    ThrowOnError(ORT_CXX_EDITOR_CALL(AddNodeToGraph)(this->p_, node));
    node.release();
  }
};

}  // namespace detail

/// A graph that something else owns.
using ConstGraph = detail::ConstGraphImpl<detail::Unowned<const OrtGraph>>;

/// A sub-graph, and the attribute of the node that holds it.
struct AttrNameSubgraph {
  std::string attr_name;
  ConstGraph sub_graph;
};

/// A graph of the model editor, or one that was read from a model.
struct Graph : detail::GraphImpl<OrtGraph> {
  explicit Graph(std::nullptr_t) {}
  explicit Graph(OrtGraph* p) : GraphImpl(p) {}
  /// An empty graph.
  Graph() { ThrowOnError(ORT_CXX_EDITOR_CALL(CreateGraph)(&p_)); }
#if !defined(ORT_CXX_TABLE)
  /// The main graph of a model file, as execution providers see it.
  static Graph Load(const Env& env, const detail::Path& model_path) {
    OrtGraph* graph = nullptr;
    ThrowOnError(OrtLoadGraph(env, model_path.c_str(), &graph));
    return Graph(graph);
  }
  /// The same of the bytes of a model, borrowed for the call.
  static Graph Load(const Env& env, const void* model_data, size_t size) {
    OrtGraph* graph = nullptr;
    ThrowOnError(OrtLoadGraphFromArray(env, model_data, size, &graph));
    return Graph(graph);
  }
#endif
};

namespace detail {

template <typename T>
struct ModelImpl : Base<T> {
  using Base<T>::Base;

  /// Gives the model its graph, once; the graph holds nullptr then.
  void AddGraph(Graph& graph) {
    ThrowOnError(ORT_CXX_EDITOR_CALL(AddGraphToModel)(this->p_, graph));
    graph.release();
  }
};

}  // namespace detail

using UnownedModel = detail::ModelImpl<detail::Unowned<OrtModel>>;

/// A model of the model editor.
struct Model : detail::ModelImpl<OrtModel> {
  using DomainOpsetPair = std::pair<std::string, int>;

  explicit Model(std::nullptr_t) {}
  explicit Model(OrtModel* p) : ModelImpl(p) {}
  /// `opsets`  The versions of operators that it imports; "" is ONNX's own domain.
  explicit Model(const std::vector<DomainOpsetPair>& opsets) {
    std::vector<const char*> domains;
    std::vector<int> versions;
    for (const auto& [domain, version] : opsets) {
      domains.push_back(domain.c_str());
      versions.push_back(version);
    }
    ThrowOnError(
        ORT_CXX_EDITOR_CALL(CreateModel)(domains.data(), versions.data(), domains.size(), &p_));
  }
};

namespace detail {

template <typename T>
ValueInfoConsumerProducerInfo ConstValueInfoImpl<T>::GetProducerNode() const {
  const OrtNode* node = nullptr;
  size_t index = 0;
  ThrowOnError(ORT_CXX_CALL(ValueInfo_GetValueProducer)(this->p_, &node, &index));
  return {ConstNode(node), static_cast<int64_t>(index)};
}

template <typename T>
std::vector<ValueInfoConsumerProducerInfo> ConstValueInfoImpl<T>::GetConsumers() const {
  const auto count = answer_of<size_t>(this->p_, ORT_CXX_CALL(ValueInfo_GetValueNumConsumers));
  std::vector<const OrtNode*> nodes(count);
  std::vector<int64_t> indices(count);
  ThrowOnError(
      ORT_CXX_CALL(ValueInfo_GetValueConsumers)(this->p_, nodes.data(), indices.data(), count));
  std::vector<ValueInfoConsumerProducerInfo> result;
  for (size_t i = 0; i < count; ++i) result.push_back({ConstNode(nodes[i]), indices[i]});
  return result;
}

template <typename T>
std::vector<AttrNameSubgraph> ConstNodeImpl<T>::GetSubgraphs() const {
  const auto count = answer_of<size_t>(this->p_, ORT_CXX_CALL(Node_GetNumSubgraphs));
  std::vector<const OrtGraph*> graphs(count);
  std::vector<const char*> names(count);
  ThrowOnError(ORT_CXX_CALL(Node_GetSubgraphs)(this->p_, graphs.data(), count, names.data()));
  std::vector<AttrNameSubgraph> result;
  for (size_t i = 0; i < count; ++i) result.push_back({names[i], ConstGraph(graphs[i])});
  return result;
}

template <typename T>
ConstGraphImpl<Unowned<const OrtGraph>> ConstNodeImpl<T>::GetGraph() const {
  return ConstGraph(answer_of<const OrtGraph*>(this->p_, ORT_CXX_CALL(Node_GetGraph)));
}

template <typename T>
Graph ConstGraphImpl<T>::GetGraphView(const std::vector<ConstNode>& nodes) const {
  OrtGraph* view = nullptr;
  ThrowOnError(ORT_CXX_CALL(Graph_GetGraphView)(
      this->p_, const_cast<const OrtNode**>(c_array(nodes.data())), nodes.size(), &view));
  return Graph(view);
}

template <typename T>
std::vector<ValueInfo> ConstSessionImpl<T>::GetInputs() const {
  std::vector<ValueInfo> infos;
  const std::vector<std::string> names = GetInputNames();
  for (size_t i = 0; i < names.size(); ++i) {
    infos.emplace_back(names[i], GetInputTypeInfo(i).GetConst());
  }
  return infos;
}

template <typename T>
std::vector<ValueInfo> ConstSessionImpl<T>::GetOutputs() const {
  std::vector<ValueInfo> infos;
  const std::vector<std::string> names = GetOutputNames();
  for (size_t i = 0; i < names.size(); ++i) {
    infos.emplace_back(names[i], GetOutputTypeInfo(i).GetConst());
  }
  return infos;
}

template <typename T>
void SessionImpl<T>::FinalizeModelEditorSession(const Model& changes, const SessionOptions& options,
                                                OrtPrepackedWeightsContainer* weights) {
  ThrowOnError(ORT_CXX_EDITOR_CALL(ApplyModelToModelEditorSession)(this->p_, changes));
  ThrowOnError(ORT_CXX_EDITOR_CALL(FinalizeModelEditorSession)(this->p_, options, weights));
}

}  // namespace detail

inline Session::Session(const Env& env, const Model& model, const SessionOptions& options) {
  ThrowOnError(ORT_CXX_EDITOR_CALL(CreateSessionFromModel)(env, model, options, &p_));
}

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
