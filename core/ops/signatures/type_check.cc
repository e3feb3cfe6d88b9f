// SPDX-License-Identifier: MIT
// Types of inputs against signatures: see the header.
#include "core/ops/signatures/type_check.h"

#include <algorithm>

#include "core/ops/signatures/op_signature.h"

namespace ortc {
namespace {

// As ONNX writes it: "seq(tensor(float))"; "" for what is not known, and for maps.
std::string onnx_text(const Type& type) {
  if (type.is_tensor()) {
    if (type.dtype == DType::kUndefined) return "";
    return str_cat("tensor(", onnx_dtype_name(type.dtype), ")");
  }
  const bool is_sequence = type.kind == TypeKind::kSequence;
  if ((!is_sequence && type.kind != TypeKind::kOptional) || type.element == nullptr) return "";
  const std::string element = onnx_text(*type.element);
  if (element.empty()) return "";
  return str_cat(is_sequence ? "seq(" : "optional(", element, ")");
}

std::string listed(const std::vector<std::string_view>& types) {
  std::string text;
  for (const std::string_view type : types) {
    if (!text.empty()) text += ", ";
    text += type;
  }
  return text;
}

}  // namespace

Status check_input_types(const Node& node) {
  if (node.custom() != nullptr) return Status::ok();
  const auto signature = find_op_signature(node.domain(), node.op_type(), node.opset());
  if (!signature || signature->inputs.empty()) return Status::ok();
  for (size_t i = 0; i < node.inputs().size(); ++i) {
    const Value* value = node.graph()->value(node.input(i));
    const std::string found = value != nullptr ? onnx_text(value->type) : std::string();
    const bool is_listed = i < signature->inputs.size() || signature->inputs.back().is_variadic;
    if (found.empty() || !is_listed) continue;
    const OpParameter& input = signature->inputs[std::min(i, signature->inputs.size() - 1)];
    const auto constraint =
        std::ranges::find(signature->constraints, input.type, &OpTypeConstraint::name);
    const std::vector<std::string_view> allowed =
        constraint != signature->constraints.end() ? constraint->types : std::vector{input.type};
    if (std::ranges::find(allowed, found) != allowed.end()) continue;
    return invalid_graph(node.label(), ": input '", input.name, "' has type ", found, ", ",
                         node.op_type(), " of opset ", node.opset(), " takes ", listed(allowed));
  }
  return Status::ok();
}

}  // namespace ortc
