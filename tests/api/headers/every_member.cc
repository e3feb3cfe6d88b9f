// SPDX-License-Identifier: MIT
// Makes the compiler look at every member of the templates of ort_cxx.h.
#include "ort_c/ort_cxx.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {
namespace detail {

template struct AllocatorImpl<OrtAllocator>;
template struct AllocatorImpl<Unowned<OrtAllocator>>;
template struct ConstExternalInitializerInfoImpl<OrtExternalInitializerInfo>;
template struct ConstExternalInitializerInfoImpl<Unowned<const OrtExternalInitializerInfo>>;
template struct ConstGraphImpl<Unowned<const OrtGraph>>;
template struct ConstIoBindingImpl<Unowned<const OrtIoBinding>>;
template struct ConstNodeImpl<OrtNode>;
template struct ConstNodeImpl<Unowned<const OrtNode>>;
template struct ConstOpAttrImpl<OrtOpAttr>;
template struct ConstOpAttrImpl<Unowned<const OrtOpAttr>>;
template struct ConstSessionImpl<Unowned<const OrtSession>>;
template struct ConstSessionOptionsImpl<Unowned<const OrtSessionOptions>>;
template struct ConstValueImpl<Unowned<const OrtValue>>;
template struct ConstValueInfoImpl<OrtValueInfo>;
template struct ConstValueInfoImpl<Unowned<const OrtValueInfo>>;
template struct EpDeviceImpl<OrtEpDevice>;
template struct EpDeviceImpl<Unowned<const OrtEpDevice>>;
template struct GraphImpl<OrtGraph>;
template struct HardwareDeviceImpl<Unowned<const OrtHardwareDevice>>;
template struct IoBindingImpl<OrtIoBinding>;
template struct IoBindingImpl<Unowned<OrtIoBinding>>;
template struct KernelInfoImpl<OrtKernelInfo>;
template struct KernelInfoImpl<Unowned<const OrtKernelInfo>>;
template struct KeyValuePairsImpl<OrtKeyValuePairs>;
template struct KeyValuePairsImpl<Unowned<const OrtKeyValuePairs>>;
template struct MapTypeInfoImpl<OrtMapTypeInfo>;
template struct MapTypeInfoImpl<Unowned<const OrtMapTypeInfo>>;
template struct MemoryInfoImpl<OrtMemoryInfo>;
template struct MemoryInfoImpl<Unowned<const OrtMemoryInfo>>;
template struct ModelImpl<OrtModel>;
template struct ModelImpl<Unowned<OrtModel>>;
template struct OptionalTypeInfoImpl<Unowned<const OrtOptionalTypeInfo>>;
template struct SequenceTypeInfoImpl<OrtSequenceTypeInfo>;
template struct SequenceTypeInfoImpl<Unowned<const OrtSequenceTypeInfo>>;
template struct SessionImpl<OrtSession>;
template struct SessionImpl<Unowned<OrtSession>>;
template struct SessionOptionsImpl<OrtSessionOptions>;
template struct SessionOptionsImpl<Unowned<OrtSessionOptions>>;
template struct TensorTypeAndShapeInfoImpl<OrtTensorTypeAndShapeInfo>;
template struct TensorTypeAndShapeInfoImpl<Unowned<const OrtTensorTypeAndShapeInfo>>;
template struct TypeInfoImpl<OrtTypeInfo>;
template struct TypeInfoImpl<Unowned<const OrtTypeInfo>>;
template struct ValueImpl<OrtValue>;
template struct ValueImpl<Unowned<OrtValue>>;

}  // namespace detail

template class Result<Session>;
#if !defined(ORT_CXX_STD_SPAN)
template class Span<const float>;
#endif

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
