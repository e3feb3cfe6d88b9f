// SPDX-License-Identifier: MIT
//   dx = Gradient(x', z') {xs, zs, y}   ->   the nodes from xs and zs to y once more, over x' and
//                                            z', and behind them those of the derivatives
//
// Reverse mode: y has the gradient 1 everywhere, and each node hands the gradient of its result on
// to its inputs, last node first. Values that depend on neither xs nor zs are taken as they are.
#include <algorithm>
#include <map>
#include <set>

#include "core/optimise/gradient/tape.h"
#include "core/optimise/passes.h"
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"

namespace ortc {
namespace {

constexpr std::string_view kTrainingDomain = "ai.onnx.preview.training";

// The names in an attribute, as values of the graph.
Status append_values(const Graph& graph, const Attribute* names, std::vector<ValueId>& values) {
  if (names == nullptr) return Status::ok();
  for (const Blob& name : names->strings) {
    const Value* value = graph.find_value(name.text());
    if (value == nullptr) {
      return invalid_graph("attribute '", names->name, "' names '", name.text(),
                           "', which is not a value of the graph");
    }
    values.push_back(value->id);
  }
  return Status::ok();
}

struct Question {
  std::vector<ValueId> sources;  // xs, then zs
  size_t asked = 0;              // how many are xs
  ValueId y = kNoValue;
};

// The nodes once more have the types that the first ones have, so input i must be as `source` is.
Status check_alike(const Graph& graph, const Node& node, size_t i, ValueId source) {
  if (node.input(i) == source) return Status::ok();
  const Value *from = graph.value(source), *to = graph.value(node.input(i));
  if (to == nullptr) return invalid_graph("input ", i, " is missing");
  if (from->type.is_tensor() && from->type.dtype != DType::kUndefined &&
      dtype_of(graph, to->id) == from->type.dtype && same_shape(graph, from->id, to->id)) {
    return Status::ok();
  }
  return invalid_graph("input ", i, " is ", type_to_string(to->type), ", but '", from->name,
                       "' is ", type_to_string(from->type), ": expected the same type and shape");
}

Result<Question> question_of(const Graph& graph, const Node& node) {
  Question q;
  RETURN_IF_ERROR(append_values(graph, node.attribute("xs"), q.sources));
  q.asked = q.sources.size();
  RETURN_IF_ERROR(append_values(graph, node.attribute("zs"), q.sources));
  const std::string_view name = node.string_attribute("y", "");
  const Value* y = graph.find_value(name);
  if (y == nullptr) {
    return invalid_graph("attribute 'y' names '", name, "', which is not a value of the graph");
  }
  q.y = y->id;
  for (size_t i = 0; i < std::min(q.sources.size(), node.inputs().size()); ++i) {
    RETURN_IF_ERROR(check_alike(graph, node, i, q.sources[i]));
  }
  if (node.inputs().size() != q.sources.size() || node.outputs().size() != q.asked) {
    return invalid_graph("has ", node.inputs().size(), " inputs and ", node.outputs().size(),
                         " outputs, expected ", q.sources.size(), " and ", q.asked);
  }
  return q;
}

// The nodes between the sources and y, in the order in which they run.
Result<std::vector<NodeId>> nodes_between(const Graph& graph, const Question& q) {
  ASSIGN_OR_RETURN(const auto order, graph.topological_order());
  std::set<ValueId> reached(q.sources.begin(), q.sources.end()), needed = {q.y};
  std::vector<NodeId> forward, between;
  const auto is_in = [](const std::set<ValueId>& set) {
    return [&set](ValueId id) { return set.contains(id); };
  };
  for (const NodeId id : order) {
    const Node& node = *graph.node(id);
    const auto reads = [&](const std::vector<ValueId>& ids) {
      return std::any_of(ids.begin(), ids.end(), is_in(reached));
    };
    if (!reads(node.inputs()) && !reads(node.implicit_inputs())) continue;
    forward.push_back(id);
    for (const ValueId output : node.outputs()) {
      if (std::find(q.sources.begin(), q.sources.end(), output) == q.sources.end()) {
        reached.insert(output);
      }
    }
    reached.erase(kNoValue);  // what is left out depends on nothing
  }
  for (auto it = forward.rbegin(); it != forward.rend(); ++it) {
    const Node& node = *graph.node(*it);
    const bool is_source = std::any_of(node.outputs().begin(), node.outputs().end(), [&](auto id) {
      return std::find(q.sources.begin(), q.sources.end(), id) != q.sources.end();
    });
    if (is_source || !std::any_of(node.outputs().begin(), node.outputs().end(), is_in(needed))) {
      continue;
    }
    needed.insert(node.inputs().begin(), node.inputs().end());
    needed.erase(kNoValue);
    between.push_back(*it);
  }
  std::reverse(between.begin(), between.end());
  return between;
}

// Each gradient of a gradient has about three times its nodes: what is written is counted.
class Growth {
 public:
  Growth(const Graph& graph, const Work& work, uint64_t& nodes_left)
      : graph_(graph), work_(work), nodes_left_(nodes_left), seen_(graph.node_bound()) {}

  Status check() {
    RETURN_IF_ERROR(work_.go_on());
    const uint64_t added = graph_.node_bound() - seen_;
    if (added > nodes_left_) {
      return invalid_graph("its nodes are more than the ", nodes_left_,
                           " that gradients may still add to a model of this size");
    }
    nodes_left_ -= added;
    seen_ = graph_.node_bound();
    return Status::ok();
  }

 private:
  const Graph& graph_;
  const Work& work_;
  uint64_t& nodes_left_;
  size_t seen_;
};

class Differentiation {
 public:
  Differentiation(Graph& graph, const Node& node, Question question, Growth& growth)
      : graph_(graph), tape_(graph, node.name()), question_(std::move(question)), growth_(growth) {
    for (size_t i = 0; i < question_.sources.size(); ++i) {
      now_[question_.sources[i]] = node.input(i);
      if (i < question_.asked) tape_.watch(node.input(i));
    }
  }

  // Gradients of the xs; they are values without names of their own.
  Result<std::vector<ValueId>> run() {
    ASSIGN_OR_RETURN(const auto between, nodes_between(graph_, question_));
    for (const NodeId id : between) RETURN_IF_ERROR(repeat(*graph_.node(id)));
    const ValueId y = at(question_.y);
    if (tape_.is_watched(y)) tape_.give(y, tape_.filled(1, y));
    for (auto it = repeated_.rbegin(); it != repeated_.rend(); ++it) {
      const Node& node = *graph_.node(*it);
      const bool has_gradient =
          std::any_of(node.outputs().begin(), node.outputs().end(),
                      [this](ValueId id) { return tape_.gradient(id) != kNoValue; });
      if (!has_gradient) continue;
      RETURN_IF_ERROR(growth_.check());
      RETURN_IF_ERROR(differentiate(tape_, node));
    }
    std::vector<ValueId> found;
    for (size_t i = 0; i < question_.asked; ++i) {
      const ValueId x = at(question_.sources[i]);
      const ValueId gradient = tape_.gradient(x);
      found.push_back(gradient != kNoValue ? gradient : tape_.filled(0, x));
    }
    RETURN_IF_ERROR(tape_.status());
    return found;
  }

 private:
  ValueId at(ValueId id) const {
    const auto found = now_.find(id);
    return found == now_.end() ? id : found->second;
  }

  // The node once more, over the inputs of Gradient.
  Status repeat(const Node& node) {
    if (!node.subgraphs().empty()) return not_implemented("the gradient of ", node.label());
    RETURN_IF_ERROR(growth_.check());
    std::vector<ValueId> inputs, outputs;
    bool is_watched = false;
    for (const ValueId id : node.inputs()) {
      inputs.push_back(id == kNoValue ? kNoValue : at(id));
      is_watched = is_watched || (id != kNoValue && tape_.is_watched(at(id)));
    }
    for (const ValueId id : node.outputs()) {
      outputs.push_back(kNoValue);
      if (id == kNoValue) continue;
      const Value& value = *graph_.value(id);
      ASSIGN_OR_RETURN(outputs.back(),
                       graph_.add_value(graph_.unique_name(value.name), value.type));
      now_[id] = outputs.back();
      if (is_watched) tape_.watch(outputs.back());
    }
    const std::string op = node.op_type(), domain = node.domain(), name = node.name();
    const std::vector<Attribute> attributes = node.attributes();
    ASSIGN_OR_RETURN(const Node* again, graph_.add_node(op, domain, name, std::move(inputs),
                                                        std::move(outputs), attributes));
    repeated_.push_back(again->id());
    return Status::ok();
  }

  Graph& graph_;
  Tape tape_;
  const Question question_;
  Growth& growth_;
  std::map<ValueId, ValueId> now_;  // values of the graph as Gradient's inputs have them
  std::vector<NodeId> repeated_;
};

Status write_gradient(Graph& graph, NodeId id, Growth& growth) {
  const Node& node = *graph.node(id);
  ASSIGN_OR_RETURN(Question question, question_of(graph, node));
  Differentiation differentiation(graph, node, std::move(question), growth);
  ASSIGN_OR_RETURN(const auto gradients, differentiation.run());
  const std::vector<ValueId> outputs = node.outputs();
  const std::string name = node.name();
  graph.remove_node(id);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] == kNoValue) continue;
    RETURN_IF_ERROR(graph.add_node("Identity", "", name, {gradients[i]}, {outputs[i]}).status());
  }
  return Status::ok();
}

}  // namespace

Result<int> gradient(Graph& graph, const PassContext& context) {
  Budget& budget = context.budget;
  Growth growth(graph, context.options.work, budget.gradient_nodes);
  return for_nodes(graph, [&graph, &growth](Node& node) -> Result<bool> {
    if (!node.is_op("Gradient", kTrainingDomain)) return false;
    const std::string label = node.label();
    Status status = write_gradient(graph, node.id(), growth);
    if (!status.is_ok()) return std::move(status.note(label));
    return true;
  });
}

}  // namespace ortc
