// SPDX-License-Identifier: MIT
// The values of a graph: names, initializers, inputs and outputs, captures.
#include "core/graph/graph.h"

namespace ortc {

Value* Graph::find_value(std::string_view name) {
  auto found = names_.find(name);
  return found == names_.end() ? nullptr : value(found->second);
}

const Value* Graph::find_value(std::string_view name) const {
  auto found = names_.find(name);
  return found == names_.end() ? nullptr : value(found->second);
}

Result<ValueId> Graph::add_value(std::string name, Type type) {
  const auto id = static_cast<ValueId>(values_.size());
  if (name.empty()) name = unique_name(str_cat("v", id));
  auto [place, is_new] = names_.emplace(name, id);
  if (!is_new) return invalid_graph("the name '", name, "' is used twice in one graph");
  auto value = std::make_unique<Value>();
  value->id = id;
  value->name = std::move(name);
  value->type = std::move(type);
  values_.push_back(std::move(value));
  return id;
}

std::string Graph::unique_name(std::string_view stem) const {
  auto is_taken = [this](const std::string& name) {
    for (const Graph* graph = this; graph != nullptr; graph = graph->parent_) {
      if (graph->names_.contains(name)) return true;
    }
    return false;
  };
  std::string name(stem);
  // Ids only grow, so the first number tried is nearly always free.
  for (size_t number = values_.size(); name.empty() || is_taken(name); ++number) {
    name = str_cat(stem, "_", number);
  }
  return name;
}

ValueId Graph::add_constant(std::string_view name_stem, Tensor tensor) {
  const ValueId id = add_value(unique_name(name_stem), Type::tensor_of(tensor)).value();
  auto constant = std::make_shared<Constant>();
  constant->name = value(id)->name;
  constant->tensor = std::move(tensor);
  set_initializer(id, std::move(constant));
  return id;
}

void Graph::set_initializer(ValueId id, std::shared_ptr<const Constant> constant) {
  Value* target = value(id);
  assert(target != nullptr && !target->is_captured());
  target->initializer = std::move(constant);
  target->sparse_initializer = nullptr;
}

Result<ValueId> Graph::capture(ValueId outer) {
  const Value* source = parent_ != nullptr ? parent_->value(outer) : nullptr;
  if (source == nullptr) {
    return invalid_graph("graph '", name, "': value ", outer, " of the parent cannot be captured");
  }
  if (Value* hiding = find_value(source->name)) {
    if (hiding->outer_value == outer) return hiding->id;
    apply_name(*hiding, unique_name(hiding->name));
  }
  ASSIGN_OR_RETURN(const ValueId id, add_value(source->name, source->type));
  value(id)->outer_value = outer;
  if (parent_node_ != nullptr) {
    auto& implicit = parent_node_->implicit_inputs_;
    if (std::find(implicit.begin(), implicit.end(), outer) == implicit.end()) {
      parent_->add_use(outer, {parent_node_->id_, static_cast<uint32_t>(implicit.size()), true});
      implicit.push_back(outer);
    }
  }
  return id;
}

void Graph::remove_value(ValueId id) {
  Value* target = value(id);
  assert(target != nullptr && target->producer == kNoNode && target->uses.empty() &&
         !target->is_input && !target->is_output);
  const bool was_captured = target->is_captured();
  names_.erase(target->name);
  values_[id] = nullptr;
  if (was_captured && parent_node_ != nullptr) parent_->refresh_implicit_inputs(parent_node_->id_);
}

void Graph::add_input(ValueId id) {
  assert(value(id) != nullptr && !value(id)->is_input);
  value(id)->is_input = true;
  inputs_.push_back(id);
}

void Graph::add_output(ValueId id) {
  assert(value(id) != nullptr);
  value(id)->is_output = true;
  outputs_.push_back(id);
}

void Graph::set_inputs(std::vector<ValueId> ids) {
  for (ValueId id : inputs_) value(id)->is_input = false;
  inputs_.clear();
  for (ValueId id : ids) add_input(id);
}

void Graph::set_outputs(std::vector<ValueId> ids) {
  for (ValueId id : outputs_) value(id)->is_output = false;
  outputs_.clear();
  for (ValueId id : ids) add_output(id);
}

std::vector<ValueId> Graph::initializers() const {
  std::vector<ValueId> ids;
  for (const auto& value : values_) {
    if (value && (value->initializer || value->sparse_initializer)) ids.push_back(value->id);
  }
  return ids;
}

void Graph::add_use(ValueId id, Use use) { value(id)->uses.add(use); }

void Graph::remove_use(ValueId id, const Use& use) { value(id)->uses.remove(use); }

}  // namespace ortc
