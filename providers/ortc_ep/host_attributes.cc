// SPDX-License-Identifier: MIT
// Attributes of the host's nodes: see the header.
#include "providers/ortc_ep/host_attributes.h"

#include <climits>

#include "providers/ortc_ep/host_values.h"

namespace ortc::ort_ep {
namespace {

// Where the bytes of an attribute go: aligned, as contexts that are embedded want it.
Result<Tensor> content_of(const Host& host, const OrtOpAttr& attribute, OrtOpAttrType type) {
  size_t size = 0;
  // Without room it tells the size, and a failure that says no more than that.
  (void)host.take(host.api->ReadOpAttr(&attribute, type, nullptr, 0, &size));
  ASSIGN_OR_RETURN(Tensor content, Tensor::create(DType::kUint8, {static_cast<int64_t>(size)}));
  if (size == 0) return content;
  ORTC_ASK(host, ReadOpAttr(&attribute, type, content.mutable_data(), size, &size));
  return content;
}

template <typename T>
std::vector<T> numbers_of(const Tensor& content) {
  std::vector<T> numbers(content.byte_size() / sizeof(T));
  if (!numbers.empty()) std::memcpy(numbers.data(), content.data(), numbers.size() * sizeof(T));
  return numbers;
}

// Each ends with a zero.
std::vector<Blob> texts_of(const Tensor& content) {
  std::vector<Blob> texts;
  std::string_view rest = as_text(content.bytes());
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\0'), rest.size());
    texts.push_back(Blob::from_string(std::string(rest.substr(0, end))));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return texts;
}

Result<std::shared_ptr<const Constant>> tensor_attribute(const Host& host,
                                                         const OrtOpAttr& attribute) {
  OrtValue* value = nullptr;
  ORTC_ASK(host, OpAttr_GetTensorAttributeAsOrtValue(&attribute, &value));
  const std::shared_ptr<const void> owner(
      value, [host](void* one) { host.api->ReleaseValue(static_cast<OrtValue*>(one)); });
  ASSIGN_OR_RETURN(const HostTensor tensor, tensor_of(host, *value));
  ASSIGN_OR_RETURN(const Tensor view, view_of(tensor, nullptr));
  // A copy: an object of the host would have to go before the host does.
  auto constant = std::make_shared<Constant>();
  ASSIGN_OR_RETURN(constant->tensor, Tensor::create(view.dtype(), view.dims()));
  if (view.byte_size() != 0) {
    std::memcpy(constant->tensor.mutable_data(), view.data(), view.byte_size());
  }
  return std::shared_ptr<const Constant>(std::move(constant));
}

// False for a kind that is not shown.
Result<bool> read_attribute(const Host& host, const OrtOpAttr& from, OrtOpAttrType type,
                            Attribute& to) {
  if (type == ORT_OP_ATTR_TENSOR) {
    to.kind = AttributeKind::kTensor;
    auto tensor = tensor_attribute(host, from);
    if (!tensor.is_ok() && tensor.status().code() == Code::kNotImplemented) return false;
    ASSIGN_OR_RETURN(to.tensor, std::move(tensor));
    return true;
  }
  constexpr OrtOpAttrType kPlain[] = {ORT_OP_ATTR_INT,    ORT_OP_ATTR_INTS,   ORT_OP_ATTR_FLOAT,
                                      ORT_OP_ATTR_FLOATS, ORT_OP_ATTR_STRING, ORT_OP_ATTR_STRINGS};
  if (std::find(std::begin(kPlain), std::end(kPlain), type) == std::end(kPlain)) return false;
  ASSIGN_OR_RETURN(const Tensor content, content_of(host, from, type));
  if (type == ORT_OP_ATTR_INT || type == ORT_OP_ATTR_INTS) {
    to.kind = type == ORT_OP_ATTR_INT ? AttributeKind::kInt : AttributeKind::kInts;
    to.ints = numbers_of<int64_t>(content);
    if (type == ORT_OP_ATTR_INT && !to.ints.empty()) to.i = to.ints.front();
    if (type == ORT_OP_ATTR_INT) to.ints.clear();
  } else if (type == ORT_OP_ATTR_FLOAT || type == ORT_OP_ATTR_FLOATS) {
    to.kind = type == ORT_OP_ATTR_FLOAT ? AttributeKind::kFloat : AttributeKind::kFloats;
    to.floats = numbers_of<float>(content);
    if (type == ORT_OP_ATTR_FLOAT && !to.floats.empty()) to.f = to.floats.front();
    if (type == ORT_OP_ATTR_FLOAT) to.floats.clear();
  } else if (type == ORT_OP_ATTR_STRING) {
    to.kind = AttributeKind::kString;
    to.s = Blob(content.bytes(), content.owner());
  } else {
    to.kind = AttributeKind::kStrings;
    to.strings = texts_of(content);
  }
  return true;
}

}  // namespace

Result<std::optional<std::vector<Attribute>>> attributes_of(const Host& host, const OrtNode& node) {
  size_t count = 0;
  ORTC_ASK(host, Node_GetNumAttributes(&node, &count));
  std::vector<const OrtOpAttr*> list(count);
  ORTC_ASK(host, Node_GetAttributes(&node, list.data(), count));
  std::vector<Attribute> attributes;
  for (const OrtOpAttr* one : list) {
    const char* name = nullptr;
    OrtOpAttrType type = ORT_OP_ATTR_UNDEFINED;
    ORTC_ASK(host, OpAttr_GetType(one, &type));
    if (type == ORT_OP_ATTR_GRAPH) continue;
    ORTC_ASK(host, OpAttr_GetName(one, &name));
    Attribute attribute;
    attribute.name = name;
    ASSIGN_OR_RETURN(const bool is_shown, read_attribute(host, *one, type, attribute));
    if (!is_shown) return std::optional<std::vector<Attribute>>();
    attributes.push_back(std::move(attribute));
  }
  return std::optional(std::move(attributes));
}

HostAttributes::~HostAttributes() {
  for (OrtOpAttr* attribute : list_) host_.api->ReleaseOpAttr(attribute);
}

Status HostAttributes::add(const Attribute& attribute) {
  OrtOpAttr* made = nullptr;
  if (attribute.kind == AttributeKind::kInt) {
    ORTC_ASK(host_, CreateOpAttr(attribute.name.c_str(), &attribute.i, 1, ORT_OP_ATTR_INT, &made));
  } else {
    if (attribute.s.size() > INT_MAX) {
      return invalid_argument("the attribute '", attribute.name, "' takes ", attribute.s.size(),
                              " bytes, and at most ", INT_MAX,
                              " go into a model: write an external context "
                              "(ep.context_embed_mode=0)");
    }
    // It must not be NULL, also for an empty text.
    const void* bytes = attribute.s.empty() ? static_cast<const void*>("") : attribute.s.data();
    ORTC_ASK(host_, CreateOpAttr(attribute.name.c_str(), bytes,
                                 static_cast<int>(attribute.s.size()), ORT_OP_ATTR_STRING, &made));
  }
  list_.push_back(made);
  return Status::ok();
}

}  // namespace ortc::ort_ep
