// SPDX-License-Identifier: MIT
// The change to channels last and back: see the header.
#include "core/partition/layout/channels_last.h"

#include <algorithm>
#include <optional>

#include "core/graph/channels_last_domain.h"
#include "core/ops/signatures/layout_sensitive.h"
#include "core/partition/layout/layout_choice.h"
#include "core/partition/layout/layout_facts.h"
#include "core/rewrite/facts.h"

namespace ortc {

Result<std::set<NodeId>> ChannelsLast::choose(const std::vector<NodeId>& order,
                                              const std::set<NodeId>& nodes,
                                              LayoutWishes& wishes) const {
  std::map<std::pair<std::string, std::string>, bool> answers;  // each operator is asked of once
  std::set<NodeId> chosen;
  for (NodeId id : order) {
    const Node& node = *graph_.node(id);
    if (!nodes.contains(id) || !can_be_last(graph_, node)) continue;
    const auto key = std::pair(node.domain(), node.op_type());
    auto answer = answers.find(key);
    if (answer == answers.end()) {
      ASSIGN_OR_RETURN(const auto wish, wishes.is_wanted_last(node.domain(), node.op_type()));
      answer = answers.emplace(key, wish.value_or(is_layout_sensitive(node.op_type()))).first;
    }
    if (answer->second) chosen.insert(id);
  }
  return chosen;
}

Status ChannelsLast::convert(const std::set<NodeId>& nodes, LayoutWishes& wishes) {
  ASSIGN_OR_RETURN(const auto order, graph_.topological_order());
  ASSIGN_OR_RETURN(const auto chosen, choose(order, nodes, wishes));
  if (chosen.empty()) return Status::ok();
  for (NodeId id : order) {
    if (chosen.contains(id)) {
      RETURN_IF_ERROR(make_last(id));
      continue;
    }
    // Transposes of the model may have gone meanwhile.
    const Node* node = graph_.node(id);
    if (node == nullptr || !nodes.contains(id)) continue;
    const auto plan = plan_to_follow(graph_, *node);
    if (plan.has_value()) RETURN_IF_ERROR(follow(id, *plan));
  }
  return twins_.settle();
}

void ChannelsLast::remember(const Node& node) {
  changes_.push_back(
      {node.id(), node.op_type(), node.domain(), node.inputs(), node.outputs(), node.attributes()});
}

Status ChannelsLast::make_last(NodeId id) {
  Node& node = *graph_.node(id);
  remember(node);
  const size_t rank = graph_.value(node.input(0))->type.shape->size();
  const bool is_fused_conv = node.is_op("FusedConv", kMicrosoftDomain);
  const bool is_resize = node.is_op("Resize");
  const bool is_last_already = is_last_by_attribute(node);
  node.set_op(is_fused_conv ? "Conv" : node.op_type(), std::string(kChannelsLastDomain));
  if (is_last_already || rank < kLeastLayoutRank) return Status::ok();
  if (node.attribute("channels_last") != nullptr) {
    node.set_attribute(Attribute::of_int("channels_last", 1));
  }
  for (uint32_t i = 2; is_resize && i < node.inputs().size(); ++i) {
    const Tensor* numbers =
        node.input(i) != kNoValue ? constant_of(graph_, node.input(i)) : nullptr;
    if (numbers != nullptr && numbers->element_count() != 0) {
      read_constant(id, i, rank, true);
    }
  }
  RETURN_IF_ERROR(read_twin(id, 0));
  return write_twin(id);
}

// Only beside somebody who makes channels last: else Transposes would just go elsewhere.
Status ChannelsLast::follow(NodeId id, const FollowPlan& plan) {
  const Node& node = *graph_.node(id);
  bool is_beside = false;
  for (uint32_t i = 0; i < plan.inputs.size(); ++i) {
    is_beside = is_beside ||
                (plan.inputs[i] == FollowPlan::Input::kTwin && twins_.is_made_last(node.input(i)));
    if (plan.inputs[i] != FollowPlan::Input::kConstant) continue;
    if (!permuted(*constant_of(graph_, node.input(i)), perm_to_last(plan.rank))) {
      return Status::ok();
    }
  }
  if (!is_beside) return Status::ok();
  remember(node);
  if (plan.axis.has_value()) {
    graph_.node(id)->set_attribute(Attribute::of_int("axis", *plan.axis));
  }
  for (uint32_t i = 0; i < plan.inputs.size(); ++i) {
    if (plan.inputs[i] == FollowPlan::Input::kTwin) RETURN_IF_ERROR(read_twin(id, i));
    if (plan.inputs[i] == FollowPlan::Input::kConstant) {
      read_constant(id, i, plan.rank, false);
    }
  }
  return write_twin(id);
}

Status ChannelsLast::read_twin(NodeId id, uint32_t input) {
  ASSIGN_OR_RETURN(const ValueId twin, twins_.last_of(graph_.node(id)->input(input)));
  graph_.set_input(id, input, twin);
  return Status::ok();
}

Status ChannelsLast::write_twin(NodeId id) {
  const ValueId first = graph_.node(id)->output(0);
  ASSIGN_OR_RETURN(const ValueId twin, twins_.last_of(first));
  twins_.release(twin);
  graph_.set_output(id, 0, twin);
  twins_.made_last(first);
  return Status::ok();
}

// `is_list`: the constant has a number for each axis; else it is a value of that rank.
void ChannelsLast::read_constant(NodeId id, uint32_t input, size_t rank, bool is_list) {
  const ValueId from = graph_.node(id)->input(input);
  auto& to = permuted_.try_emplace({from, is_list ? 0 : rank}, kNoValue).first->second;
  if (to == kNoValue) {
    constants_.keep(from);
    const Tensor& constant = *constant_of(graph_, from);
    const auto perm = perm_to_last(rank);
    to = graph_.add_constant(graph_.value(from)->name + "_nhwc",
                             is_list ? reordered(constant, perm) : *permuted(constant, perm));
  }
  graph_.set_input(id, input, to);
}

Status ChannelsLast::restore_unclaimed() {
  if (changes_.empty()) return Status::ok();
  for (const Change& change : changes_) {
    const Node* node = graph_.node(change.id);
    if (node != nullptr && node->callee() == kNoCallee) RETURN_IF_ERROR(restore(change));
  }
  RETURN_IF_ERROR(twins_.settle());
  remove_unused();
  return Status::ok();
}

Status ChannelsLast::restore(const Change& change) {
  Node& node = *graph_.node(change.id);
  node.set_op(change.op_type, change.domain);
  for (const Attribute& attribute : change.attributes) node.set_attribute(attribute);
  for (uint32_t i = 0; i < change.inputs.size(); ++i) {
    const ValueId before = change.inputs[i];
    if (node.input(i) == before) continue;
    ASSIGN_OR_RETURN(const ValueId now,
                     twins_.has_twin(before) ? twins_.to_be_read(before) : constants_.now(before));
    graph_.set_input(change.id, i, now);
  }
  if (node.output(0) == change.outputs[0]) return Status::ok();
  ASSIGN_OR_RETURN(const ValueId output, twins_.to_be_made(change.outputs[0]));
  graph_.set_output(change.id, 0, output);
  return Status::ok();
}

void ChannelsLast::remove_unused() {
  twins_.remove_unused();
  const auto remove = [this](ValueId id) {
    const Value* value = graph_.value(id);
    if (value == nullptr || value->producer != kNoNode || !value->uses.empty()) return;
    if (!value->is_input && !value->is_output) graph_.remove_value(id);
  };
  for (const auto& [key, made] : permuted_) {
    remove(key.first);
    remove(made);
  }
}

}  // namespace ortc
