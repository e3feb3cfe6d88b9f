// SPDX-License-Identifier: MIT
// What the compute functions of onnxruntime_lite_custom_op.h get: inputs and outputs of a node as
// tensors, spans and lists. All look at values of one call of the kernel.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../onnxruntime_cxx_api.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {
namespace Custom {

/// An input or an output of a node.
class ArgBase {
 public:
  ArgBase(OrtKernelContext* context, size_t index, bool is_input)
      : ctx_(context), index_(index), is_input_(is_input) {}
  virtual ~ArgBase() = default;

 protected:
  KernelContext ctx_;
  size_t index_;
  bool is_input_;
};

/// A tensor of any element type. An output has a shape once it is allocated.
class TensorBase : public ArgBase {
 public:
  TensorBase(OrtKernelContext* context, size_t index, bool is_input)
      : ArgBase(context, index, is_input) {
    if (!is_input) return;
    if (index >= ctx_.GetInputCount()) {
      Ort::detail::raise("the node has no input " + std::to_string(index), ORT_INVALID_ARGUMENT);
    }
    value_ = ctx_.GetInput(index);
    if (value_ != nullptr) shape_ = value_.GetTensorTypeAndShapeInfo().GetShape();
  }

  /// Whether it is there.
  operator bool() const { return shape_.has_value(); }
  const std::vector<int64_t>& Shape() const {
    if (!shape_) Ort::detail::raise("an output has no shape yet", ORT_RUNTIME_EXCEPTION);
    return *shape_;
  }
  ONNXTensorElementDataType Type() const { return type_; }
  int64_t NumberOfElement() const {
    if (!shape_) return 0;
    int64_t count = 1;
    for (const int64_t size : *shape_) count *= size;
    return count;
  }
  /// As "2,3".
  std::string Shape2Str() const {
    std::string text;
    for (const int64_t size : shape_.value_or(std::vector<int64_t>{})) {
      text += (text.empty() ? "" : ",") + std::to_string(size);
    }
    return shape_ ? text : "empty";
  }
  bool IsCpuTensor() const {
    return value_ == nullptr || value_.GetTensorMemoryInfo().GetAllocatorName() == "Cpu";
  }
  virtual const void* DataRaw() const = 0;
  virtual size_t SizeInBytes() const = 0;

 protected:
  void require_shape(bool holds, const char* expected) const {
    if (!holds) {
      Ort::detail::raise(std::string("expected ") + expected + ", found the shape " + Shape2Str(),
                         ORT_INVALID_ARGUMENT);
    }
  }
  bool is_scalar() const { return shape_ && NumberOfElement() == 1 && shape_->size() <= 1; }
  UnownedValue allocate(const std::vector<int64_t>& shape) {
    shape_ = shape;
    return ctx_.GetOutput(index_, shape);
  }

  ConstValue value_{nullptr};
  std::optional<std::vector<int64_t>> shape_;
  ONNXTensorElementDataType type_ = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
};

/// The elements of a tensor of one dimension.
template <typename T>
struct Span {
  const T* data_ = nullptr;
  size_t size_ = 0;

  void Assign(const T* data, size_t size) {
    data_ = data;
    size_ = size;
  }
  size_t size() const { return size_; }
  T operator[](size_t index) const { return data_[index]; }
  const T* data() const { return data_; }
};

/// A tensor of numbers.
template <typename T>
class Tensor : public TensorBase {
 public:
  Tensor(OrtKernelContext* context, size_t index, bool is_input)
      : TensorBase(context, index, is_input) {
    type_ = TypeToTensorType<T>::type;
  }

  const T* Data() const {
    return value_ != nullptr ? static_cast<const T*>(value_.GetTensorRawData()) : nullptr;
  }
  /// Makes the output; NULL when the model leaves it out.
  T* Allocate(const std::vector<int64_t>& shape) {
    if (data_ == nullptr) {
      UnownedValue made = allocate(shape);
      if (made != nullptr) data_ = made.template GetTensorMutableData<T>();
    }
    return data_;
  }
  const Span<T>& AsSpan() {
    require_shape(shape_ && shape_->size() == 1, "a tensor of one dimension");
    span_.Assign(Data(), static_cast<size_t>((*shape_)[0]));
    return span_;
  }
  const T& AsScalar() {
    require_shape(is_scalar(), "one element");
    return *Data();
  }
  const void* DataRaw() const override { return Data(); }
  size_t SizeInBytes() const override { return sizeof(T) * static_cast<size_t>(NumberOfElement()); }

 private:
  T* data_ = nullptr;
  Span<T> span_;
};

namespace detail {

// Tensors of texts: `Text` is what the elements are shown as, over texts that the tensor owns.
template <typename Text>
class TextTensor : public TensorBase {
 public:
  TextTensor(OrtKernelContext* context, size_t index, bool is_input)
      : TensorBase(context, index, is_input) {
    type_ = ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
    if (value_ != nullptr) texts_ = value_.GetStrings();
    shown_.assign(texts_.begin(), texts_.end());
  }

  const std::vector<Text>& Data() const { return shown_; }
  const Span<Text>& AsSpan() {
    require_shape(shape_ && shape_->size() == 1, "a tensor of one dimension");
    span_.Assign(shown_.data(), shown_.size());
    return span_;
  }
  const Text& AsScalar() {
    require_shape(is_scalar(), "one text");
    return shown_.front();
  }
  void SetStringOutput(const std::vector<std::string>& texts, const std::vector<int64_t>& shape) {
    UnownedValue made = allocate(shape);
    if (made != nullptr) made.FillStringTensor(texts);
  }
  const void* DataRaw() const override {
    require_shape(is_scalar(), "one text");
    return texts_.front().data();
  }
  size_t SizeInBytes() const override {
    require_shape(is_scalar(), "one text");
    return texts_.front().size();
  }

 private:
  std::vector<std::string> texts_;
  std::vector<Text> shown_;
  Span<Text> span_;
};

}  // namespace detail

template <>
class Tensor<std::string> : public detail::TextTensor<std::string> {
  using TextTensor::TextTensor;
};
template <>
class Tensor<std::string_view> : public detail::TextTensor<std::string_view> {
  using TextTensor::TextTensor;
};

using TensorPtr = std::unique_ptr<TensorBase>;

/// The tensor of an element type that is known at run time.
inline TensorPtr MakeTensor(ONNXTensorElementDataType type, OrtKernelContext* context,
                            size_t index) {
  switch (type) {
#define ORTC_LITE_TENSOR(name, T)            \
  case ONNX_TENSOR_ELEMENT_DATA_TYPE_##name: \
    return std::make_unique<Tensor<T>>(context, index, true)
    ORTC_LITE_TENSOR(BOOL, bool);
    ORTC_LITE_TENSOR(FLOAT, float);
    ORTC_LITE_TENSOR(DOUBLE, double);
    ORTC_LITE_TENSOR(INT8, int8_t);
    ORTC_LITE_TENSOR(INT16, int16_t);
    ORTC_LITE_TENSOR(INT32, int32_t);
    ORTC_LITE_TENSOR(INT64, int64_t);
    ORTC_LITE_TENSOR(UINT8, uint8_t);
    ORTC_LITE_TENSOR(UINT16, uint16_t);
    ORTC_LITE_TENSOR(UINT32, uint32_t);
    ORTC_LITE_TENSOR(UINT64, uint64_t);
    ORTC_LITE_TENSOR(STRING, std::string);
#undef ORTC_LITE_TENSOR
    default:
      Ort::detail::raise("inputs of element type " + std::to_string(type) + " in lists",
                         ORT_NOT_IMPLEMENTED);
  }
}

/// The last inputs or outputs of a node, any number of them.
class TensorArray : public ArgBase {
 public:
  TensorArray(OrtKernelContext* context, size_t start, bool is_input)
      : ArgBase(context, start, is_input), context_(context) {
    for (size_t i = start; is_input && i < ctx_.GetInputCount(); ++i) {
      const ConstValue value = ctx_.GetInput(i);
      tensors_.push_back(
          MakeTensor(value.GetTensorTypeAndShapeInfo().GetElementType(), context, i));
    }
  }

  template <typename T>
  T* AllocateOutput(size_t index, const std::vector<int64_t>& shape) {
    return static_cast<Tensor<T>&>(output<T>(index)).Allocate(shape);
  }
  Tensor<std::string>& AllocateStringTensor(size_t index) {
    return static_cast<Tensor<std::string>&>(output<std::string>(index));
  }
  size_t Size() const { return tensors_.size(); }
  const TensorPtr& operator[](size_t index) const { return tensors_.at(index); }

 private:
  template <typename T>
  TensorBase& output(size_t index) {
    if (index >= tensors_.size()) tensors_.resize(index + 1);
    tensors_[index] = std::make_unique<Tensor<T>>(context_, index_ + index, false);
    return *tensors_[index];
  }

  OrtKernelContext* context_;
  std::vector<TensorPtr> tensors_;
};

using Variadic = TensorArray;

}  // namespace Custom
}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
