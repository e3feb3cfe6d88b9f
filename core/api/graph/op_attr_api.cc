// SPDX-License-Identifier: MIT
// ort_c/op_attr.h: attributes.
#include <cstring>

#include "core/api/graph/graph_handles.h"
#include "core/api/guard.h"
#include "ort_c/op_attr.h"

using namespace ortc;
using api::guard;

namespace ortc::api {
namespace {

OrtOpAttrType attr_type_of(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::kInt:
      return ORT_OP_ATTR_INT;
    case AttributeKind::kInts:
      return ORT_OP_ATTR_INTS;
    case AttributeKind::kFloat:
      return ORT_OP_ATTR_FLOAT;
    case AttributeKind::kFloats:
      return ORT_OP_ATTR_FLOATS;
    case AttributeKind::kString:
      return ORT_OP_ATTR_STRING;
    case AttributeKind::kStrings:
      return ORT_OP_ATTR_STRINGS;
    case AttributeKind::kGraph:
      return ORT_OP_ATTR_GRAPH;
    case AttributeKind::kTensor:
      return ORT_OP_ATTR_TENSOR;
    default:
      return ORT_OP_ATTR_UNDEFINED;
  }
}

template <typename T>
std::vector<T> read_numbers(const void* data, size_t count) {
  std::vector<T> numbers(count);
  if (count != 0) std::memcpy(numbers.data(), data, count * sizeof(T));
  return numbers;
}

Status read_texts(const void* data, size_t count, std::vector<Blob>& out) {
  for (size_t i = 0; i < count; ++i) {
    const char* text = static_cast<const char* const*>(data)[i];
    if (text == nullptr) return invalid_argument("'data[", i, "]' must not be NULL");
    out.push_back(Blob::copy_of(as_bytes(text)));
  }
  return {};
}

Status set_content(Attribute& attribute, const void* data, size_t count, int32_t type) {
  switch (type) {
    case ORT_OP_ATTR_INT:
      attribute.kind = AttributeKind::kInt;
      attribute.i = load_unaligned<int64_t>(data);
      return {};
    case ORT_OP_ATTR_INTS:
      attribute.kind = AttributeKind::kInts;
      attribute.ints = read_numbers<int64_t>(data, count);
      return {};
    case ORT_OP_ATTR_FLOAT:
      attribute.kind = AttributeKind::kFloat;
      attribute.f = load_unaligned<float>(data);
      return {};
    case ORT_OP_ATTR_FLOATS:
      attribute.kind = AttributeKind::kFloats;
      attribute.floats = read_numbers<float>(data, count);
      return {};
    case ORT_OP_ATTR_STRING:
      attribute.kind = AttributeKind::kString;
      attribute.s = Blob::copy_of({static_cast<const std::byte*>(data), count});
      return {};
    case ORT_OP_ATTR_STRINGS:
      attribute.kind = AttributeKind::kStrings;
      return read_texts(data, count, attribute.strings);
    case ORT_OP_ATTR_GRAPH:
      return not_implemented("CreateOpAttr of type GRAPH");
    case ORT_OP_ATTR_TENSOR:
      return not_implemented("CreateOpAttr of type TENSOR; add an initializer to the graph");
    default:
      return invalid_argument("'type' is ", type, ", which is not a type of attributes");
  }
}

template <typename T>
std::string bytes_of(const T* numbers, size_t count) {
  return std::string(reinterpret_cast<const char*>(numbers), count * sizeof(T));
}

// The content as OrtReadOpAttr() gives it.
Result<std::string> content_of(const Attribute& attribute) {
  switch (attribute.kind) {
    case AttributeKind::kInt:
      return bytes_of(&attribute.i, 1);
    case AttributeKind::kInts:
      return bytes_of(attribute.ints.data(), attribute.ints.size());
    case AttributeKind::kFloat:
      return bytes_of(&attribute.f, 1);
    case AttributeKind::kFloats:
      return bytes_of(attribute.floats.data(), attribute.floats.size());
    case AttributeKind::kStrings: {
      std::string texts;
      for (const Blob& text : attribute.strings) texts.append(as_text(text.bytes())).push_back(0);
      return texts;
    }
    default:
      return invalid_argument("attribute '", attribute.name,
                              "' holds no number and no text; see OrtNode_GetSubgraphs() and "
                              "OrtOpAttr_GetTensorAttributeAsOrtValue()");
  }
}

Status copy_content(std::string_view content, void* data, size_t room, size_t* size) {
  *size = content.size();
  if (room < content.size()) {
    return invalid_argument("the attribute takes ", content.size(), " bytes, but 'len' is ", room);
  }
  if (content.empty()) return {};
  ORTC_NEEDED(data);
  std::memcpy(data, content.data(), content.size());
  return {};
}

}  // namespace
}  // namespace ortc::api

extern "C" {

OrtStatus* OrtCreateOpAttr(const char* name, const void* data, int len, OrtOpAttrType type,
                           OrtOpAttr** op_attr) {
  return guard([&]() -> Status {
    ORTC_OUT(op_attr);
    ORTC_NEEDED(name);
    if (*name == '\0') return invalid_argument("'name' must not be empty");
    if (len < 0) return invalid_argument("'len' is ", len, ", expected 0 or more");
    const int32_t number = api::number_of(type);
    const bool is_one = number == ORT_OP_ATTR_INT || number == ORT_OP_ATTR_FLOAT;
    if (is_one || len > 0) ORTC_NEEDED(data);
    auto attribute = std::make_unique<Attribute>();
    attribute->name = name;
    RETURN_IF_ERROR(api::set_content(*attribute, data, static_cast<size_t>(len), number));
    *op_attr = new OrtOpAttr(std::unique_ptr<const Attribute>(std::move(attribute)));
    return {};
  });
}

void OrtReleaseOpAttr(OrtOpAttr* op_attr) {
  if (op_attr == nullptr || op_attr->own == nullptr) return;
  delete op_attr;
}

OrtStatus* OrtReadOpAttr(const OrtOpAttr* op_attr, OrtOpAttrType type, void* data, size_t len,
                         size_t* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(op_attr);
    const Attribute& attribute = *op_attr->attribute;
    const int32_t expected = api::number_of(type), found = api::attr_type_of(attribute.kind);
    if (expected != found) {
      return invalid_argument("attribute '", attribute.name, "' is of type ", found,
                              ", but 'type' is ", expected);
    }
    // Large texts (a whole context) are not copied twice.
    if (attribute.kind == AttributeKind::kString) {
      return api::copy_content(as_text(attribute.s.bytes()), data, len, out);
    }
    ASSIGN_OR_RETURN(const std::string content, api::content_of(attribute));
    return api::copy_content(content, data, len, out);
  });
}

OrtStatus* OrtOpAttr_GetType(const OrtOpAttr* attribute, OrtOpAttrType* type) {
  return guard([&]() -> Status {
    ORTC_OUT(type);
    ORTC_NEEDED(attribute);
    *type = api::attr_type_of(attribute->attribute->kind);
    return {};
  });
}

OrtStatus* OrtOpAttr_GetName(const OrtOpAttr* attribute, const char** name) {
  return guard([&]() -> Status {
    ORTC_OUT(name);
    ORTC_NEEDED(attribute);
    *name = attribute->attribute->name.c_str();
    return {};
  });
}

OrtStatus* OrtOpAttr_GetTensorAttributeAsOrtValue(const OrtOpAttr* attribute,
                                                  OrtValue** attr_tensor) {
  return guard([&]() -> Status {
    ORTC_OUT(attr_tensor);
    ORTC_NEEDED(attribute);
    if (attribute->attribute->tensor == nullptr) {
      return invalid_argument("attribute '", attribute->attribute->name, "' is not a tensor");
    }
    auto value = std::make_unique<OrtValue>();
    // A copy, because the caller may write to what it gets.
    ASSIGN_OR_RETURN(value->tensor, copy_of(attribute->attribute->tensor->tensor));
    *attr_tensor = value.release();
    return {};
  });
}

}  // extern "C"
