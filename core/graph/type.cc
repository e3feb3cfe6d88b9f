// SPDX-License-Identifier: MIT
// Types and shapes: text, comparison, and merging what two sources know.
#include "core/graph/type.h"

#include "core/graph/limits.h"
#include "core/graph/symbol/symbol.h"

namespace ortc {

Shape shape_of(std::span<const int64_t> dims) {
  Shape shape;
  shape.reserve(dims.size());
  for (int64_t dim : dims) shape.push_back(dim >= 0 ? Dim::known(dim) : Dim::unknown());
  return shape;
}

bool shape_is_static(const Shape& shape) {
  for (const Dim& dim : shape) {
    if (!dim.is_known()) return false;
  }
  return true;
}

std::optional<Dims> static_dims(const Shape& shape) {
  Dims dims;
  dims.reserve(shape.size());
  for (const Dim& dim : shape) {
    if (!dim.is_known()) return std::nullopt;
    dims.push_back(dim.value);
  }
  return dims;
}

namespace {

std::string dim_to_string(const Dim& dim) {
  if (dim.is_known()) return str_cat(dim.value);
  if (dim.symbol.empty()) return "?";
  const std::string_view shown = shown_symbol(dim.symbol);
  if (!shown.empty()) return std::string(shown);
  std::string text = dim.symbol;
  std::erase(text, kMadeSymbolMark);
  return text;
}

std::string_view kind_name(TypeKind kind) {
  switch (kind) {
    case TypeKind::kNone:
      return "?";
    case TypeKind::kTensor:
      return "tensor";
    case TypeKind::kSparseTensor:
      return "sparse";
    case TypeKind::kSequence:
      return "seq";
    case TypeKind::kMap:
      return "map";
    case TypeKind::kOptional:
      return "optional";
    case TypeKind::kOpaque:
      return "opaque";
  }
  return "?";
}

std::string element_to_string(const Type& type) {
  return type.element ? type_to_string(*type.element) : "?";
}

Status contradiction(const Type& known, const Type& found) {
  return invalid_graph("type mismatch: expected ", type_to_string(known), ", found ",
                       type_to_string(found));
}

// Merges into `known`; false when a dim contradicts.
bool merge_shapes(std::optional<Shape>& known, const std::optional<Shape>& found) {
  if (!found) return true;
  if (!known) {
    known = found;
    return true;
  }
  if (known->size() != found->size()) return false;
  for (size_t i = 0; i < known->size(); ++i) {
    Dim& a = (*known)[i];
    const Dim& b = (*found)[i];
    if (a.is_known() && b.is_known() && a.value != b.value) return false;
    if (!a.is_known() && b.is_known()) {
      a.value = b.value;
      a.symbol.clear();
    } else if (!a.is_known() && a.symbol.empty()) {
      a.symbol = b.symbol;
    }
    if (a.denotation.empty()) a.denotation = b.denotation;
  }
  return true;
}

// Leaves of `known` what `found` does not contradict.
void drop_disputed_sizes(Type& known, const Type& found) {
  if (known.element && found.element) {
    Type element = *known.element;
    drop_disputed_sizes(element, *found.element);
    known.element = std::make_shared<const Type>(std::move(element));
  }
  if (!known.shape || !found.shape) return;
  if (known.shape->size() != found.shape->size()) {
    known.shape.reset();
    return;
  }
  for (size_t i = 0; i < known.shape->size(); ++i) {
    Dim& dim = (*known.shape)[i];
    const Dim& other = (*found.shape)[i];
    if (dim.is_known() && other.is_known() && dim.value != other.value) dim = Dim::unknown();
  }
}

}  // namespace

std::string shape_to_string(const Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i != 0) text += ',';
    text += dim_to_string(shape[i]);
  }
  return text + "]";
}

Type Type::sequence(Type element) {
  Type type;
  type.kind = TypeKind::kSequence;
  type.element = std::make_shared<const Type>(std::move(element));
  return type;
}

Type Type::optional(Type element) {
  Type type;
  type.kind = TypeKind::kOptional;
  type.element = std::make_shared<const Type>(std::move(element));
  return type;
}

Type Type::map(DType key, Type value) {
  Type type;
  type.kind = TypeKind::kMap;
  type.dtype = key;
  type.element = std::make_shared<const Type>(std::move(value));
  return type;
}

Type Type::of(const Datum& datum) {
  switch (datum.kind()) {
    case DatumKind::kNone:
      break;
    case DatumKind::kTensor:
      return tensor_of(*datum.tensor());
    case DatumKind::kSequence: {
      const ortc::Sequence& sequence = *datum.sequence();
      Type element = tensor(sequence.dtype);
      if (sequence.map_key != DType::kUndefined) element = map(sequence.map_key, element);
      return Type::sequence(std::move(element));
    }
    case DatumKind::kMap:
      return map(datum.map()->keys.dtype(), tensor(datum.map()->values.dtype()));
    case DatumKind::kSparseTensor: {
      Type type = tensor(datum.sparse()->dtype, shape_of(datum.sparse()->dims));
      type.kind = TypeKind::kSparseTensor;
      return type;
    }
  }
  return {};
}

bool types_equal(const Type& a, const Type& b) {
  if (a.kind != b.kind || a.dtype != b.dtype) return false;
  if (a.opaque_domain != b.opaque_domain || a.opaque_name != b.opaque_name) return false;
  if (a.shape.has_value() != b.shape.has_value()) return false;
  if (a.shape) {
    if (a.shape->size() != b.shape->size()) return false;
    for (size_t i = 0; i < a.shape->size(); ++i) {
      if ((*a.shape)[i].value != (*b.shape)[i].value) return false;
      if ((*a.shape)[i].symbol != (*b.shape)[i].symbol) return false;
    }
  }
  if ((a.element == nullptr) != (b.element == nullptr)) return false;
  return a.element == nullptr || types_equal(*a.element, *b.element);
}

std::string type_to_string(const Type& type) {
  const std::string shape = type.shape ? shape_to_string(*type.shape) : "";
  switch (type.kind) {
    case TypeKind::kNone:
      return "?";
    case TypeKind::kTensor:
      return str_cat(dtype_name(type.dtype), shape);
    case TypeKind::kSparseTensor:
      return str_cat("sparse(", dtype_name(type.dtype), shape, ")");
    case TypeKind::kMap:
      return str_cat("map(", dtype_name(type.dtype), ",", element_to_string(type), ")");
    case TypeKind::kSequence:
    case TypeKind::kOptional:
      return str_cat(kind_name(type.kind), "(", element_to_string(type), ")");
    case TypeKind::kOpaque:
      return str_cat("opaque(", type.opaque_domain, ",", type.opaque_name, ")");
  }
  return "?";
}

Status merge_type(Type& known, const Type& found) {
  if (found.kind == TypeKind::kNone) return Status::ok();
  if (known.kind == TypeKind::kNone) {
    known = found;
    return Status::ok();
  }
  if (known.kind != found.kind) return contradiction(known, found);
  if (known.dtype != DType::kUndefined && found.dtype != DType::kUndefined &&
      known.dtype != found.dtype) {
    return contradiction(known, found);
  }
  if (known.opaque_domain != found.opaque_domain || known.opaque_name != found.opaque_name) {
    return contradiction(known, found);
  }
  Type merged = known;
  if (merged.dtype == DType::kUndefined) merged.dtype = found.dtype;
  if (!merge_shapes(merged.shape, found.shape)) return contradiction(known, found);
  if (known.element && found.element) {
    Type element = *known.element;
    RETURN_IF_ERROR(merge_type(element, *found.element));
    merged.element = std::make_shared<const Type>(std::move(element));
  } else if (found.element) {
    merged.element = found.element;
  }
  if (merged.denotation.empty()) merged.denotation = found.denotation;
  known = std::move(merged);
  return Status::ok();
}

Status merge_type_leniently(Type& known, const Type& found) {
  Type agreed = known, undisputed = found;
  drop_disputed_sizes(agreed, found);
  drop_disputed_sizes(undisputed, known);
  RETURN_IF_ERROR(merge_type(agreed, undisputed));
  known = std::move(agreed);
  return Status::ok();
}

}  // namespace ortc
