// SPDX-License-Identifier: MIT
// Type and shape inference: walks a graph in topological order, asks each operator's row, merges
// what it says with what the file says, and goes into sub-graphs when their owner is reached.
//
// A sub-graph sees the types, contents and constants of the values that it captures; so one
// GraphInference stands on the stack for each nesting level.
#include "core/ops/infer.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "core/graph/limits.h"
#include "core/graph/symbol/symbol.h"
#include "core/graph/walk.h"
#include "core/ops/custom_operator.h"
#include "core/ops/declared/declared_dims.h"
#include "core/ops/declared/required_shapes.h"
#include "core/ops/op_list.h"
#include "core/ops/shape_rules.h"
#include "core/ops/signatures/op_attributes.h"
#include "core/ops/signatures/op_signature.h"

namespace ortc {
namespace {

constexpr int kNestingMax = 64;

// Which inputs and outputs of an operator may be left out by an empty name. Reading a signature
// takes a while: it is done for nodes that leave one out, once for each operator.
class OmittedParameters {
 public:
  Status check(const Node& node, const OpRow& row);

 private:
  struct Signatures {
    std::optional<OpSignature> at_opset, newest;
  };
  const Signatures& signatures_of(const Node& node, const OpRow& row);

  std::map<std::pair<const OpRow*, int64_t>, Signatures> known_;
};

const OmittedParameters::Signatures& OmittedParameters::signatures_of(const Node& node,
                                                                      const OpRow& row) {
  auto [at, is_new] = known_.try_emplace({&row, node.opset()});
  if (is_new) {
    at->second = {find_op_signature(node.domain(), node.op_type(), node.opset()),
                  find_op_signature(node.domain(), node.op_type(), kNewestOpset)};
  }
  return at->second;
}

using Parameters = std::vector<OpParameter>;

// Null when a value may be left out at this place, and where nothing is said of it.
const OpParameter* required_at(const Parameters& parameters, size_t i) {
  if (i >= parameters.size() || parameters[i].is_optional) return nullptr;
  return &parameters[i];
}

// What a later version calls optional may be left out of an earlier one: writers did that with
// Resize.
Status check_inputs(const std::vector<ValueId>& inputs, const Parameters& parameters,
                    const Parameters& newest) {
  if (parameters.empty()) return Status::ok();
  const OpParameter& last = parameters.back();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] != kNoValue) continue;
    const bool is_last = last.is_variadic && i + 1 >= parameters.size();
    const OpParameter* missing = is_last ? &last : required_at(parameters, i);
    if (missing == nullptr || (!is_last && required_at(newest, i) == nullptr)) continue;
    return invalid_graph("input ", i, ", '", missing->name, "', is left out, but not optional");
  }
  return Status::ok();
}

// Each of a variadic output may be left out.
Status check_outputs(const std::vector<ValueId>& outputs, const Parameters& parameters) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const OpParameter* missing = outputs[i] == kNoValue ? required_at(parameters, i) : nullptr;
    if (missing == nullptr || missing->is_variadic) continue;
    return invalid_graph("output ", i, ", '", missing->name, "', is left out, but not optional");
  }
  return Status::ok();
}

Status OmittedParameters::check(const Node& node, const OpRow& row) {
  const auto &inputs = node.inputs(), &outputs = node.outputs();
  const bool omits_input = std::ranges::find(inputs, kNoValue) != inputs.end();
  const bool omits_output = std::ranges::find(outputs, kNoValue) != outputs.end();
  if (!omits_input && !omits_output) return Status::ok();
  const auto& [signature, newest] = signatures_of(node, row);
  if (!signature) return Status::ok();
  const Parameters none;
  RETURN_IF_ERROR(check_inputs(inputs, signature->inputs, newest ? newest->inputs : none));
  return check_outputs(outputs, signature->outputs);
}

// What one walk over a graph and its sub-graphs shares.
struct Walk {
  const InferOptions& options;
  const Graph& root;
  OmittedParameters omitted;
  int64_t numbered = -1;  // sub-graphs that have a number; -1: nobody asked

  // Of types that contradict: what they do not, if that is allowed and only shapes do. `where` and
  // `contradiction` are for the warning.
  Status reconcile(Type& known, const Type& found, Status contradiction,
                   const std::string& where) const;

  int64_t next_number() {
    if (numbered < 0) numbered = last_graph_number(root);
    return ++numbered;
  }
};

Status Walk::reconcile(Type& known, const Type& found, Status contradiction,
                       const std::string& where) const {
  if (!options.lenient_shapes) return contradiction;
  RETURN_IF_ERROR(merge_type_leniently(known, found));
  ORTC_LOG(options.logger, kWarning, "load", where, ": ", contradiction.message(),
           "; what contradicts counts as unknown");
  return Status::ok();
}

class GraphInference {
 public:
  GraphInference(Graph& graph, Walk& walk, GraphInference* parent = nullptr)
      : graph_(graph),
        walk_(walk),
        parent_(parent),
        depth_(parent != nullptr ? parent->depth_ + 1 : 0) {}

  Status run();
  Status run_node(Node& node);
  Status merge(const Node& node, size_t output, const Type& found);
  void set_contents(ValueId id, Integers contents) { contents_[id] = std::move(contents); }
  void set_constant(ValueId id, std::shared_ptr<const Constant> constant) {
    constants_[id] = std::move(constant);
  }
  const Tensor* constant(ValueId id) const;
  const Integers* contents(ValueId id) const;
  Result<std::vector<Type>> run_subgraph(Graph& graph, const std::vector<Type>& inputs);

  Graph& graph() { return graph_; }

 private:
  Status find_custom(Node& node, const InferContext& context) const;
  Status infer_outputs(const Node& node, InferContext& context);
  void take_captures();
  void prefer_found(Value& value, const Type& found) const;
  void name_unknown_dims(Value& value);

  Graph& graph_;
  Walk& walk_;
  GraphInference* parent_;
  int depth_;
  int64_t number_ = 0;  // of a sub-graph, in the symbols that are made in it; 0: none so far
  std::unordered_map<ValueId, Integers> contents_;
  std::unordered_map<ValueId, std::shared_ptr<const Constant>> constants_;  // of Constant nodes
};

class NodeContext final : public InferContext {
 public:
  NodeContext(GraphInference& inference, const Node& node) : inference_(inference), node_(node) {}

  const Node& node() const override { return node_; }
  const Type& input_type(size_t i) const override {
    const Value* value = inference_.graph().value(node_.input(i));
    if (value == nullptr) return none_;
    if (!has_shown_symbols(value->type)) return value->type;
    return unshown_.try_emplace(i, true_type(value->type)).first->second;
  }
  const Tensor* constant(size_t i) const override { return inference_.constant(node_.input(i)); }
  const Integers* contents(size_t i) const override { return inference_.contents(node_.input(i)); }
  void set_output(size_t i, Type type) override {
    if (!status_.is_ok() || node_.output(i) == kNoValue) return;
    status_ = inference_.merge(node_, i, type);
  }
  void set_contents(size_t i, Integers contents) override {
    if (node_.output(i) != kNoValue) inference_.set_contents(node_.output(i), std::move(contents));
  }
  Result<std::vector<Type>> infer_subgraph(Graph& graph, const std::vector<Type>& inputs) override {
    seen_.insert(&graph);
    return inference_.run_subgraph(graph, inputs);
  }

  // The first failure of set_output.
  Status take_status() { return std::move(status_); }
  bool has_seen(const Graph* graph) const { return seen_.count(graph) != 0; }

 private:
  GraphInference& inference_;
  const Node& node_;
  Type none_;
  mutable std::map<size_t, Type> unshown_;  // inputs with names that are only shown
  Status status_;
  std::set<const Graph*> seen_;
};

Status check_counts(const Node& node, const OpRow& row) {
  const auto outside = [](size_t count, uint8_t low, uint8_t high) {
    return count < low || (high != kVariadic && count > high);
  };
  const size_t inputs = node.inputs().size(), outputs = node.outputs().size();
  if (outside(inputs, row.min_inputs, row.max_inputs)) {
    return invalid_graph(
        "has ", inputs, " inputs, expected ", row.min_inputs, " to ",
        row.max_inputs == kVariadic ? std::string("any number") : str_cat(row.max_inputs));
  }
  if (outside(outputs, row.min_outputs, row.max_outputs)) {
    return invalid_graph(
        "has ", outputs, " outputs, expected ", row.min_outputs, " to ",
        row.max_outputs == kVariadic ? std::string("any number") : str_cat(row.max_outputs));
  }
  for (std::string_view rest = row.required; !rest.empty();) {
    const std::string_view name = rest.substr(0, rest.find(','));
    if (node.attribute(name) == nullptr) {
      return invalid_graph("the required attribute '", name, "' is missing");
    }
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
  }
  return Status::ok();
}

// An unknown size is the same wherever it comes from this value: a symbol of its own lets later
// shapes be compared. Values of sub-graphs may have equal names, and their sizes come out of If and
// Loop: the number of a sub-graph keeps them apart.
void GraphInference::name_unknown_dims(Value& value) {
  if (value.is_output || !value.type.has_shape()) return;
  Shape& shape = *value.type.shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].is_known() || !shape[i].symbol.empty()) continue;
    if (depth_ > 0 && number_ == 0) number_ = walk_.next_number();
    shape[i].symbol = own_symbol(value.name, i, number_);
  }
}

const Tensor* GraphInference::constant(ValueId id) const {
  const Value* value = graph_.value(id);
  if (value == nullptr) return nullptr;
  if (const Tensor* tensor = value->constant()) return tensor;
  if (auto found = constants_.find(id); found != constants_.end()) return &found->second->tensor;
  return value->is_captured() && parent_ != nullptr ? parent_->constant(value->outer_value)
                                                    : nullptr;
}

const Integers* GraphInference::contents(ValueId id) const {
  const Value* value = graph_.value(id);
  if (value == nullptr) return nullptr;
  if (auto found = contents_.find(id); found != contents_.end()) return &found->second;
  return value->is_captured() && parent_ != nullptr ? parent_->contents(value->outer_value)
                                                    : nullptr;
}

// What inference found is true, what the file says may not be: a symbol that was found takes the
// place of one that the file made up. Outputs of the model still show theirs. A number of the file
// gives way to a size of the model's inputs; where nothing of that kind is known, it stays, and for
// outputs that no node reads.
void GraphInference::prefer_found(Value& value, const Type& found) const {
  if (!value.type.has_shape() || !found.has_shape()) return;
  Shape& shape = *value.type.shape;
  if (shape.size() != found.shape->size()) return;
  const bool is_result = value.is_output && depth_ == 0;
  const bool is_only_shown = is_result && value.uses.empty();
  for (size_t i = 0; i < shape.size(); ++i) {
    Dim& dim = shape[i];
    const std::string& symbol = (*found.shape)[i].symbol;
    if ((*found.shape)[i].is_known() || symbol.empty()) continue;
    if (!dim.is_known() && is_made_symbol(dim.symbol)) {
      dim.symbol = is_result ? symbol_shown_as(shown_symbol(dim.symbol), symbol) : symbol;
    } else if (dim.is_known() && !walk_.options.types_are_inferred && !is_made_symbol(symbol) &&
               !is_only_shown) {
      dim.value = -1;
      dim.symbol = symbol;
    }
  }
}

Status GraphInference::merge(const Node& node, size_t output, const Type& found) {
  Value* value = graph_.value(node.output(output));
  if (value == nullptr) return Status::ok();
  const auto where = [&] { return str_cat("output '", value->name, "'"); };
  Status status = found.has_shape() ? check_rank(found.shape->size()) : Status::ok();
  if (!status.is_ok()) return std::move(status.note(where()));
  prefer_found(*value, found);
  if (status = merge_type(value->type, found); !status.is_ok()) {
    const std::string place = str_cat(node.label(), ": ", where());
    RETURN_IF_ERROR_WHILE(walk_.reconcile(value->type, found, std::move(status), place), where());
  }
  name_unknown_dims(*value);
  return Status::ok();
}

Result<std::vector<Type>> GraphInference::run_subgraph(Graph& graph,
                                                       const std::vector<Type>& inputs) {
  if (depth_ >= kNestingMax) {
    return invalid_graph("graph '", graph.name, "': nested deeper than ", kNestingMax);
  }
  if (inputs.size() > graph.inputs().size()) {
    return invalid_graph("graph '", graph.name, "' has ", graph.inputs().size(),
                         " inputs, expected ", inputs.size());
  }
  GraphInference inner(graph, walk_, this);
  for (size_t i = 0; i < inputs.size(); ++i) {
    Value* value = graph.value(graph.inputs()[i]);
    inner.prefer_found(*value, inputs[i]);
    Status status = merge_type(value->type, inputs[i]);
    if (status.is_ok()) continue;
    const std::string where = str_cat("graph '", graph.name, "', input '", value->name, "'");
    RETURN_IF_ERROR_WHILE(walk_.reconcile(value->type, inputs[i], std::move(status), where), where);
  }
  RETURN_IF_ERROR(inner.run());
  std::vector<Type> outputs;
  for (ValueId id : graph.outputs()) outputs.push_back(true_type(graph.value(id)->type));
  return outputs;
}

void GraphInference::take_captures() {
  if (parent_ == nullptr) return;
  for (ValueId id = 0; id < graph_.value_bound(); ++id) {
    Value* value = graph_.value(id);
    if (value == nullptr || !value->is_captured()) continue;
    // The outer value's type is the truth; what the sub-graph says of it is at best the same.
    const Value* outer = parent_->graph_.value(value->outer_value);
    if (outer != nullptr && outer->type.kind != TypeKind::kNone) value->type = outer->type;
  }
}

Status type_initializers(Graph& graph) {
  for (ValueId id = 0; id < graph.value_bound(); ++id) {
    Value* value = graph.value(id);
    if (value == nullptr) continue;
    Type found;
    if (value->initializer) {
      found = Type::tensor_of(value->initializer->tensor);
    } else if (value->sparse_initializer) {
      found = Type::tensor(value->sparse_initializer->values.tensor.dtype(),
                           shape_of(value->sparse_initializer->dims));
    } else {
      continue;
    }
    if (value->is_input && value->type.is_tensor() && value->type.dtype == found.dtype) {
      continue;  // the caller may give another shape than the default's
    }
    RETURN_IF_ERROR_WHILE(merge_type(value->type, found), "initializer '", value->name, "'");
  }
  return Status::ok();
}

Status GraphInference::find_custom(Node& node, const InferContext& context) const {
  for (const CustomOperators* operators : walk_.options.custom) {
    ASSIGN_OR_RETURN(auto found, operators->find(context));
    if (found == nullptr) continue;
    node.set_custom(std::move(found));
    break;
  }
  return Status::ok();
}

// Types of the outputs, by the program's operator or by the row of the list.
Status GraphInference::infer_outputs(const Node& node, InferContext& context) {
  if (node.custom() != nullptr) return node.custom()->infer(context);
  const OpRow* row = find_op(node.domain(), node.op_type(), node.opset());
  if (row == nullptr) return Status::ok();
  RETURN_IF_ERROR(check_counts(node, *row));
  RETURN_IF_ERROR(check_attributes(node));
  RETURN_IF_ERROR(walk_.omitted.check(node, *row));
  return row->infer != nullptr ? row->infer(context) : Status::ok();
}

Status GraphInference::run_node(Node& node) {
  NodeContext context(*this, node);
  if (node.custom() == nullptr) {
    RETURN_IF_ERROR_WHILE(find_custom(node, context), node.label());
  }
  Status status = infer_outputs(node, context);
  if (status.is_ok()) status = context.take_status();
  if (!status.is_ok()) return std::move(status.note(node.label()));
  for (Graph* inner : node.subgraphs()) {
    if (context.has_seen(inner)) continue;
    auto outputs = run_subgraph(*inner, {});
    if (!outputs.is_ok()) return std::move(std::move(outputs).status().note(node.label()));
  }
  // A Constant stays known for the nodes behind it.
  if (node.is_op("Constant")) {
    const Attribute* attribute = node.attribute("value");
    if (attribute != nullptr && attribute->tensor && node.output(0) != kNoValue) {
      set_constant(node.output(0), attribute->tensor);
    }
  }
  return Status::ok();
}

Status GraphInference::run() {
  take_captures();
  RETURN_IF_ERROR(type_initializers(graph_));
  ASSIGN_OR_RETURN(auto order, graph_.topological_order());
  for (NodeId id : order) RETURN_IF_ERROR(run_node(*graph_.node(id)));
  return Status::ok();
}

Status infer_once(Graph& graph, const InferOptions& options) {
  Walk walk{options, graph, {}};
  return GraphInference(graph, walk).run();
}

struct KnownType {
  Value* value;
  Type type;
};

void add_types(Graph& graph, std::vector<KnownType>& types) {
  for (ValueId id = 0; id < graph.value_bound(); ++id) {
    if (Value* value = graph.value(id)) types.push_back({value, value->type});
  }
  for (const Node& node : nodes_of(graph)) {
    for (Graph* inner : node.subgraphs()) add_types(*inner, types);
  }
}

// Shapes that only readers tell, and what follows from them. A branch that no run takes may
// contradict them: then all is as it was.
void infer_by_readers(Graph& graph, InferOptions options) {
  auto required = required_shapes(graph);
  if (required.empty()) return;
  std::vector<KnownType> before;
  add_types(graph, before);
  for (RequiredShape& found : required) {
    found.graph->value(found.value)->type.shape = std::move(found.shape);
  }
  options.types_are_inferred = true;
  if (infer_once(graph, options).is_ok()) return;
  for (KnownType& known : before) known.value->type = std::move(known.type);
}

}  // namespace

Status infer_types(Graph& graph, const InferOptions& options) {
  put_given_numbers(graph, options);
  if (!options.types_are_inferred) set_declared_symbols_apart(graph);
  RETURN_IF_ERROR(infer_once(graph, options));
  infer_by_readers(graph, options);
  return Status::ok();
}

}  // namespace ortc
