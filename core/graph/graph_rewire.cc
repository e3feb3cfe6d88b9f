// SPDX-License-Identifier: MIT
// Renaming values and letting readers read another value, sub-graphs included: a captured value
// carries the name of the value it stands for, at every level.
#include <algorithm>
#include <utility>

#include "core/graph/graph.h"

namespace ortc {
namespace {

// Calls visit(graph, captured) for the value of each sub-graph of `node` that captures `outer`,
// which goes by `name` there.
template <typename F>
void for_captures_of(const Node& node, ValueId outer, const std::string& name, F&& visit) {
  for (Graph* graph : node.subgraphs()) {
    const Value* value = graph->find_value(name);
    if (value != nullptr && value->outer_value == outer) visit(*graph, value->id);
  }
}

std::vector<Use> uses_from_the_back(const Value& value) {
  return {value.uses.rbegin(), value.uses.rend()};
}

std::vector<NodeId> implicit_readers(const Value& value) {
  std::vector<NodeId> nodes;
  for (const Use& use : value.uses) {
    if (use.is_implicit) nodes.push_back(use.node);
  }
  return nodes;
}

// What a node's sub-graphs read of `from` they read of `to`: in its place, or with what they read
// of `to` already; then the last implicit input takes the place.
void redirect_implicit_input(Graph& graph, std::vector<ValueId>& implicit, const Use& use,
                             ValueId from, ValueId to) {
  graph.value(from)->uses.remove(use);
  if (std::find(implicit.begin(), implicit.end(), to) == implicit.end()) {
    implicit[use.input] = to;
    graph.value(to)->uses.add(use);
    return;
  }
  const auto last = static_cast<uint32_t>(implicit.size() - 1);
  if (use.input != last) {
    Value& moved = *graph.value(implicit[last]);
    moved.uses.remove({use.node, last, true});
    moved.uses.add(use);
    implicit[use.input] = moved.id;
  }
  implicit.pop_back();
}

}  // namespace

// Gives the value and all its captures the name; whatever local value hides it in a sub-graph gets
// a new name. The name is free in this graph.
void Graph::apply_name(Value& value, std::string name) {
  names_.erase(value.name);
  names_.emplace(name, value.id);
  const std::string before = std::exchange(value.name, std::move(name));
  for (NodeId reader : implicit_readers(value)) {
    for_captures_of(*nodes_[reader], value.id, before, [&](Graph& graph, ValueId captured) {
      Value* hiding = graph.find_value(value.name);
      if (hiding != nullptr && hiding->id != captured) {
        graph.apply_name(*hiding, graph.unique_name(hiding->name));
      }
      graph.apply_name(*graph.value(captured), value.name);
    });
  }
}

Status Graph::rename_value(ValueId id, std::string name) {
  Value* target = value(id);
  if (target == nullptr || name.empty() || target->is_captured()) {
    return invalid_graph("value ", id, " cannot be renamed to '", name, "'");
  }
  if (target->name == name) return Status::ok();
  if (find_value(name) != nullptr) {
    return invalid_graph("'", target->name, "' cannot be renamed to '", name,
                         "': the name is taken");
  }
  apply_name(*target, std::move(name));
  return Status::ok();
}

// `captured` of this graph stands for `outer` of the parent from now on: itself, unless another
// value stands for that one already; then it goes. The owner's implicit inputs are left to the
// caller.
void Graph::redirect_capture(ValueId captured, ValueId outer) {
  Value* old = value(captured);
  const Value& source = *parent_->value(outer);
  Value* named = find_value(source.name);
  if (named == nullptr || named->outer_value != outer) {
    if (named != nullptr) apply_name(*named, unique_name(named->name));
    old->outer_value = outer;
    old->type = source.type;
    apply_name(*old, source.name);
    return;
  }
  const ValueId replacement = named->id;
  for (const Use& use : uses_from_the_back(*old)) {
    if (!use.is_implicit) {
      set_input(use.node, use.input, replacement);
      continue;
    }
    for_captures_of(*nodes_[use.node], captured, old->name, [&](Graph& graph, ValueId deeper) {
      graph.redirect_capture(deeper, replacement);
    });
    redirect_implicit_input(*this, nodes_[use.node]->implicit_inputs_, use, captured, replacement);
  }
  if (old->is_output) {
    old->is_output = false;
    std::replace(outputs_.begin(), outputs_.end(), captured, replacement);
    value(replacement)->is_output = true;
  }
  names_.erase(old->name);
  values_[captured] = nullptr;
}

// `to` becomes the graph output that `from` was: name, place and what the file said about it.
void Graph::swap_output(Value& from, Value& to) {
  std::string output_name = from.name;
  std::string other_name = to.name;
  apply_name(from, unique_name(str_cat(output_name, "_replaced")));
  apply_name(to, std::move(output_name));
  apply_name(from, std::move(other_name));
  std::replace(outputs_.begin(), outputs_.end(), from.id, to.id);
  from.is_output = false;
  to.is_output = true;
  Type merged = to.type;
  if (merge_type(merged, from.type).is_ok()) to.type = std::move(merged);
  to.doc = from.doc;
  to.unknown_fields = from.unknown_fields;
  to.metadata = from.metadata;
  to.has_value_info = true;
}

bool Graph::replace_uses(ValueId from, ValueId to) {
  Value* source = value(from);
  Value* target = value(to);
  assert(source != nullptr && target != nullptr);
  if (from == to) return true;
  if (source->is_output) {
    const bool is_plain = target->producer != kNoNode && !target->is_input && !target->is_output &&
                          !target->initializer && !target->sparse_initializer;
    if (!is_plain) return false;
  }
  for (const Use& use : uses_from_the_back(*source)) {
    if (!use.is_implicit) {
      set_input(use.node, use.input, to);
      continue;
    }
    bool is_read = false;
    for_captures_of(*nodes_[use.node], from, source->name, [&](Graph& graph, ValueId captured) {
      graph.redirect_capture(captured, to);
      is_read = true;
    });
    if (is_read) {
      redirect_implicit_input(*this, nodes_[use.node]->implicit_inputs_, use, from, to);
    } else {
      refresh_implicit_inputs(use.node);
    }
  }
  if (source->is_output) swap_output(*source, *target);
  return true;
}

}  // namespace ortc
