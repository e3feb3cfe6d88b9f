// SPDX-License-Identifier: MIT
// Attributes of nodes and values of graphs: of models that were read, and for the model editor.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ort_c/cxx/external_initializer.h"
#include "ort_c/cxx/value.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

struct ValueInfoConsumerProducerInfo;

namespace detail {

// A list of the C interface: its length from one function, its entries from another.
template <typename Class, typename Object, typename Count, typename Get>
std::vector<Class> list_of(const Object* object, Count get_count, Get get) {
  size_t count = 0;
  ThrowOnError(get_count(object, &count));
  std::vector<typename Class::contained_type*> pointers(count);
  ThrowOnError(get(object, pointers.data(), count));
  std::vector<Class> result;
  result.reserve(count);
  for (auto* pointer : pointers) result.emplace_back(pointer);
  return result;
}

template <typename Object, typename Get>
std::string text_of(const Object* object, Get get) {
  const char* text = nullptr;
  ThrowOnError(get(object, &text));
  return text_or_empty(text);
}

template <typename Answer, typename Object, typename Get>
Answer answer_of(const Object* object, Get get) {
  Answer answer{};
  ThrowOnError(get(object, &answer));
  return answer;
}

/// What can be asked of an attribute.
template <typename T>
struct ConstOpAttrImpl : Base<T> {
  using Base<T>::Base;

  std::string GetName() const { return text_of(this->p_, ORT_CXX_CALL(OpAttr_GetName)); }
  OrtOpAttrType GetType() const {
    return answer_of<OrtOpAttrType>(this->p_, ORT_CXX_CALL(OpAttr_GetType));
  }
  // The content: int64_t, float or std::string. The status tells whether the attribute is of that
  // type.
  Status GetValue(int64_t& out) const { return read(ORT_OP_ATTR_INT, &out, sizeof out); }
  Status GetValue(float& out) const { return read(ORT_OP_ATTR_FLOAT, &out, sizeof out); }
  Status GetValue(std::string& out) const {
    return read_bytes(ORT_OP_ATTR_STRING, [&out](size_t size) {
      out.resize(size);
      return out.data();
    });
  }
  Status GetValueArray(std::vector<int64_t>& out) const {
    return read_bytes(ORT_OP_ATTR_INTS, [&out](size_t size) {
      out.resize(size / sizeof(int64_t));
      return out.data();
    });
  }
  Status GetValueArray(std::vector<float>& out) const {
    return read_bytes(ORT_OP_ATTR_FLOATS, [&out](size_t size) {
      out.resize(size / sizeof(float));
      return out.data();
    });
  }
  Status GetValueArray(std::vector<std::string>& out) const {
    std::string all;  // each with its end mark
    Status status = read_bytes(ORT_OP_ATTR_STRINGS, [&all](size_t size) {
      all.resize(size);
      return all.data();
    });
    out.clear();
    for (size_t at = 0; at < all.size(); at += out.back().size() + 1) {
      out.emplace_back(all.c_str() + at);
    }
    return status;
  }
  /// A value with a copy of the bytes.
  Status GetTensorAttributeAsOrtValue(Value& out) const {
    OrtValue* value = nullptr;
    Status status(ORT_CXX_CALL(OpAttr_GetTensorAttributeAsOrtValue)(this->p_, &value));
    out = Value(value);
    return status;
  }

 private:
  Status read(OrtOpAttrType type, void* data, size_t size) const {
    size_t needed = 0;
    return Status(ORT_CXX_CALL(ReadOpAttr)(this->p_, type, data, size, &needed));
  }
  template <typename MakeRoom>
  Status read_bytes(OrtOpAttrType type, MakeRoom make_room) const {
    size_t needed = 0;
    char none = 0;
    // Without room the call fails but tells the size; only an empty content succeeds.
    Status status(ORT_CXX_CALL(ReadOpAttr)(this->p_, type, &none, 0, &needed));
    void* const room = make_room(needed);
    return needed == 0 ? std::move(status) : read(type, room, needed);
  }
};

/// What can be asked of a value of a graph.
template <typename T>
struct ConstValueInfoImpl : Base<T> {
  using Base<T>::Base;

  std::string GetName() const { return text_of(this->p_, ORT_CXX_CALL(GetValueInfoName)); }
  /// Borrowed from the value.
  ConstTypeInfo TypeInfo() const {
    return ConstTypeInfo(
        answer_of<const OrtTypeInfo*>(this->p_, ORT_CXX_CALL(GetValueInfoTypeInfo)));
  }
  /// The node that makes the value and which of its outputs it is; a node with nullptr when none
  /// of the graph does.
  ValueInfoConsumerProducerInfo GetProducerNode() const;
  /// The places where nodes read the value; -1 as index for an implicit input.
  std::vector<ValueInfoConsumerProducerInfo> GetConsumers() const;
  /// Holds nullptr when the value is not an initializer. Lives as long as the graph.
  Status GetInitializer(ConstValue& out) const {
    const OrtValue* value = nullptr;
    Status status(ORT_CXX_CALL(ValueInfo_GetInitializerValue)(this->p_, &value));
    out = ConstValue(value);
    return status;
  }
  /// Holds nullptr when the initializer is in the model itself.
  Status GetExternalInitializerInfo(ExternalInitializerInfo& out) const {
    OrtExternalInitializerInfo* info = nullptr;
    Status status(ORT_CXX_CALL(ValueInfo_GetExternalInitializerInfo)(this->p_, &info));
    out = ExternalInitializerInfo(info);
    return status;
  }
  bool IsRequiredGraphInput() const {
    return answer_of<bool>(this->p_, ORT_CXX_CALL(ValueInfo_IsRequiredGraphInput));
  }
  bool IsOptionalGraphInput() const {
    return answer_of<bool>(this->p_, ORT_CXX_CALL(ValueInfo_IsOptionalGraphInput));
  }
  bool IsGraphOutput() const {
    return answer_of<bool>(this->p_, ORT_CXX_CALL(ValueInfo_IsGraphOutput));
  }
  bool IsConstantInitializer() const {
    return answer_of<bool>(this->p_, ORT_CXX_CALL(ValueInfo_IsConstantInitializer));
  }
  bool IsFromOuterScope() const {
    return answer_of<bool>(this->p_, ORT_CXX_CALL(ValueInfo_IsFromOuterScope));
  }
};

}  // namespace detail

/// An attribute that belongs to a node.
using ConstOpAttr = detail::ConstOpAttrImpl<detail::Unowned<const OrtOpAttr>>;
/// A value that belongs to a graph.
using ConstValueInfo = detail::ConstValueInfoImpl<detail::Unowned<const OrtValueInfo>>;

/// An attribute for a node of the model editor.
struct OpAttr : detail::ConstOpAttrImpl<OrtOpAttr> {
  OpAttr() = default;
  explicit OpAttr(std::nullptr_t) {}
  explicit OpAttr(OrtOpAttr* p) : ConstOpAttrImpl(p) {}
  /// `data` is copied: `len` elements, or bytes of a text; see OrtCreateOpAttr().
  OpAttr(const char* name, const void* data, int len, OrtOpAttrType type) {
    ThrowOnError(ORT_CXX_CALL(CreateOpAttr)(name, data, len, type, &p_));
  }
  ConstOpAttr GetConst() const { return ConstOpAttr(p_); }
};

/// A name with a type, for the inputs and outputs of a graph of the model editor.
struct ValueInfo : detail::ConstValueInfoImpl<OrtValueInfo> {
  ValueInfo() = default;
  explicit ValueInfo(std::nullptr_t) {}
  explicit ValueInfo(OrtValueInfo* p) : ConstValueInfoImpl(p) {}
  /// The type is copied; it must be that of a tensor.
  explicit ValueInfo(const std::string& name, const ConstTypeInfo& type) {
    ThrowOnError(ORT_CXX_EDITOR_CALL(CreateValueInfo)(name.c_str(), type, &p_));
  }
  ConstValueInfo GetConst() const { return ConstValueInfo(p_); }
};

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
