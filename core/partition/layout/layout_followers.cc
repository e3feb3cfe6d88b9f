// SPDX-License-Identifier: MIT
// Nodes that follow a layout: see the header.
#include "core/partition/layout/layout_followers.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/partition/layout/layout_facts.h"
#include "core/rewrite/facts.h"

namespace ortc {
namespace {

using Input = FollowPlan::Input;

// Of the first input's elements alone; further inputs are scalars.
constexpr std::array<std::string_view, 44> kUnary = {
    "Abs",        "Acos",     "Acosh",       "Asin",
    "Asinh",      "Atan",     "Atanh",       "Cast",
    "Ceil",       "Celu",     "Clip",        "Cos",
    "Cosh",       "Elu",      "Erf",         "Exp",
    "Floor",      "Gelu",     "HardSigmoid", "HardSwish",
    "Identity",   "IsInf",    "IsNaN",       "LeakyRelu",
    "Log",        "Mish",     "Neg",         "Not",
    "Reciprocal", "Relu",     "Round",       "Selu",
    "Shrink",     "Sigmoid",  "Sign",        "Sin",
    "Sinh",       "Softplus", "Softsign",    "Sqrt",
    "Swish",      "Tan",      "Tanh",        "ThresholdedRelu"};

// Of elements that stand at the same place once the inputs are broadcast.
constexpr std::array<std::string_view, 23> kBroadcasting = {
    "Add",        "And",         "BitShift", "BitwiseAnd", "BitwiseOr",
    "BitwiseXor", "Div",         "Equal",    "Greater",    "GreaterOrEqual",
    "Less",       "LessOrEqual", "Max",      "Mean",       "Min",
    "Mod",        "Mul",         "Or",       "PRelu",      "Pow",
    "Sub",        "Sum",         "Where"};

// The version from which all of them broadcast by the same rule.
constexpr int64_t kFirstBroadcastOpset = 8;

template <typename List>
bool has(const List& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

bool is_single(const Graph& graph, ValueId id) {
  const Tensor* constant = constant_of(graph, id);
  if (constant != nullptr) return constant->element_count() == 1;
  return rank_of(graph, id) == size_t{0};
}

std::optional<FollowPlan> plan_broadcast(const Graph& graph, const Node& node, size_t rank) {
  FollowPlan plan;
  plan.rank = rank;
  for (ValueId id : node.inputs()) {
    const auto own_rank = id != kNoValue ? rank_of(graph, id) : std::nullopt;
    if (!own_rank.has_value()) return std::nullopt;
    if (constant_of(graph, id) != nullptr) {
      plan.inputs.push_back(is_single(graph, id) ? Input::kAsIs : Input::kConstant);
    } else if (*own_rank == rank) {
      plan.inputs.push_back(Input::kTwin);
    } else if (is_single(graph, id)) {
      plan.inputs.push_back(Input::kAsIs);
    } else {
      return std::nullopt;
    }
  }
  return plan;
}

std::optional<FollowPlan> plan_concat(const Graph& graph, const Node& node, size_t rank) {
  if (node.attribute("axis") == nullptr) return std::nullopt;
  auto axis = node.int_attribute("axis", 0);
  if (axis < 0) axis += static_cast<int64_t>(rank);
  if (axis < 0 || axis >= static_cast<int64_t>(rank)) return std::nullopt;
  FollowPlan plan;
  plan.rank = rank;
  plan.axis = axis_in_last(axis, rank);
  for (ValueId id : node.inputs()) {
    if (id == kNoValue || rank_of(graph, id) != rank) return std::nullopt;
    plan.inputs.push_back(constant_of(graph, id) != nullptr ? Input::kConstant : Input::kTwin);
  }
  return plan;
}

std::optional<FollowPlan> plan_unary(const Graph& graph, const Node& node, size_t rank) {
  if (node.inputs().empty() || rank_of(graph, node.input(0)) != rank) return std::nullopt;
  FollowPlan plan;
  plan.rank = rank;
  plan.inputs.assign(node.inputs().size(), Input::kAsIs);
  plan.inputs[0] = Input::kTwin;
  return plan;
}

}  // namespace

std::optional<FollowPlan> plan_to_follow(const Graph& graph, const Node& node) {
  const bool is_onnx = node.domain().empty() && node.custom() == nullptr;
  if (!is_onnx || node.callee() != kNoCallee || node.outputs().size() != 1) return std::nullopt;
  const auto rank = node.output(0) != kNoValue ? rank_of(graph, node.output(0)) : std::nullopt;
  if (!rank.has_value() || *rank < kLeastLayoutRank) return std::nullopt;
  if (node.op_type() == "Concat") return plan_concat(graph, node, *rank);
  if (has(kUnary, node.op_type())) return plan_unary(graph, node, *rank);
  if (!has(kBroadcasting, node.op_type()) || node.opset() < kFirstBroadcastOpset) {
    return std::nullopt;
  }
  return plan_broadcast(graph, node, *rank);
}

}  // namespace ortc
