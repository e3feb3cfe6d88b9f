// SPDX-License-Identifier: MIT
// Values and their twins: see the header.
#include "providers/cpu/fusions/twin_rewrite.h"

#include "providers/cpu/fusions/twin_turns.h"

namespace ortc::cpu {

Result<ValueId> TwinRewrite::new_twin(ValueId id) {
  const Value& value = *graph_.value(id);
  const Shape shape = value.type.shape ? *value.type.shape : Shape(rank_, Dim::unknown());
  ASSIGN_OR_RETURN(ValueId twin,
                   graph_.add_value(graph_.unique_name(str_cat(value.name, suffix_)),
                                    Type::tensor(value.type.dtype, twin_shape(shape))));
  set_twin(id, twin);
  return twin;
}

void TwinRewrite::set_twin(ValueId original, ValueId twin) {
  if (twins_.size() <= original) twins_.resize(original + 1, kNoValue);
  twins_[original] = twin;
}

Result<ValueId> TwinRewrite::twin_of(ValueId id) {
  if (ValueId twin = known_twin(id); twin != kNoValue) return twin;
  ASSIGN_OR_RETURN(ValueId twin, new_twin(id));
  RETURN_IF_ERROR(add_way_there(id, twin));
  return twin;
}

bool TwinRewrite::may_have_twin(ValueId id) const {
  const Shape* shape = known_shape(graph_, id);
  return is_float32(graph_, id) && (shape == nullptr || shape->size() == rank_);
}

Result<bool> TwinRewrite::replace(const Node& node, std::string op, std::string_view domain,
                                  std::vector<ValueId> inputs, std::vector<Attribute> attributes) {
  const NodeId id = node.id();
  const int64_t opset = op == node.op_type() && domain == node.domain() ? node.opset() : 0;
  std::vector<ValueId> outputs = node.outputs();
  const std::string name = node.name(), new_domain(domain);  // it may be the node's own
  graph_.remove_node(id);
  for (ValueId& output : outputs) {
    if (output == kNoValue) continue;
    ASSIGN_OR_RETURN(output, new_twin(output));
  }
  auto added = graph_.add_node(std::move(op), new_domain, name, std::move(inputs),
                               std::move(outputs), std::move(attributes));
  if (!added.is_ok()) return added.status();
  (*added)->set_opset(opset);
  return true;
}

Result<bool> TwinRewrite::take_form(const Node& node, TwinForm form) {
  if (form.gives_twin) {
    return replace(node, node.op_type(), "", std::move(form.inputs), std::move(form.attributes));
  }
  const NodeId id = node.id();
  const std::string name = node.name(), op(node.op_type());
  std::vector<ValueId> outputs = node.outputs();
  const ValueId given = outputs[0];
  const int64_t opset = node.opset();
  graph_.remove_node(id);
  if (!form.turn.empty()) {
    ASSIGN_OR_RETURN(outputs[0], add_turned(graph_, given, form.turn));
  }
  const ValueId made = outputs[0];
  auto added = graph_.add_node(op, "", name, std::move(form.inputs), std::move(outputs),
                               std::move(form.attributes));
  if (!added.is_ok()) return added.status();
  (*added)->set_opset(opset);
  if (!form.turn.empty()) RETURN_IF_ERROR(turn_back(graph_, made, given, form.turn));
  return true;
}

Status TwinRewrite::make_originals() {
  const size_t bound = twins_.size();
  for (ValueId id = 0; id < bound; ++id) {
    if (twins_[id] == kNoValue) continue;
    const Value& value = *graph_.value(id);
    const bool is_made =
        value.producer != kNoNode || value.is_input || value.initializer || value.is_captured();
    if (is_made || (value.uses.empty() && !value.is_output)) continue;
    RETURN_IF_ERROR(add_way_back(twins_[id], id));
  }
  return Status::ok();
}

}  // namespace ortc::cpu
