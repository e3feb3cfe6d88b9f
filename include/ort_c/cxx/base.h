// SPDX-License-Identifier: MIT
// The holder that all classes are made of: one pointer to a C object.
#pragma once

#include <cstddef>
#include <utility>

#include "ort_c/cxx/api.h"
#include "ort_c/cxx/mode.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {
namespace detail {

// OrtRelease(p) gives back an object of any class.
#define ORT_CXX_RELEASE(name, call) \
  inline void OrtRelease(Ort##name* p) { call(Release##name)(p); }
ORT_CXX_RELEASE(Allocator, ORT_CXX_CALL)
ORT_CXX_RELEASE(ArenaCfg, ORT_CXX_CALL)
ORT_CXX_RELEASE(CustomOpDomain, ORT_CXX_CALL)
ORT_CXX_RELEASE(DeviceEpIncompatibilityDetails, ORT_CXX_CALL)
ORT_CXX_RELEASE(Env, ORT_CXX_CALL)
ORT_CXX_RELEASE(ExternalInitializerInfo, ORT_CXX_CALL)
ORT_CXX_RELEASE(ExternalMemoryHandle, ORT_CXX_INTEROP_CALL)
ORT_CXX_RELEASE(ExternalResourceImporter, ORT_CXX_INTEROP_CALL)
ORT_CXX_RELEASE(ExternalSemaphoreHandle, ORT_CXX_INTEROP_CALL)
ORT_CXX_RELEASE(Graph, ORT_CXX_CALL)
ORT_CXX_RELEASE(IoBinding, ORT_CXX_CALL)
ORT_CXX_RELEASE(KernelInfo, ORT_CXX_CALL)
ORT_CXX_RELEASE(KeyValuePairs, ORT_CXX_CALL)
ORT_CXX_RELEASE(LoraAdapter, ORT_CXX_CALL)
ORT_CXX_RELEASE(MapTypeInfo, ORT_CXX_CALL)
ORT_CXX_RELEASE(MemoryInfo, ORT_CXX_CALL)
ORT_CXX_RELEASE(Model, ORT_CXX_CALL)
ORT_CXX_RELEASE(ModelCompilationOptions, ORT_CXX_COMPILE_CALL)
ORT_CXX_RELEASE(ModelMetadata, ORT_CXX_CALL)
ORT_CXX_RELEASE(ModelPackageComponentContext, ORT_CXX_PACKAGE_CALL)
ORT_CXX_RELEASE(ModelPackageContext, ORT_CXX_PACKAGE_CALL)
ORT_CXX_RELEASE(ModelPackageOptions, ORT_CXX_PACKAGE_CALL)
ORT_CXX_RELEASE(Node, ORT_CXX_CALL)
ORT_CXX_RELEASE(Op, ORT_CXX_CALL)
ORT_CXX_RELEASE(OpAttr, ORT_CXX_CALL)
ORT_CXX_RELEASE(PrepackedWeightsContainer, ORT_CXX_CALL)
ORT_CXX_RELEASE(RunOptions, ORT_CXX_CALL)
ORT_CXX_RELEASE(SequenceTypeInfo, ORT_CXX_CALL)
ORT_CXX_RELEASE(Session, ORT_CXX_CALL)
ORT_CXX_RELEASE(SessionOptions, ORT_CXX_CALL)
ORT_CXX_RELEASE(Status, ORT_CXX_CALL)
ORT_CXX_RELEASE(SyncStream, ORT_CXX_CALL)
ORT_CXX_RELEASE(TensorTypeAndShapeInfo, ORT_CXX_CALL)
ORT_CXX_RELEASE(ThreadingOptions, ORT_CXX_CALL)
ORT_CXX_RELEASE(TypeInfo, ORT_CXX_CALL)
ORT_CXX_RELEASE(Value, ORT_CXX_CALL)
ORT_CXX_RELEASE(ValueInfo, ORT_CXX_CALL)
#if !defined(ORT_CXX_TABLE)
ORT_CXX_RELEASE(Inspection, ORT_CXX_CALL)
ORT_CXX_RELEASE(ModelCompiler, ORT_CXX_CALL)
ORT_CXX_RELEASE(ModelPackageWriter, ORT_CXX_CALL)
ORT_CXX_RELEASE(SharingGroup, ORT_CXX_CALL)
#endif
#undef ORT_CXX_RELEASE
// What only the tables have.
#define ORT_CXX_RELEASE(table, name) \
  inline void OrtRelease(Ort##name* p) { table.Release##name(p); }
ORT_CXX_RELEASE(GetEpApi(), EpContextConfig)
ORT_CXX_RELEASE(GetEpApi(), EpDevice)
ORT_CXX_RELEASE(GetEpApi(), KernelDef)
ORT_CXX_RELEASE(GetEpApi(), KernelDefBuilder)
ORT_CXX_RELEASE(GetEpApi(), KernelRegistry)
ORT_CXX_RELEASE(GetEpApi(), OpSchema)
ORT_CXX_RELEASE(GetEpApi(), ProfilingEvent)
#undef ORT_CXX_RELEASE
inline void OrtRelease(OrtCUDAProviderOptionsV2* p) { GetApi().ReleaseCUDAProviderOptions(p); }
inline void OrtRelease(OrtTensorRTProviderOptionsV2* p) {
  GetApi().ReleaseTensorRTProviderOptions(p);
}

/// Marks a class whose objects only look at a C object: Base<Unowned<T>> never releases it and is
/// copied freely. The C object must outlive it.
template <typename T>
struct Unowned {
  using Type = T;
};

/// Owns one C object. Only moves; holds nullptr afterwards. A call on an object that holds nullptr
/// fails with INVALID_ARGUMENT, it does not crash.
template <typename T>
struct Base {
  using contained_type = T;

  constexpr Base() = default;
  /// Takes the object over.
  constexpr explicit Base(contained_type* p) noexcept : p_(p) {}
  ~Base() { reset(nullptr); }

  Base(const Base&) = delete;
  Base& operator=(const Base&) = delete;
  Base(Base&& other) noexcept : p_(other.release()) {}
  Base& operator=(Base&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }

  /// The C object, borrowed; also says whether there is one.
  constexpr operator contained_type*() const noexcept { return p_; }

  /// Hands the C object over to the caller, who gives it back with its OrtRelease function.
  contained_type* release() noexcept { return std::exchange(p_, nullptr); }

 protected:
  void reset(contained_type* p) noexcept {
    if (p_ != nullptr) OrtRelease(p_);
    p_ = p;
  }

  contained_type* p_ = nullptr;
};

template <typename T>
struct Base<Unowned<T>> {
  using contained_type = typename Unowned<T>::Type;

  constexpr Base() = default;
  constexpr explicit Base(contained_type* p) noexcept : p_(p) {}

  constexpr operator contained_type*() const noexcept { return p_; }

 protected:
  contained_type* p_ = nullptr;
};

}  // namespace detail
}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
