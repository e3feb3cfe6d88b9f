// SPDX-License-Identifier: MIT
// Which nodes can become channels last: see the header.
#include "core/partition/layout/layout_choice.h"

#include "core/graph/channels_last_domain.h"
#include "core/ops/signatures/layout_sensitive.h"
#include "core/partition/layout/layout_facts.h"
#include "core/rewrite/facts.h"

namespace ortc {
namespace {

bool is_absent(const Graph& graph, ValueId id) {
  if (id == kNoValue) return true;
  const Tensor* constant = constant_of(graph, id);
  return constant != nullptr && constant->element_count() == 0;
}

// Resize names axes in attributes and inputs; those that cannot be told for certain stay.
bool can_resize(const Graph& graph, const Node& node, size_t rank) {
  if (node.attribute("axes") != nullptr) return false;
  // Before version 11 the scales are input 1; since then that is the region of interest.
  if (node.opset() < 11 || !is_absent(graph, node.input(1))) return false;
  for (size_t i = 2; i < node.inputs().size(); ++i) {
    if (is_absent(graph, node.input(i))) continue;
    const Tensor* constant = constant_of(graph, node.input(i));
    if (constant == nullptr || constant->dims() != Dims{static_cast<int64_t>(rank)}) return false;
  }
  return true;
}

}  // namespace

bool is_last_by_attribute(const Node& node) { return node.int_attribute("channels_last", 0) == 1; }

bool can_be_last(const Graph& graph, const Node& node) {
  if (node.callee() != kNoCallee || !reads_known_domain(node) || !node.subgraphs().empty() ||
      node.op_type() == "EPContext" || node.op_type() == "Transpose") {
    return false;
  }
  // The name must mean the same operator there.
  if (standard_domain(kChannelsLastDomain, node.op_type()) != node.domain()) return false;
  if (node.input(0) == kNoValue || node.output(0) == kNoValue) return false;
  const auto rank = rank_of(graph, node.input(0));
  if (!rank.has_value() || rank != rank_of(graph, node.output(0)) || *rank < 2) return false;
  if (node.is_op("Resize")) return can_resize(graph, node, *rank);
  // A sum that is computed along has the layout of the output, which only the first input follows.
  const bool is_fused_conv = node.is_op("FusedConv", kMicrosoftDomain);
  return !is_fused_conv || node.input(3) == kNoValue;
}

}  // namespace ortc
