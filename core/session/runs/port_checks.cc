// SPDX-License-Identifier: MIT
// Values against ports: see the header.
#include "core/session/runs/port_checks.h"

#include "core/session/runs/port_mismatch.h"
#include "core/session/runs/port_symbols.h"

namespace ortc {
namespace {

// Whether a value that is not a dense tensor is of the type; its tensors' shapes are the kernels'
// business.
bool is_of_type(const Type& type, const Datum& value) {
  const auto is_of = [](const Type& tensor, DType dtype) {
    return tensor.is_tensor() && tensor.dtype == dtype;
  };
  const Type none;
  const Type& element = type.element != nullptr ? *type.element : none;
  switch (value.kind()) {
    case DatumKind::kSequence: {
      const Sequence& sequence = *value.sequence();
      if (type.kind != TypeKind::kSequence) return false;
      if (sequence.map_key == DType::kUndefined) return is_of(element, sequence.dtype);
      return element.kind == TypeKind::kMap && element.dtype == sequence.map_key &&
             element.element != nullptr && is_of(*element.element, sequence.dtype);
    }
    case DatumKind::kMap:
      return type.kind == TypeKind::kMap && type.dtype == value.map()->keys.dtype() &&
             is_of(element, value.map()->values.dtype());
    case DatumKind::kSparseTensor:
      return type.kind == TypeKind::kSparseTensor && type.dtype == value.sparse()->dtype;
    case DatumKind::kNone:
    case DatumKind::kTensor:
      break;
  }
  return false;
}

Status check_tensor(const Port& port, std::span<const uint32_t> symbols, std::span<int64_t> sizes,
                    const ValueRef& value) {
  const Type& type = content_of(port.type);
  if (value.dtype != type.dtype) {
    return wrong_type(PortKind::kInput, port.name, port.type, value);
  }
  if (!type.has_shape()) return Status::ok();
  const Shape& shape = *type.shape;
  // One element is taken for a scalar, whatever its shape: ONNX Runtime's clients rely on that.
  if (shape.empty() && value.element_count() == 1) return Status::ok();
  if (shape.size() != value.dims().size()) {
    return wrong_rank(PortKind::kInput, port.name, type, value);
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t found = value.dims()[i];
    if (shape[i].is_known() && shape[i].value != found) {
      return wrong_dims(PortKind::kInput, port.name, type, value);
    }
    if (symbols[i] == PortSymbols::kNone) continue;
    int64_t& size = sizes[symbols[i]];
    if (size == kUnknownSize) size = found;
    if (size != found) {
      return invalid_argument("input '", port.name, "': dimension '", shape[i].symbol, "' is ",
                              found, ", but another input has ", size);
    }
  }
  return Status::ok();
}

}  // namespace

Status check_input(const Port& port, std::span<const uint32_t> symbols, std::span<int64_t> sizes,
                   const ValueRef& value) {
  const bool is_none = value.datum != nullptr && value.datum->is_none();
  if (!value.is_present() || (is_none && port.type.kind != TypeKind::kOptional)) {
    return invalid_argument("input '", port.name, "' has no value");
  }
  if (is_none) return Status::ok();
  const Type& type = content_of(port.type);
  if (type.is_tensor()) return check_tensor(port, symbols, sizes, value);
  if (value.datum != nullptr && is_of_type(type, *value.datum)) return Status::ok();
  return wrong_type(PortKind::kInput, port.name, port.type, value);
}

Status check_output(const Port& port, const ValueRef& provided) {
  const Type& type = content_of(port.type);
  if (!provided.is_present() || type.dtype == DType::kUndefined) return Status::ok();
  if (!type.is_tensor() || provided.dtype != type.dtype) {
    return wrong_type(PortKind::kOutput, port.name, type, provided);
  }
  if (!type.has_shape() || type.shape->empty()) return Status::ok();
  const Shape& shape = *type.shape;
  if (shape.size() != provided.dims().size()) {
    return wrong_rank(PortKind::kOutput, port.name, type, provided);
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].is_known() && shape[i].value != provided.dims()[i]) {
      return wrong_dims(PortKind::kOutput, port.name, type, provided);
    }
  }
  return Status::ok();
}

std::string names_of(const std::vector<Port>& ports) {
  std::string names;
  for (const Port& port : ports) names += str_cat(names.empty() ? "'" : ", '", port.name, "'");
  return names.empty() ? "none" : names;
}

}  // namespace ortc
