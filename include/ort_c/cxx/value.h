// SPDX-License-Identifier: MIT
// Values: tensors, sequences, maps, optionals. The methods of sparse tensors are defined in
// sparse_value.h.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "ort_c/cxx/float16.h"
#include "ort_c/cxx/memory.h"
#include "ort_c/cxx/type_info.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

struct Value;

namespace detail {

/// The values of a sparse tensor: numbers, or texts that end in zero. `data` is NULL when there are
/// none; the shape is then {0}.
struct OrtSparseValuesParam {
  const int64_t* values_shape;
  size_t values_shape_len;
  union {
    const void* p_data;
    const char** str;
  } data;
};

/// Sizes of dimensions, borrowed.
struct Shape {
  const int64_t* shape;
  size_t shape_len;
};

inline size_t bytes_of(size_t count, size_t size) {
  if (count > std::numeric_limits<size_t>::max() / size) {
    raise(std::to_string(count) + " elements of " + std::to_string(size) +
              " bytes are more than memory can hold",
          ORT_INVALID_ARGUMENT);
  }
  return count * size;
}

/// What can be asked of a value.
template <typename T>
struct ConstValueImpl : Base<T> {
  using Base<T>::Base;

  /// Whether it is a dense tensor.
  bool IsTensor() const { return asks(ORT_CXX_CALL(IsTensor)); }
  bool IsSparseTensor() const { return asks(ORT_CXX_CALL(IsSparseTensor)); }
  /// False for an optional without content.
  bool HasValue() const { return asks(ORT_CXX_CALL(HasValue)); }
  /// An optional is what it contains, or ONNX_TYPE_UNKNOWN without content.
  ONNXType GetValueType() const {
    ONNXType type = ONNX_TYPE_UNKNOWN;
    ThrowOnError(ORT_CXX_CALL(GetValueType)(this->p_, &type));
    return type;
  }

  TypeInfo GetTypeInfo() const {
    OrtTypeInfo* type = nullptr;
    ThrowOnError(ORT_CXX_CALL(GetTypeInfo)(this->p_, &type));
    return TypeInfo(type);
  }
  /// Element type and shape; of a sparse tensor those of the dense one it stands for.
  TensorTypeAndShapeInfo GetTensorTypeAndShapeInfo() const {
    OrtTensorTypeAndShapeInfo* info = nullptr;
    ThrowOnError(ORT_CXX_CALL(GetTensorTypeAndShape)(this->p_, &info));
    return TensorTypeAndShapeInfo(info);
  }
  /// The same without making anything: `shape` is borrowed from the value.
  void GetTensorElementTypeAndShapeDataReference(ONNXTensorElementDataType& type,
                                                 Shape& shape) const {
    ThrowOnError(ORT_CXX_CALL(GetTensorElementTypeAndShapeDataReference)(
        this->p_, &type, &shape.shape, &shape.shape_len));
  }
  /// Where the elements lie; lives as long as the value.
  ConstMemoryInfo GetTensorMemoryInfo() const {
    const OrtMemoryInfo* info = nullptr;
    ThrowOnError(ORT_CXX_CALL(GetTensorMemoryInfo)(this->p_, &info));
    return ConstMemoryInfo(info);
  }
  size_t GetTensorSizeInBytes() const {
    size_t size = 0;
    ThrowOnError(ORT_CXX_CALL(GetTensorSizeInBytes)(this->p_, &size));
    return size;
  }

  /// The first element. R is not checked against the element type: GetTensorSpan() does that.
  template <typename R>
  const R* GetTensorData() const {
    return static_cast<const R*>(GetTensorRawData());
  }
  const void* GetTensorRawData() const {
    const void* data = nullptr;
    ThrowOnError(ORT_CXX_CALL(GetTensorData)(this->p_, &data));
    return data;
  }
  /// All elements, which live as long as the value. Fails with INVALID_ARGUMENT when the tensor is
  /// not one of R.
  template <typename R>
  Span<const R> GetTensorSpan() const {
    const size_t count = count_of(TypeToTensorType<R>::type);
    return Span<const R>(GetTensorData<R>(), count);
  }

  /// How many parts a sequence has; 2 for a map: its keys and its values.
  size_t GetCount() const {
    size_t count = 0;
    ThrowOnError(ORT_CXX_CALL(GetValueCount)(this->p_, &count));
    return count;
  }
  /// A part of a sequence or map. `allocator` gives the memory of a copy.
  Value GetValue(int index, OrtAllocator* allocator) const;

  // Tensors of texts, also sparse ones: texts are UTF-8 and do not end in zero here.

  /// All texts, in the order of the elements.
  std::vector<std::string> GetStrings() const {
    std::vector<std::string> texts;
    const size_t count = IsSparseTensor()
                             ? GetSparseTensorValuesTypeAndShapeInfo().GetElementCount()
                             : GetTensorTypeAndShapeInfo().GetElementCount();
    texts.reserve(count);
    for (size_t i = 0; i < count; ++i) texts.push_back(GetStringTensorElement(i));
    return texts;
  }
  /// One text.
  std::string GetStringTensorElement(size_t index) const {
    std::string text(GetStringTensorElementLength(index), '\0');
    GetStringTensorElement(text.size(), index, text.data());
    return text;
  }
  /// In bytes.
  size_t GetStringTensorElementLength(size_t index) const {
    size_t length = 0;
    ThrowOnError(ORT_CXX_CALL(GetStringTensorElementLength)(this->p_, index, &length));
    return length;
  }
  void GetStringTensorElement(size_t buffer_length, size_t index, void* buffer) const {
    ThrowOnError(ORT_CXX_CALL(GetStringTensorElement)(this->p_, buffer_length, index, buffer));
  }
  /// Bytes of all texts together.
  size_t GetStringTensorDataLength() const {
    size_t length = 0;
    ThrowOnError(ORT_CXX_CALL(GetStringTensorDataLength)(this->p_, &length));
    return length;
  }
  /// Copies all texts, one after the other, and where each begins.
  void GetStringTensorContent(void* buffer, size_t buffer_length, size_t* offsets,
                              size_t offsets_count) const {
    ThrowOnError(ORT_CXX_CALL(GetStringTensorContent)(this->p_, buffer, buffer_length, offsets,
                                                      offsets_count));
  }

  // Sparse tensors.

  OrtSparseFormat GetSparseFormat() const;
  TensorTypeAndShapeInfo GetSparseTensorValuesTypeAndShapeInfo() const;
  TensorTypeAndShapeInfo GetSparseTensorIndicesTypeShapeInfo(OrtSparseIndicesFormat format) const;
  /// The first of the values; R is not checked.
  template <typename R>
  const R* GetSparseTensorValues() const;
  /// The first of the indices and how many there are.
  template <typename R>
  const R* GetSparseTensorIndicesData(OrtSparseIndicesFormat format, size_t& count) const;

  /// Copies the content of an opaque value. Such values are not implemented in ortc.
  template <typename R>
  void GetOpaqueData(const char* domain, const char* type_name, R& out) const {
    ThrowOnError(ORT_CXX_CALL(GetOpaqueValue)(domain, type_name, this->p_, &out, sizeof(R)));
  }

 protected:
  size_t count_of(ONNXTensorElementDataType expected) const {
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    Shape dims{nullptr, 0};
    GetTensorElementTypeAndShapeDataReference(type, dims);
    if (type != expected) {
      raise("the tensor has elements of type " + std::to_string(type) + ", expected type " +
                std::to_string(expected) + " (the numbers are those of ONNXTensorElementDataType)",
            ORT_INVALID_ARGUMENT);
    }
    size_t count = 1;
    for (size_t i = 0; i < dims.shape_len; ++i) count *= static_cast<size_t>(dims.shape[i]);
    return count;
  }

 private:
  template <typename Question>
  bool asks(Question question) const {
    int answer = 0;
    ThrowOnError(question(this->p_, &answer));
    return answer != 0;
  }
};

/// What can be done to a value. One thread at a time.
template <typename T>
struct ValueImpl : ConstValueImpl<T> {
  using ConstValueImpl<T>::ConstValueImpl;

  /// The first element, for writing. R is not checked against the element type.
  template <typename R>
  R* GetTensorMutableData() {
    return static_cast<R*>(GetTensorMutableRawData());
  }
  void* GetTensorMutableRawData() {
    void* data = nullptr;
    ThrowOnError(ORT_CXX_CALL(GetTensorMutableData)(this->p_, &data));
    return data;
  }
  /// All elements, for writing. Fails with INVALID_ARGUMENT when the tensor is not one of R.
  template <typename R>
  Span<R> GetMutableTensorSpan() {
    const size_t count = this->count_of(TypeToTensorType<R>::type);
    return Span<R>(GetTensorMutableData<R>(), count);
  }
  /// One element, by its index in each dimension.
  template <typename R>
  R& At(const std::vector<int64_t>& location) {
    void* element = nullptr;
    ThrowOnError(ORT_CXX_CALL(TensorAt)(this->p_, location.data(), location.size(), &element));
    return *static_cast<R*>(element);
  }

  /// Sets all texts: as many as there are elements. Texts end in zero.
  void FillStringTensor(const char* const* texts, size_t count) {
    ThrowOnError(ORT_CXX_CALL(FillStringTensor)(this->p_, texts, count));
  }
  void FillStringTensor(const std::vector<std::string>& texts) {
    const std::vector<const char*> pointers = pointers_to(texts);
    FillStringTensor(pointers.data(), pointers.size());
  }
  void FillStringTensorElement(const char* text, size_t index) {
    ThrowOnError(ORT_CXX_CALL(FillStringTensorElement)(this->p_, text, index));
  }
  /// Room for one text of `length` bytes, to be written to; it does not end in zero.
  char* GetResizedStringTensorElementBuffer(size_t index, size_t length) {
    char* buffer = nullptr;
    ThrowOnError(
        ORT_CXX_CALL(GetResizedStringTensorElementBuffer)(this->p_, index, length, &buffer));
    return buffer;
  }

  // Sparse tensors. Use… borrows the indices for the life of the value, Fill… copies everything.

  void UseCooIndices(int64_t* indices, size_t count);
  void UseCsrIndices(int64_t* inner, size_t inner_count, int64_t* outer, size_t outer_count);
  void UseBlockSparseIndices(const Shape& indices_shape, int32_t* indices);
  void FillSparseTensorCoo(const OrtMemoryInfo* data_mem_info, const OrtSparseValuesParam& values,
                           const int64_t* indices, size_t count);
  void FillSparseTensorCsr(const OrtMemoryInfo* data_mem_info, const OrtSparseValuesParam& values,
                           const int64_t* inner, size_t inner_count, const int64_t* outer,
                           size_t outer_count);
  void FillSparseTensorBlockSparse(const OrtMemoryInfo* data_mem_info,
                                   const OrtSparseValuesParam& values, const Shape& indices_shape,
                                   const int32_t* indices);
};

}  // namespace detail

/// Values that something else owns.
using ConstValue = detail::ConstValueImpl<detail::Unowned<const OrtValue>>;
using UnownedValue = detail::ValueImpl<detail::Unowned<OrtValue>>;

/// A value. Several threads may read it while none writes.
struct Value : detail::ValueImpl<OrtValue> {
  using OrtSparseValuesParam = detail::OrtSparseValuesParam;
  using Shape = detail::Shape;

  Value() = default;
  Value(std::nullptr_t) {}
  explicit Value(OrtValue* p) : ValueImpl(p) {}

  ConstValue GetConst() const { return ConstValue(p_); }
  UnownedValue GetUnowned() const { return UnownedValue(p_); }

  // Tensors over memory of the program. Nothing is copied: the memory must live and keep its place
  // until the value is released.

  /// A tensor over the elements of a vector, array or span in memory of the processor:
  ///
  ///   std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  ///   Ort::Value x = Ort::Value::CreateTensor<float>(numbers, {2, 3});
  template <typename T>
  static Value CreateTensor(Span<T> data, Span<const int64_t> shape) {
    const MemoryInfo cpu = MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
    return CreateTensor<T>(cpu, data.data(), data.size(), shape.data(), shape.size());
  }
  template <typename T>
  static Value CreateTensor(Span<T> data, std::initializer_list<int64_t> shape) {
    return CreateTensor<T>(data, Span<const int64_t>(shape.begin(), shape.size()));
  }
  /// `info`           Says what memory `data` is.
  /// `element_count`  Elements at `data`, at least as many as the shape has.
  template <typename T>
  static Value CreateTensor(const OrtMemoryInfo* info, T* data, size_t element_count,
                            const int64_t* shape, size_t shape_len) {
    return CreateTensor(info, data, detail::bytes_of(element_count, sizeof(T)), shape, shape_len,
                        TypeToTensorType<T>::type);
  }
  static Value CreateTensor(const OrtMemoryInfo* info, void* data, size_t byte_count,
                            const int64_t* shape, size_t shape_len,
                            ONNXTensorElementDataType type) {
    OrtValue* value = nullptr;
    ThrowOnError(ORT_CXX_CALL(CreateTensorWithDataAsOrtValue)(info, data, byte_count, shape,
                                                              shape_len, type, &value));
    return Value(value);
  }
  /// Takes the memory over: `deleter` frees it with the value; not when this call fails.
  static Value CreateTensor(OrtAllocator* deleter, void* data, size_t byte_count,
                            const int64_t* shape, size_t shape_len,
                            ONNXTensorElementDataType type) {
    OrtValue* value = nullptr;
    ThrowOnError(ORT_CXX_CALL(CreateTensorWithDataAndDeleterAsOrtValue)(
        deleter, data, byte_count, shape, shape_len, type, &value));
    return Value(value);
  }

  // Tensors with memory of their own. Numbers start undefined, texts empty.

  template <typename T>
  static Value CreateTensor(OrtAllocator* allocator, const int64_t* shape, size_t shape_len) {
    return CreateTensor(allocator, shape, shape_len, TypeToTensorType<T>::type);
  }
  static Value CreateTensor(OrtAllocator* allocator, const int64_t* shape, size_t shape_len,
                            ONNXTensorElementDataType type) {
    return TryCreateTensor(allocator, Span<const int64_t>(shape, shape_len), type).value();
  }
  /// From the library's CPU allocator.
  template <typename T>
  static Value CreateTensor(std::initializer_list<int64_t> shape) {
    return CreateTensor<T>(detail::default_allocator(), shape.begin(), shape.size());
  }
  /// Gives a status where CreateTensor() throws.
  static Result<Value> TryCreateTensor(OrtAllocator* allocator, Span<const int64_t> shape,
                                       ONNXTensorElementDataType type) {
    OrtValue* value = nullptr;
    return detail::made<Value>(
        ORT_CXX_CALL(CreateTensorAsOrtValue)(allocator, shape.data(), shape.size(), type, &value),
        value);
  }

  // Sparse tensors.

  template <typename T>
  static Value CreateSparseTensor(const OrtMemoryInfo* info, T* data, const Shape& dense_shape,
                                  const Shape& values_shape) {
    return CreateSparseTensor(info, data, dense_shape, values_shape, TypeToTensorType<T>::type);
  }
  /// Borrows the values; follow with Use…Indices().
  static Value CreateSparseTensor(const OrtMemoryInfo* info, void* data, const Shape& dense_shape,
                                  const Shape& values_shape, ONNXTensorElementDataType type);
  template <typename T>
  static Value CreateSparseTensor(OrtAllocator* allocator, const Shape& dense_shape) {
    return CreateSparseTensor(allocator, dense_shape, TypeToTensorType<T>::type);
  }
  /// Empty; follow with FillSparseTensor…().
  static Value CreateSparseTensor(OrtAllocator* allocator, const Shape& dense_shape,
                                  ONNXTensorElementDataType type);

  // Containers. They have copies of the parts, which may be released.

  static Value CreateMap(const Value& keys, const Value& values) {
    const OrtValue* parts[] = {keys, values};
    return container(parts, 2, ONNX_TYPE_MAP);
  }
  static Value CreateSequence(const std::vector<Value>& values) {
    return container(detail::c_array(values.data()), values.size(), ONNX_TYPE_SEQUENCE);
  }
#if !defined(ORT_CXX_TABLE)
  /// A sequence without elements or an optional without content: ortc's own.
  static Value CreateEmpty(ConstTypeInfo type) {
    OrtValue* value = nullptr;
    ThrowOnError(OrtCreateEmptyValue(type, &value));
    return Value(value);
  }
#endif
  /// Not implemented in ortc.
  template <typename T>
  static Value CreateOpaque(const char* domain, const char* type_name, const T& content) {
    OrtValue* value = nullptr;
    ThrowOnError(ORT_CXX_CALL(CreateOpaqueValue)(domain, type_name, &content, sizeof(T), &value));
    return Value(value);
  }

 private:
  static Value container(const OrtValue* const* parts, size_t count, ONNXType type) {
    OrtValue* value = nullptr;
    ThrowOnError(ORT_CXX_CALL(CreateValue)(parts, count, type, &value));
    return Value(value);
  }
};

namespace detail {

template <typename T>
Value ConstValueImpl<T>::GetValue(int index, OrtAllocator* allocator) const {
  OrtValue* value = nullptr;
  ThrowOnError(ORT_CXX_CALL(GetValue)(this->p_, index, allocator, &value));
  return Value(value);
}

}  // namespace detail
}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
