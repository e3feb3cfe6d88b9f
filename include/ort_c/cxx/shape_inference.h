// SPDX-License-Identifier: MIT
// What the shape inference of a custom operator sees and says.
#pragma once

#include <string>
#include <vector>

#include "ort_c/cxx/graph_values.h"
#include "ort_c/cxx/type_info.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

/// The node whose outputs get shapes. Borrowed: valid until InferOutputShape() returns.
struct ShapeInferContext {
  /// A dimension: a number, or a name that stands for one. -1 is unknown.
  struct SymbolicInteger {
    SymbolicInteger(int64_t i) : i_(i), is_int_(true) {}
    SymbolicInteger(const char* s) : s_(s) {}
    SymbolicInteger(std::string s) : s_(std::move(s)) {}

    bool operator==(const SymbolicInteger& other) const {
      if (is_int_ != other.is_int_) return false;
      return is_int_ ? i_ == other.i_ : s_ == other.s_;
    }
    bool IsInt() const { return is_int_; }
    int64_t AsInt() const { return i_; }
    const char* AsSym() const { return s_.c_str(); }

   private:
    int64_t i_ = 0;
    std::string s_;
    bool is_int_ = false;
  };
  using Shape = std::vector<SymbolicInteger>;
  using Ints = std::vector<int64_t>;
  using Floats = std::vector<float>;
  using Strings = std::vector<std::string>;

  /// `api` is not looked at: calls go where those of all classes go.
  ShapeInferContext(const OrtApi* api, OrtShapeInferContext* context) : context_(context) {
    (void)api;
    size_t count = 0;
    ThrowOnError(ORT_CXX_CALL(ShapeInferContext_GetInputCount)(context_, &count));
    for (size_t i = 0; i < count; ++i) inputs_.push_back(shape_of(i));
  }

  size_t GetInputCount() const { return inputs_.size(); }
  /// Empty also where the number of dimensions is not known.
  const Shape& GetInputShape(size_t index) const {
    if (index >= inputs_.size()) {
      detail::raise("there is no input " + std::to_string(index), ORT_INVALID_ARGUMENT);
    }
    return inputs_[index];
  }

  Status SetOutputShape(size_t index, const Shape& shape,
                        ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT) {
    std::vector<int64_t> dims;
    std::vector<std::string> names;
    for (const SymbolicInteger& dim : shape) {
      dims.push_back(dim.IsInt() ? dim.AsInt() : -1);
      names.push_back(dim.IsInt() ? "" : dim.AsSym());
    }
    const TensorTypeAndShapeInfo info(type, dims, &names);
    return Status(ORT_CXX_CALL(ShapeInferContext_SetOutputTypeShape)(context_, index, info));
  }

  int64_t GetAttrInt(const char* name) const { return one<int64_t>(name, ORT_OP_ATTR_INT); }
  float GetAttrFloat(const char* name) const { return one<float>(name, ORT_OP_ATTR_FLOAT); }
  Ints GetAttrInts(const char* name) const { return list<int64_t>(name, ORT_OP_ATTR_INTS); }
  Floats GetAttrFloats(const char* name) const { return list<float>(name, ORT_OP_ATTR_FLOATS); }
  std::string GetAttrString(const char* name) const {
    const std::vector<char> bytes = list<char>(name, ORT_OP_ATTR_STRING);
    return std::string(bytes.begin(), bytes.end());
  }
  Strings GetAttrStrings(const char* name) const {
    const std::vector<char> bytes = list<char>(name, ORT_OP_ATTR_STRINGS);
    Strings texts;
    for (size_t begin = 0; begin < bytes.size(); begin += texts.back().size() + 1) {
      texts.emplace_back(bytes.data() + begin);
    }
    return texts;
  }

 private:
  Shape shape_of(size_t index) const {
    OrtTensorTypeAndShapeInfo* info = nullptr;
    ThrowOnError(ORT_CXX_CALL(ShapeInferContext_GetInputTypeShape)(context_, index, &info));
    const ConstTensorTypeAndShapeInfo seen(info);
    const std::vector<int64_t> dims = seen.GetShape();
    const std::vector<const char*> names = seen.GetSymbolicDimensions();
    Shape shape;
    for (size_t i = 0; i < dims.size(); ++i) {
      const bool is_named = dims[i] < 0 && names[i] != nullptr && *names[i] != '\0';
      if (is_named) {
        shape.emplace_back(names[i]);
      } else {
        shape.emplace_back(dims[i]);
      }
    }
    return shape;
  }

  const OrtOpAttr* attribute(const char* name) const {
    const OrtOpAttr* found = nullptr;
    ThrowOnError(ORT_CXX_CALL(ShapeInferContext_GetAttribute)(context_, name, &found));
    return found;
  }
  template <typename T>
  T one(const char* name, OrtOpAttrType type) const {
    T value{};
    size_t size = 0;
    ThrowOnError(ORT_CXX_CALL(ReadOpAttr)(attribute(name), type, &value, sizeof value, &size));
    return value;
  }
  template <typename T>
  std::vector<T> list(const char* name, OrtOpAttrType type) const {
    const OrtOpAttr* found = attribute(name);
    size_t bytes = 0;
    // Tells how much it takes, and fails unless that is nothing.
    if (Status(ORT_CXX_CALL(ReadOpAttr)(found, type, nullptr, 0, &bytes)).IsOK()) return {};
    std::vector<T> values(bytes / sizeof(T));
    ThrowOnError(ORT_CXX_CALL(ReadOpAttr)(found, type, values.data(), bytes, &bytes));
    return values;
  }

  OrtShapeInferContext* context_;
  std::vector<Shape> inputs_;
};

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
