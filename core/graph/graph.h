// SPDX-License-Identifier: MIT
// The graph: values and nodes with stable ids, producers, consumers and captures.
//
// Every name in a graph is one Value. A name that a sub-graph takes from an enclosing graph is a
// Value of the sub-graph too, marked as captured (outer_value says which value of the parent it
// is); the node that owns the sub-graph lists the parent's value among its implicit inputs. Ids are
// never used again, removed things leave a hole. Not thread-safe for writers; const use from
// several threads is fine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/graph/attribute.h"
#include "core/graph/type.h"
#include "core/graph/use_list.h"

namespace ortc {

using ValueId = uint32_t;
inline constexpr ValueId kNoValue = UINT32_MAX;  // an omitted optional input or output
inline constexpr NodeId kNoNode = UINT32_MAX;
inline constexpr uint32_t kNoCallee = UINT32_MAX;

// Operators that only partitioning and lowering make (fused nodes, channels-last forms); never in a
// model file. Its version is 1 in every graph.
inline constexpr std::string_view kInternalDomain = "ortc";
// The domain of single nodes once they are compiled: no rewrites of others know their operators.
inline constexpr std::string_view kClaimedDomain = "ortc.claimed";
inline constexpr std::string_view kMicrosoftDomain = "com.microsoft";

class CustomOperator;  // core/ops/custom_operator.h
class Graph;
class Node;

struct Value {
  ValueId id = kNoValue;
  std::string name;  // unique in its graph, not empty
  Type type;
  NodeId producer = kNoNode;
  uint32_t producer_output = 0;
  UseList uses;
  // A graph input (an initializer may stand behind it: then it can be overridden).
  bool is_input = false;
  bool is_output = false;
  // Of a claim's constant: other providers read it too, so it stays as it is somewhere anyhow.
  bool is_read_elsewhere = false;
  ValueId outer_value = kNoValue;               // captured: the value of the parent graph
  std::shared_ptr<const Constant> initializer;  // null when it has none
  std::shared_ptr<const SparseConstant> sparse_initializer;
  std::string doc;
  std::string unknown_fields;   // of its ValueInfoProto
  bool has_value_info = false;  // stood in value_info, inputs or outputs of the file
  std::vector<std::pair<std::string, std::string>> metadata;

  // The tensor that every run sees here: an initializer that no caller can override; null
  // otherwise.
  const Tensor* constant() const {
    return initializer && !is_input ? &initializer->tensor : nullptr;
  }
  bool is_captured() const { return outer_value != kNoValue; }
};

class Node {
 public:
  NodeId id() const { return id_; }
  const std::string& name() const { return name_; }
  const std::string& op_type() const { return op_type_; }
  const std::string& domain() const { return domain_; }  // "" for ai.onnx
  const std::string& overload() const { return overload_; }
  // Whether it is the operator of that name as this library knows it: a custom operator never is.
  bool is_op(std::string_view op_type, std::string_view domain = "") const {
    return op_type_ == op_type && domain_ == domain && custom_ == nullptr;
  }
  // "Conv 'stem/conv1'", for messages.
  std::string label() const;

  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<ValueId>& outputs() const { return outputs_; }
  // Values of this graph that sub-graphs of the node read, each once, in order of first appearance.
  const std::vector<ValueId>& implicit_inputs() const { return implicit_inputs_; }
  ValueId input(size_t i) const { return i < inputs_.size() ? inputs_[i] : kNoValue; }
  ValueId output(size_t i) const { return i < outputs_.size() ? outputs_[i] : kNoValue; }

  const std::vector<Attribute>& attributes() const { return attributes_; }
  const Attribute* attribute(std::string_view name) const;
  // The attribute's value, or `otherwise` when there is none of that name and kind.
  int64_t int_attribute(std::string_view name, int64_t otherwise) const;
  float float_attribute(std::string_view name, float otherwise) const;
  std::string_view string_attribute(std::string_view name, std::string_view otherwise) const;
  std::vector<int64_t> ints_attribute(std::string_view name,
                                      std::vector<int64_t> otherwise = {}) const;
  void set_attribute(Attribute attribute);  // replaces one of the same name
  bool remove_attribute(std::string_view name);
  void set_name(std::string name) { name_ = std::move(name); }
  void set_op(std::string op_type, std::string domain) {
    if (domain != domain_) opset_ = 0;
    op_type_ = std::move(op_type);
    domain_ = std::move(domain);
  }
  // All sub-graphs, in attribute order.
  std::vector<Graph*> subgraphs() const;

  Graph* graph() const { return graph_; }  // that it stands in
  // The claim of a provider that runs in place of the node, by its number in the partitioned model.
  uint32_t callee() const { return callee_; }
  void set_callee(uint32_t number) { callee_ = number; }
  // The operator of the program that the node stands for, whatever ONNX says of its name; null for
  // the operators of this library.
  const std::shared_ptr<const CustomOperator>& custom() const { return custom_; }
  void set_custom(std::shared_ptr<const CustomOperator> custom) { custom_ = std::move(custom); }
  // The opset version of its domain that it is read with: the model's, or one of its own, which
  // rewrites that never become a file give to operators that the model's version does not have.
  int64_t opset() const;
  void set_opset(int64_t version) { opset_ = version; }

  std::string doc;
  std::string unknown_fields;
  std::vector<std::pair<std::string, std::string>> metadata;

 private:
  friend class Graph;
  NodeId id_ = kNoNode;
  Graph* graph_ = nullptr;
  std::string name_, op_type_, domain_, overload_;
  std::vector<ValueId> inputs_, outputs_, implicit_inputs_;
  std::vector<Attribute> attributes_;
  uint32_t callee_ = kNoCallee;
  int64_t opset_ = 0;  // the model's
  std::shared_ptr<const CustomOperator> custom_;
};

// The opsets a graph's nodes are read with; shared by a model and all its graphs.
using OpsetImports = std::vector<std::pair<std::string, int64_t>>;

class Graph {
  struct NameHash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
  };

 public:
  explicit Graph(std::shared_ptr<const OpsetImports> opsets, Graph* parent = nullptr)
      : opsets_(std::move(opsets)), parent_(parent) {}
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  std::string name;
  std::string doc;
  std::string unknown_fields;
  std::vector<std::string> quantization_annotations;  // wire bytes, each a TensorAnnotation
  std::vector<std::pair<std::string, std::string>> metadata;

  // --- Values ---

  size_t value_bound() const { return values_.size(); }  // ids are below; holes give nullptr
  Value* value(ValueId id) { return id < values_.size() ? values_[id].get() : nullptr; }
  const Value* value(ValueId id) const { return id < values_.size() ? values_[id].get() : nullptr; }
  Value* find_value(std::string_view name);
  const Value* find_value(std::string_view name) const;
  // INVALID_GRAPH when the name is taken. An empty name is made unique ("v12").
  Result<ValueId> add_value(std::string name, Type type = {});
  // A new name that starts with `stem` and that no value of this graph or of an enclosing one has.
  std::string unique_name(std::string_view stem) const;
  ValueId add_constant(std::string_view name_stem, Tensor tensor);
  void set_initializer(ValueId id, std::shared_ptr<const Constant> constant);  // null takes it away
  // Makes `outer` of the parent graph readable here under its own name; the same value each time. A
  // value of this graph that hides the name gets a new one. The owning node's implicit inputs grow.
  Result<ValueId> capture(ValueId outer);
  // A value that nothing produces, reads or exports.
  void remove_value(ValueId id);
  // Also in the sub-graphs that capture the value. INVALID_GRAPH when the name is taken or the
  // value is itself captured.
  Status rename_value(ValueId id, std::string name);

  const std::vector<ValueId>& inputs() const { return inputs_; }
  // A value may stand here more than once.
  const std::vector<ValueId>& outputs() const { return outputs_; }
  void add_input(ValueId id);
  void add_output(ValueId id);
  void set_inputs(std::vector<ValueId> ids);
  void set_outputs(std::vector<ValueId> ids);
  std::vector<ValueId> initializers() const;  // in order of ids

  // --- Nodes ---

  size_t node_bound() const { return nodes_.size(); }
  Node* node(NodeId id) { return id < nodes_.size() ? nodes_[id].get() : nullptr; }
  const Node* node(NodeId id) const { return id < nodes_.size() ? nodes_[id].get() : nullptr; }
  size_t node_count() const { return node_count_; }
  // Every output must have no producer so far and be neither graph input nor initializer.
  // Sub-graphs in attributes must have this graph as parent; their captures become the node's
  // implicit inputs.
  Result<Node*> add_node(std::string op_type, std::string domain, std::string name,
                         std::vector<ValueId> inputs, std::vector<ValueId> outputs,
                         std::vector<Attribute> attributes = {}, std::string overload = {});
  void remove_node(NodeId id);                               // its outputs stay, without producer
  void set_input(NodeId id, uint32_t index, ValueId value);  // grows the list when needed
  void set_output(NodeId id, uint32_t index, ValueId value);
  // Drops the captures that the node's sub-graphs no longer read, and reads the rest again.
  void refresh_implicit_inputs(NodeId id);
  // Every reader of `from` (nodes, sub-graphs) reads `to` instead. When `from` is a graph output,
  // the output's name must stay: then `to` takes over name and place if it is a plain intermediate
  // (swap), else nothing is done and false returned.
  bool replace_uses(ValueId from, ValueId to);
  Node* producer(ValueId id) { return value(id) ? node(value(id)->producer) : nullptr; }
  const Node* producer(ValueId id) const { return value(id) ? node(value(id)->producer) : nullptr; }
  // The only node that reads the value, when it is not a graph output, read once and not by a
  // sub-graph; else null.
  Node* only_consumer(ValueId id);

  // Ids of all nodes so that producers come before consumers; ties by id, so the order is stable.
  // INVALID_GRAPH naming a node on the cycle.
  Result<std::vector<NodeId>> topological_order() const;

  // --- Place ---

  Graph* parent() const { return parent_; }
  Node* parent_node() const { return parent_node_; }
  void set_parent(Graph* parent, Node* parent_node) {
    parent_ = parent;
    parent_node_ = parent_node;
  }
  const std::shared_ptr<const OpsetImports>& opsets() const { return opsets_; }
  int64_t opset(std::string_view domain) const;  // 0 when not imported; "ai.onnx" is ""
  void set_opsets(std::shared_ptr<const OpsetImports> opsets);  // also in all sub-graphs

  // A deep copy under another parent; ids stay the same, constants are shared.
  std::shared_ptr<Graph> clone(Graph* parent = nullptr) const;

 private:
  friend class Node;
  void add_use(ValueId id, Use use);
  void remove_use(ValueId id, const Use& use);
  Status take_outputs(const Node& node);
  void adopt_subgraphs(Node& node);
  void apply_name(Value& value, std::string name);
  void redirect_capture(ValueId captured, ValueId outer);
  void prune_captures();
  void swap_output(Value& from, Value& to);

  std::shared_ptr<const OpsetImports> opsets_;
  Graph* parent_ = nullptr;
  Node* parent_node_ = nullptr;
  std::vector<std::unique_ptr<Value>> values_;
  std::unordered_map<std::string, ValueId, NameHash, std::equal_to<>> names_;
  std::vector<std::unique_ptr<Node>> nodes_;
  size_t node_count_ = 0;
  std::vector<ValueId> inputs_, outputs_;
};

}  // namespace ortc
