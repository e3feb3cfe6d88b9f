// SPDX-License-Identifier: MIT
// Borders of claims: see the header.
#include "core/partition/context_border.h"

namespace ortc {
namespace {

// The types of com.microsoft::EPContext's T.
constexpr TypeMask kContextTypes =
    kIntegerTypes | kFloatTypes | mask_of(DType::kBool, DType::kFloat16, DType::kBfloat16);

std::string first_fault(const Graph& graph, const std::vector<ValueId>& values,
                        std::string_view what) {
  for (ValueId id : values) {
    const Value& value = *graph.value(id);
    const bool is_known = value.type.kind != TypeKind::kNone &&
                          !(value.type.is_tensor() && value.type.dtype == DType::kUndefined);
    if (!is_known) continue;
    const std::string fault = fault_in_context(value.type);
    if (!fault.empty()) return str_cat("its ", what, " '", value.name, "' ", fault);
  }
  return {};
}

}  // namespace

std::string fault_in_context(const Type& type) {
  if (!type.is_tensor()) return str_cat("is ", type_to_string(type), ", not a tensor");
  if ((mask_of(type.dtype) & kContextTypes) != 0) return {};
  return str_cat("is of type ", dtype_name(type.dtype));
}

std::string fault_of_border(const Graph& graph, const CutClaim& claim) {
  // Nodes that nobody reads, where no rewrite takes them out.
  if (claim.outputs.empty())
    return "nothing reads what it gives, and an EPContext node has outputs";
  const std::string fault = first_fault(graph, claim.inputs, "input");
  return fault.empty() ? first_fault(graph, claim.outputs, "output") : fault;
}

}  // namespace ortc
