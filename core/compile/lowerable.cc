// SPDX-License-Identifier: MIT
// What can be lowered: see the header.
#include "core/compile/lowerable.h"

#include <algorithm>
#include <utility>

#include "core/graph/walk.h"
#include "core/ops/op_list.h"
#include "core/ops/signatures/type_check.h"

namespace ortc {
namespace {

// Some operators are spelled out in others where the rank is known, and only there.
std::string text_of_input(const Value* input) {
  if (input == nullptr) return "no input";
  const bool has_rank = !input->type.is_tensor() || input->type.has_shape();
  return str_cat(type_to_string(input->type), has_rank ? "" : " of unknown rank");
}

std::string text_of_missing_kernel(const Node& node) {
  return str_cat("no kernel for ", node.domain().empty() ? "" : node.domain() + ".", node.op_type(),
                 " of opset ", node.opset(), " on ",
                 text_of_input(node.graph()->value(node.input(0))));
}

// An operator of a domain that this library has none of is somebody's own.
std::string hint_of_domain(std::string_view domain) {
  const auto rows = op_rows();
  const bool is_known =
      std::any_of(rows.begin(), rows.end(), [&](const OpRow& row) { return row.domain == domain; });
  if (is_known || domain == kInternalDomain) return {};
  return str_cat("; if it is a custom operator, the session options must know the domain '", domain,
                 "': OrtRegisterCustomOpsLibrary_V2() or OrtAddCustomOpDomain()");
}

}  // namespace

bool has_bodies_that_are_lowered(const Node& node) {
  return node.is_op("If") || node.is_op("Loop") || node.is_op("Scan") || node.is_op("SequenceMap");
}

Status no_kernel(const Node& node) {
  RETURN_IF_ERROR(check_input_types(node));
  return not_implemented(node.label(), ": ", text_of_missing_kernel(node),
                         hint_of_domain(node.domain()));
}

// What a kernel does not do is wrong in the model when its signature does not allow it either.
Status prepared(const Node& node, Status status) {
  if (status.code() == Code::kNotImplemented) RETURN_IF_ERROR(check_input_types(node));
  return status.is_ok() ? std::move(status) : std::move(status.note(node.label()));
}

std::string why_not_lowered(const Node& node, const LoweringRules& rules) {
  if (node.custom() != nullptr) return "a custom operator of the program";
  if (has_bodies_that_are_lowered(node) || rules.kernels.find(node) != nullptr ||
      rules.is_rewritten(node)) {
    return {};
  }
  return text_of_missing_kernel(node);
}

Status check_lowers(const Graph& graph, const LoweringRules& rules) {
  for (const Node& node : nodes_of(graph)) {
    if (node.custom() != nullptr) continue;
    const bool is_left = node.callee() == kNoCallee;
    if (is_left && !why_not_lowered(node, rules).empty()) return no_kernel(node);
    for (const Graph* body : node.subgraphs()) RETURN_IF_ERROR(check_lowers(*body, rules));
  }
  return Status::ok();
}

}  // namespace ortc
