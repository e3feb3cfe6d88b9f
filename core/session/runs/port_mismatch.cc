// SPDX-License-Identifier: MIT
// Values that do not fit: see the header.
#include "core/session/runs/port_mismatch.h"

#include "core/run/provided_output.h"

namespace ortc {
namespace {

// As ONNX Runtime spells types: "tensor(float)", "seq(double)", "seq(map(int64,tensor(double)))".
std::string onnx_name(const Type& type) {
  const std::string element = type.element != nullptr ? onnx_name(*type.element) : std::string();
  switch (type.kind) {
    case TypeKind::kTensor:
      return str_cat("tensor(", onnx_dtype_name(type.dtype), ")");
    case TypeKind::kSparseTensor:
      return str_cat("sparse_tensor(", onnx_dtype_name(type.dtype), ")");
    case TypeKind::kSequence:
      if (type.element != nullptr && type.element->kind == TypeKind::kTensor) {
        return str_cat("seq(", onnx_dtype_name(type.element->dtype), ")");
      }
      return str_cat("seq(", element, ")");
    case TypeKind::kMap:
      return str_cat("map(", onnx_dtype_name(type.dtype), ",", element, ")");
    case TypeKind::kOptional:
      return str_cat("optional(", element, ")");
    case TypeKind::kNone:
    case TypeKind::kOpaque:
      break;
  }
  return "unknown";
}

Type type_of(const ValueRef& ref) {
  return ref.datum != nullptr ? Type::of(*ref.datum) : Type::tensor(ref.dtype);
}

std::string_view noun(PortKind kind) { return kind == PortKind::kInput ? "input" : "output"; }

// The part that is the library's own.
std::string expected_and_found(PortKind kind, std::string_view name, const Type& expected,
                               const ValueRef& found) {
  const std::string value = found.datum != nullptr
                                ? describe(*found.datum)
                                : str_cat(dtype_name(found.dtype), dims_to_string(found.dims()));
  if (kind == PortKind::kOutput) {
    return provided_text(name, value, type_to_string(expected));
  }
  return str_cat("input '", name, "': expected ", type_to_string(expected), ", found ", value);
}

}  // namespace

Status wrong_type(PortKind kind, std::string_view name, const Type& expected,
                  const ValueRef& found) {
  return invalid_argument("Unexpected ", noun(kind), " data type. Actual: (",
                          onnx_name(type_of(found)), ") , expected: (", onnx_name(expected), "); ",
                          expected_and_found(kind, name, expected, found));
}

Status wrong_rank(PortKind kind, std::string_view name, const Type& expected,
                  const ValueRef& found) {
  return invalid_argument("Invalid rank for ", noun(kind), ": ", name,
                          " Got: ", found.dims().size(), " Expected: ", expected.shape->size(),
                          "; ", expected_and_found(kind, name, expected, found));
}

Status wrong_dims(PortKind kind, std::string_view name, const Type& expected,
                  const ValueRef& found) {
  std::string wrong;
  for (size_t i = 0; i < expected.shape->size(); ++i) {
    const Dim& dim = (*expected.shape)[i];
    if (!dim.is_known() || dim.value == found.dims()[i]) continue;
    wrong += str_cat(" index: ", i, " Got: ", found.dims()[i], " Expected: ", dim.value, "\n");
  }
  return invalid_argument("Got invalid dimensions for ", noun(kind), ": ", name,
                          " for the following indices\n", wrong,
                          expected_and_found(kind, name, expected, found));
}

Status missing_input(std::string_view name, const Type& expected) {
  return invalid_argument("Missing Input: ", name, "; input '", name, "' (",
                          type_to_string(expected), ") is missing");
}

}  // namespace ortc
