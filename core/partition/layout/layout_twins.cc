// SPDX-License-Identifier: MIT
// Pairs of layouts and their bridges: see the header.
#include "core/partition/layout/layout_twins.h"

#include <algorithm>

#include "core/partition/layout/layout_facts.h"
#include "core/rewrite/facts.h"

namespace ortc {

bool LayoutTwins::is_bridge(NodeId id) const {
  const Node* node = graph_.node(id);
  if (node == nullptr || node->callee() != kNoCallee) return false;
  return bridges_.contains(id);
}

// Of two Transposes that give or take the value the one that is no bridge yet.
bool LayoutTwins::take_model_bridge(Pair& pair) {
  const size_t rank = graph_.value(pair.first)->type.shape->size();
  const auto take = [&](const Node& node, const std::vector<int64_t>& perm, Way way) {
    const auto found = permutation_of(node);
    if (!found.has_value() || *found != perm || is_bridge(node.id())) return false;
    pair.last = way == Way::kToFirst ? node.input(0) : node.output(0);
    pair.bridge = node.id();
    bridges_.insert(node.id());
    pair.way = pair.model_way = way;
    pair.model_bridge = node;
    return true;
  };
  if (const Node* maker = graph_.producer(pair.first);
      maker != nullptr && take(*maker, perm_to_first(rank), Way::kToFirst)) {
    return true;
  }
  const auto uses = graph_.value(pair.first)->uses;
  return std::ranges::any_of(uses, [&](const Use& use) {
    return !use.is_implicit && take(*graph_.node(use.node), perm_to_last(rank), Way::kToLast);
  });
}

Result<size_t> LayoutTwins::pair_of(ValueId first) {
  if (const auto known = by_first_.find(first); known != by_first_.end()) return known->second;
  Pair pair;
  pair.first = first;
  if (!take_model_bridge(pair)) {
    const Value& value = *graph_.value(first);
    Type type = permuted(value.type, perm_to_last(value.type.shape->size()));
    ASSIGN_OR_RETURN(pair.last, graph_.add_value(graph_.unique_name(value.name + "_nhwc"), type));
    own_values_.push_back(pair.last);
  }
  kept_.keep(pair.first);
  kept_.keep(pair.last);
  pairs_.push_back(std::move(pair));
  by_first_.emplace(first, pairs_.size() - 1);
  return pairs_.size() - 1;
}

Result<ValueId> LayoutTwins::last_of(ValueId first) {
  ASSIGN_OR_RETURN(const size_t pair, pair_of(first));
  return pairs_[pair].last;
}

bool LayoutTwins::is_made_last(ValueId first) const {
  if (made_last_.contains(first)) return true;
  const Node* maker = graph_.producer(first);
  if (maker == nullptr) return false;
  const auto perm = permutation_of(*maker);
  return perm.has_value() && perm->size() >= kLeastLayoutRank &&
         *perm == perm_to_first(perm->size());
}

void LayoutTwins::release(ValueId value) {
  for (Pair& pair : pairs_) {
    const ValueId made = pair.way == Way::kToLast ? pair.last : pair.first;
    if (made == value && is_bridge(pair.bridge)) remove_bridge(pair);
  }
}

Result<ValueId> LayoutTwins::bring_back(ValueId id) {
  ASSIGN_OR_RETURN(const ValueId now, kept_.now(id));
  for (Pair& pair : pairs_) {
    if (pair.first == id) pair.first = now;
    if (pair.last == id) pair.last = now;
  }
  return now;
}

// A claim took the Transpose that makes one of the other. What else it has may wait for whoever
// reads or makes the value again, so neither may wait for the claim.
bool LayoutTwins::is_made_of(ValueId id, ValueId twin) const {
  const Node* maker = graph_.value(id) != nullptr ? graph_.producer(id) : nullptr;
  return maker != nullptr && !is_bridge(maker->id()) &&
         std::ranges::find(maker->inputs(), twin) != maker->inputs().end();
}

Result<ValueId> LayoutTwins::stand_in(ValueId first) {
  auto& known = stand_ins_.try_emplace(first, kNoValue).first->second;
  if (known != kNoValue) return known;
  const Value& value = *graph_.value(first);
  Pair pair;
  ASSIGN_OR_RETURN(pair.first, graph_.add_value(graph_.unique_name(value.name), value.type));
  pair.last = pairs_[by_first_.at(first)].last;
  own_values_.push_back(pair.first);
  known = pair.first;
  pairs_.push_back(std::move(pair));
  return known;
}

Result<ValueId> LayoutTwins::to_be_read(ValueId first) {
  ASSIGN_OR_RETURN(const ValueId now, bring_back(first));
  if (!is_made_of(now, pairs_[by_first_.at(first)].last)) return now;
  return stand_in(first);
}

Result<ValueId> LayoutTwins::to_be_made(ValueId first) {
  ASSIGN_OR_RETURN(const ValueId now, bring_back(first));
  release(now);
  if (graph_.value(now)->producer == kNoNode) return now;
  return stand_in(first);
}

bool LayoutTwins::is_made(ValueId id) const {
  const Value* value = graph_.value(id);
  if (value == nullptr) return false;
  if (value->is_input || value->initializer || value->sparse_initializer || value->is_captured()) {
    return true;
  }
  return value->producer != kNoNode && !is_bridge(value->producer);
}

bool LayoutTwins::is_wanted(ValueId id) const {
  const Value& value = *graph_.value(id);
  return value.is_output ||
         std::ranges::any_of(value.uses, [this](const Use& use) { return !is_bridge(use.node); });
}

// From what is made, over any number of pairs, to the value.
bool LayoutTwins::find_way(ValueId id, std::vector<Way>& ways,
                           std::vector<ValueId>& on_the_way) const {
  if (is_made(id)) return true;
  if (std::ranges::find(on_the_way, id) != on_the_way.end()) return false;
  on_the_way.push_back(id);
  for (size_t i = 0; i < pairs_.size(); ++i) {
    const Pair& pair = pairs_[i];
    if (pair.first != id && pair.last != id) continue;
    const Way way = pair.last == id ? Way::kToLast : Way::kToFirst;
    if (ways[i] == way) return true;
    if (ways[i] != Way::kNone) continue;
    const ValueId other = way == Way::kToLast ? pair.first : pair.last;
    if (is_made_of(other, id) || !find_way(other, ways, on_the_way)) continue;
    ways[i] = way;
    return true;
  }
  return false;
}

// Those that only a claim's Transpose read went with it.
Status LayoutTwins::bring_back_captured() {
  for (size_t i = 0; i < pairs_.size(); ++i) {
    for (ValueId id : {pairs_[i].first, pairs_[i].last}) {
      if (graph_.value(id) != nullptr || !kept_.is_captured(id)) continue;
      RETURN_IF_ERROR(bring_back(id).status());
    }
  }
  return Status::ok();
}

Status LayoutTwins::settle() {
  RETURN_IF_ERROR(bring_back_captured());
  std::vector<Way> ways(pairs_.size(), Way::kNone);
  for (const Pair& pair : pairs_) {
    for (ValueId id : {pair.first, pair.last}) {
      if (graph_.value(id) == nullptr || !is_wanted(id)) continue;
      std::vector<ValueId> on_the_way;
      if (find_way(id, ways, on_the_way)) continue;
      return fail("nothing makes '", graph_.value(id)->name, "' in any layout");
    }
  }
  for (size_t i = 0; i < pairs_.size(); ++i) {
    Pair& pair = pairs_[i];
    if (is_bridge(pair.bridge) && pair.way != ways[i]) remove_bridge(pair);
  }
  for (size_t i = 0; i < pairs_.size(); ++i) {
    if (ways[i] != Way::kNone && !is_bridge(pairs_[i].bridge)) {
      RETURN_IF_ERROR(add_bridge(pairs_[i], ways[i]));
    }
  }
  return Status::ok();
}

void LayoutTwins::remove_bridge(Pair& pair) {
  graph_.remove_node(pair.bridge);
  bridges_.erase(pair.bridge);
  pair.bridge = kNoNode;
  pair.way = Way::kNone;
}

Status LayoutTwins::add_bridge(Pair& pair, Way way) {
  const bool to_last = way == Way::kToLast;
  const ValueId from = to_last ? pair.first : pair.last, to = to_last ? pair.last : pair.first;
  const size_t rank = graph_.value(from)->type.shape->size();
  const bool is_models = pair.model_bridge.has_value() && pair.model_way == way;
  std::vector<Attribute> attributes = {
      Attribute::of_ints("perm", to_last ? perm_to_last(rank) : perm_to_first(rank))};
  std::string name = graph_.value(to)->name + "_transpose";
  if (is_models) {
    attributes = pair.model_bridge->attributes();
    name = pair.model_bridge->name();
  }
  ASSIGN_OR_RETURN(Node * made, graph_.add_node("Transpose", "", std::move(name), {from}, {to},
                                                std::move(attributes)));
  if (is_models) {
    made->doc = pair.model_bridge->doc;
    made->unknown_fields = pair.model_bridge->unknown_fields;
    made->metadata = pair.model_bridge->metadata;
  }
  pair.bridge = made->id();
  bridges_.insert(made->id());
  pair.way = way;
  return Status::ok();
}

void LayoutTwins::remove_unused() {
  const auto remove = [this](ValueId id) {
    const Value* value = graph_.value(id);
    if (value == nullptr || value->producer != kNoNode || !value->uses.empty()) return;
    if (!value->is_input && !value->is_output) graph_.remove_value(id);
  };
  for (const Pair& pair : pairs_) {
    remove(pair.first);
    remove(pair.last);
  }
  for (ValueId id : own_values_) remove(id);
}

}  // namespace ortc
