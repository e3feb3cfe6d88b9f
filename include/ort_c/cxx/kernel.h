// SPDX-License-Identifier: MIT
// What kernels of custom operators see: their node when they are made, the call when they compute,
// and operators of ONNX that they call.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "ort_c/cxx/env.h"
#include "ort_c/cxx/graph_values.h"
#include "ort_c/cxx/key_values.h"
#include "ort_c/cxx/memory.h"
#include "ort_c/cxx/value.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

/// One call of a kernel. Borrowed: valid until the kernel returns, and so are its values.
struct KernelContext {
  explicit KernelContext(OrtKernelContext* context) : context_(context) {}

  /// Inputs that the model leaves out count, too; they are nullptr.
  size_t GetInputCount() const {
    size_t count = 0;
    ThrowOnError(ORT_CXX_CALL(KernelContext_GetInputCount)(context_, &count));
    return count;
  }
  size_t GetOutputCount() const {
    size_t count = 0;
    ThrowOnError(ORT_CXX_CALL(KernelContext_GetOutputCount)(context_, &count));
    return count;
  }
  ConstValue GetInput(size_t index) const {
    const OrtValue* value = nullptr;
    ThrowOnError(ORT_CXX_CALL(KernelContext_GetInput)(context_, index, &value));
    return ConstValue(value);
  }
  /// Makes an output, which the kernel fills; nullptr for one that the model leaves out.
  UnownedValue GetOutput(size_t index, const int64_t* dim_values, size_t dim_count) const {
    OrtValue* value = nullptr;
    ThrowOnError(
        ORT_CXX_CALL(KernelContext_GetOutput)(context_, index, dim_values, dim_count, &value));
    return UnownedValue(value);
  }
  UnownedValue GetOutput(size_t index, const std::vector<int64_t>& dims) const {
    return GetOutput(index, dims.data(), dims.size());
  }
  /// nullptr where no device works on a stream.
  OrtSyncStream* GetSyncStream() const {
    OrtSyncStream* stream = nullptr;
    ThrowOnError(ORT_CXX_CALL(KernelContext_GetSyncStream)(context_, &stream));
    return stream;
  }
  /// That stream's own handle.
  void* GetGPUComputeStream() const {
    void* stream = nullptr;
    ThrowOnError(ORT_CXX_CALL(KernelContext_GetGPUComputeStream)(context_, &stream));
    return stream;
  }
  Logger GetLogger() const {
    const OrtLogger* logger = nullptr;
    ThrowOnError(ORT_CXX_CALL(KernelContext_GetLogger)(context_, &logger));
    return Logger(logger);
  }
  /// What it gives may outlive the call.
  Allocator GetAllocator(const OrtMemoryInfo& memory_info) const {
    OrtAllocator* allocator = nullptr;
    ThrowOnError(ORT_CXX_CALL(KernelContext_GetAllocator)(context_, &memory_info, &allocator));
    return Allocator(allocator);
  }
  /// Memory that is the call's until it returns.
  void* GetScratchBuffer(const OrtMemoryInfo& memory_info, size_t bytes) const {
    void* block = nullptr;
    ThrowOnError(
        ORT_CXX_CALL(KernelContext_GetScratchBuffer)(context_, &memory_info, bytes, &block));
    return block;
  }
  /// A resource of the stream, as a handle of a vendor's library; a failure where there is none.
  void* GetResource(int resource_version, int resource_id) const {
    void* resource = nullptr;
    ThrowOnError(ORT_CXX_CALL(KernelContext_GetResource)(context_, resource_version, resource_id,
                                                         &resource));
    return resource;
  }
  /// Calls `fn` for each number below `total` on the threads of the session, and waits.
  void ParallelFor(void (*fn)(void*, size_t), size_t total, size_t num_batch,
                   void* usr_data) const {
    ThrowOnError(ORT_CXX_CALL(KernelContext_ParallelFor)(context_, fn, total, num_batch, usr_data));
  }
  OrtKernelContext* GetOrtKernelContext() const { return context_; }

 private:
  OrtKernelContext* context_;
};

namespace detail {

// A text that is asked twice: for its size, then with as much room.
template <typename Call>
std::string sized_text(Call&& call) {
  size_t size = 0;
  ThrowOnError(call(nullptr, &size));
  std::string text(size, '\0');
  ThrowOnError(call(text.data(), &size));
  text.resize(size > 0 ? size - 1 : 0);
  return text;
}

template <typename Element, typename Call>
std::vector<Element> sized_list(Call&& call) {
  size_t size = 0;
  ThrowOnError(call(static_cast<Element*>(nullptr), &size));
  std::vector<Element> list(size);
  if (size > 0) ThrowOnError(call(list.data(), &size));
  return list;
}

/// What a kernel is told of its node.
template <typename T>
struct KernelInfoImpl : Base<T> {
  using Base<T>::Base;

  /// To be kept beyond the making of the kernel: a KernelInfo.
  auto Copy() const;

  /// float, int64_t or std::string.
  template <typename R>
  R GetAttribute(const char* name) const {
    static_assert(
        std::is_same_v<R, float> || std::is_same_v<R, int64_t> || std::is_same_v<R, std::string>,
        "attributes are float, int64_t or std::string");
    if constexpr (std::is_same_v<R, std::string>) {
      return sized_text([&](char* out, size_t* size) {
        return ORT_CXX_CALL(KernelInfoGetAttribute_string)(this->p_, name, out, size);
      });
    } else if constexpr (std::is_same_v<R, float>) {
      float value = 0;
      ThrowOnError(ORT_CXX_CALL(KernelInfoGetAttribute_float)(this->p_, name, &value));
      return value;
    } else {
      int64_t value = 0;
      ThrowOnError(ORT_CXX_CALL(KernelInfoGetAttribute_int64)(this->p_, name, &value));
      return value;
    }
  }
  /// Lists of float, int64_t or std::string.
  template <typename R>
  std::vector<R> GetAttributes(const char* name) const {
    static_assert(
        std::is_same_v<R, float> || std::is_same_v<R, int64_t> || std::is_same_v<R, std::string>,
        "attributes are lists of float, int64_t or std::string");
    if constexpr (std::is_same_v<R, std::string>) {
      return texts_of(name);
    } else {
      return sized_list<R>([&](R* out, size_t* size) {
        if constexpr (std::is_same_v<R, float>) {
          return ORT_CXX_CALL(KernelInfoGetAttributeArray_float)(this->p_, name, out, size);
        } else {
          return ORT_CXX_CALL(KernelInfoGetAttributeArray_int64)(this->p_, name, out, size);
        }
      });
    }
  }
  Value GetTensorAttribute(const char* name, OrtAllocator* allocator) const {
    OrtValue* value = nullptr;
    ThrowOnError(ORT_CXX_CALL(KernelInfoGetAttribute_tensor)(this->p_, name, allocator, &value));
    return Value(value);
  }

  size_t GetInputCount() const {
    size_t count = 0;
    ThrowOnError(ORT_CXX_CALL(KernelInfo_GetInputCount)(this->p_, &count));
    return count;
  }
  size_t GetOutputCount() const {
    size_t count = 0;
    ThrowOnError(ORT_CXX_CALL(KernelInfo_GetOutputCount)(this->p_, &count));
    return count;
  }
  /// Empty for one that the model leaves out.
  std::string GetInputName(size_t index) const {
    return sized_text([&](char* out, size_t* size) {
      return ORT_CXX_CALL(KernelInfo_GetInputName)(this->p_, index, out, size);
    });
  }
  std::string GetOutputName(size_t index) const {
    return sized_text([&](char* out, size_t* size) {
      return ORT_CXX_CALL(KernelInfo_GetOutputName)(this->p_, index, out, size);
    });
  }
  TypeInfo GetInputTypeInfo(size_t index) const {
    OrtTypeInfo* type = nullptr;
    ThrowOnError(ORT_CXX_CALL(KernelInfo_GetInputTypeInfo)(this->p_, index, &type));
    return TypeInfo(type);
  }
  TypeInfo GetOutputTypeInfo(size_t index) const {
    OrtTypeInfo* type = nullptr;
    ThrowOnError(ORT_CXX_CALL(KernelInfo_GetOutputTypeInfo)(this->p_, index, &type));
    return TypeInfo(type);
  }
  /// What every run gives there; nullptr, and 0 in `is_constant`, when runs differ.
  ConstValue GetTensorConstantInput(size_t index, int* is_constant) const {
    const OrtValue* value = nullptr;
    ThrowOnError(
        ORT_CXX_CALL(KernelInfoGetConstantInput_tensor)(this->p_, index, is_constant, &value));
    return ConstValue(value);
  }

  std::string GetNodeName() const { return text_of(ORT_CXX_CALL(KernelInfo_GetNodeName)); }
  std::string GetOperatorDomain() const {
    return text_of(ORT_CXX_CALL(KernelInfo_GetOperatorDomain));
  }
  std::string GetOperatorType() const { return text_of(ORT_CXX_CALL(KernelInfo_GetOperatorType)); }
  int GetOperatorSinceVersion() const {
    int version = 0;
    ThrowOnError(ORT_CXX_CALL(KernelInfo_GetOperatorSinceVersion)(this->p_, &version));
    return version;
  }
  Logger GetLogger() const {
    const OrtLogger* logger = nullptr;
    ThrowOnError(ORT_CXX_CALL(KernelInfo_GetLogger)(this->p_, &logger));
    return Logger(logger);
  }
  Allocator GetAllocator(OrtMemType memory_type) const {
    OrtAllocator* allocator = nullptr;
    ThrowOnError(ORT_CXX_CALL(KernelInfoGetAllocator)(this->p_, memory_type, &allocator));
    return Allocator(allocator);
  }
  /// The provider whose kernel it is, for providers that were loaded as libraries.
  const OrtEp* GetEp() const {
    const OrtEp* ep = nullptr;
    ThrowOnError(GetEpApi().KernelInfo_GetEp(this->p_, &ep));
    return ep;
  }
  KeyValuePairs GetConfigEntries() const {
    OrtKeyValuePairs* entries = nullptr;
    ThrowOnError(ORT_CXX_CALL(KernelInfo_GetConfigEntries)(this->p_, &entries));
    return KeyValuePairs(entries);
  }

 private:
  template <typename Call>
  std::string text_of(Call call) const {
    return sized_text([&](char* out, size_t* size) { return call(this->p_, out, size); });
  }
  std::vector<std::string> texts_of(const char* name) const {
    AllocatorWithDefaultOptions allocator;
    char** texts = nullptr;
    size_t size = 0;
    ThrowOnError(
        ORT_CXX_CALL(KernelInfoGetAttributeArray_string)(this->p_, name, allocator, &texts, &size));
    std::vector<std::string> list;
    for (size_t i = 0; i < size; ++i) list.emplace_back(texts[i]);
    for (size_t i = 0; i < size; ++i) allocator.Free(texts[i]);
    allocator.Free(texts);
    return list;
  }
};

}  // namespace detail

/// That a kernel gets when it is made: valid until then.
using ConstKernelInfo = detail::KernelInfoImpl<detail::Unowned<const OrtKernelInfo>>;

/// A copy of one's own.
struct KernelInfo : detail::KernelInfoImpl<OrtKernelInfo> {
  explicit KernelInfo(std::nullptr_t) {}
  /// Takes it over: the result of OrtCopyKernelInfo().
  explicit KernelInfo(OrtKernelInfo* info) : KernelInfoImpl(info) {}
  ConstKernelInfo GetConst() const { return ConstKernelInfo(p_); }
};

namespace detail {
template <typename T>
auto KernelInfoImpl<T>::Copy() const {
  OrtKernelInfo* copy = nullptr;
  ThrowOnError(ORT_CXX_CALL(CopyKernelInfo)(this->p_, &copy));
  return KernelInfo(copy);
}
}  // namespace detail

/// An operator of ONNX that a kernel calls: see OrtCreateOp().
struct Op : detail::Base<OrtOp> {
  explicit Op(std::nullptr_t) {}
  explicit Op(OrtOp* op) : Base(op) {}

  static Op Create(const OrtKernelInfo* info, const char* op_name, const char* domain, int version,
                   const char** type_constraint_names,
                   const ONNXTensorElementDataType* type_constraint_values,
                   size_t type_constraint_count, const OpAttr* attr_values, size_t attr_count,
                   size_t input_count, size_t output_count) {
    std::vector<const OrtOpAttr*> attributes;
    for (size_t i = 0; i < attr_count; ++i) attributes.push_back(attr_values[i]);
    OrtOp* op = nullptr;
    ThrowOnError(ORT_CXX_CALL(CreateOp)(
        info, op_name, domain, version, type_constraint_names, type_constraint_values,
        static_cast<int>(type_constraint_count), attributes.data(), static_cast<int>(attr_count),
        static_cast<int>(input_count), static_cast<int>(output_count), &op));
    return Op(op);
  }

  void Invoke(const OrtKernelContext* context, const OrtValue* const* input_values,
              size_t input_count, OrtValue* const* output_values, size_t output_count) {
    ThrowOnError(ORT_CXX_CALL(InvokeOp)(context, p_, input_values, static_cast<int>(input_count),
                                        output_values, static_cast<int>(output_count)));
  }
  void Invoke(const OrtKernelContext* context, const Value* input_values, size_t input_count,
              Value* output_values, size_t output_count) {
    std::vector<const OrtValue*> inputs;
    std::vector<OrtValue*> outputs;
    for (size_t i = 0; i < input_count; ++i) inputs.push_back(input_values[i]);
    for (size_t i = 0; i < output_count; ++i) outputs.push_back(output_values[i]);
    Invoke(context, inputs.data(), input_count, outputs.data(), output_count);
  }
};

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
