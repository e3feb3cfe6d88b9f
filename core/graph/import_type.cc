// SPDX-License-Identifier: MIT
// TypeProto -> Type. The scanner has bounded depth and rank.
#include "core/graph/importer.h"
#include "core/graph/symbol/symbol.h"

namespace ortc {
namespace {

Result<DType> element_type(int32_t number) {
  if (number != 0 && !dtype_is_valid(number)) {
    return invalid_graph("element type ", number, " is not one of ONNX's");
  }
  return static_cast<DType>(number);
}

std::optional<Shape> import_shape(const DecodedModel& model, const Onnx__TensorShapeProto* proto) {
  if (proto == nullptr) return std::nullopt;
  Shape shape;
  shape.reserve(proto->n_dim);
  for (size_t i = 0; i < proto->n_dim; ++i) {
    const Onnx__TensorShapeProto__Dimension& from = *proto->dim[i];
    Dim dim;
    if (from.value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE) {
      dim.value = from.dim_value < 0 ? -1 : from.dim_value;  // negative: exporters mean unknown
    } else if (from.value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM) {
      dim.symbol = model.string(from.dim_param);
      if (is_made_symbol(dim.symbol)) dim.symbol.clear();
    }
    dim.denotation = model.string(from.denotation);
    shape.push_back(std::move(dim));
  }
  return shape;
}

Status import_element(const DecodedModel& model, const Onnx__TypeProto* proto, Type& type) {
  if (proto == nullptr) return Status::ok();
  ASSIGN_OR_RETURN(Type element, import_type(model, *proto));
  type.element = std::make_shared<const Type>(std::move(element));
  return Status::ok();
}

}  // namespace

Result<Type> import_type(const DecodedModel& model, const Onnx__TypeProto& proto) {
  Type type;
  switch (proto.value_case) {
    case ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE: {
      type.kind = TypeKind::kTensor;
      ASSIGN_OR_RETURN(type.dtype, element_type(proto.tensor_type->elem_type));
      type.shape = import_shape(model, proto.tensor_type->shape);
      break;
    }
    case ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE: {
      type.kind = TypeKind::kSparseTensor;
      ASSIGN_OR_RETURN(type.dtype, element_type(proto.sparse_tensor_type->elem_type));
      type.shape = import_shape(model, proto.sparse_tensor_type->shape);
      break;
    }
    case ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE:
      type.kind = TypeKind::kSequence;
      RETURN_IF_ERROR(import_element(model, proto.sequence_type->elem_type, type));
      break;
    case ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE:
      type.kind = TypeKind::kOptional;
      RETURN_IF_ERROR(import_element(model, proto.optional_type->elem_type, type));
      break;
    case ONNX__TYPE_PROTO__VALUE_MAP_TYPE: {
      type.kind = TypeKind::kMap;
      ASSIGN_OR_RETURN(type.dtype, element_type(proto.map_type->key_type));
      RETURN_IF_ERROR(import_element(model, proto.map_type->value_type, type));
      break;
    }
    case ONNX__TYPE_PROTO__VALUE_OPAQUE_TYPE:
      type.kind = TypeKind::kOpaque;
      type.opaque_domain = model.string(proto.opaque_type->domain);
      type.opaque_name = model.string(proto.opaque_type->name);
      break;
    default:
      break;
  }
  type.denotation = model.string(proto.denotation);
  type.unknown_fields = unknown_fields_of(proto.base);
  return type;
}

std::vector<std::pair<std::string, std::string>> import_entries(
    const DecodedModel& model, Onnx__StringStringEntryProto* const* entries, size_t count) {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::unordered_map<std::string_view, size_t> places;
  for (size_t i = 0; i < count; ++i) {
    const std::string_view key = model.text(entries[i]->key);
    auto [place, is_new] = places.emplace(key, pairs.size());
    if (is_new) {
      pairs.emplace_back(key, model.text(entries[i]->value));
    } else {
      pairs[place->second].second = model.text(entries[i]->value);  // the last one counts
    }
  }
  return pairs;
}

}  // namespace ortc
