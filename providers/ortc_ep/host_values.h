// SPDX-License-Identifier: MIT
// Values and types of the host, as this library has them.
#pragma once

#include "core/graph/type.h"
#include "core/kernel/value_ref.h"
#include "providers/ortc_ep/host.h"

namespace ortc::ort_ep {

// The numbers of the C interface, which differ from ONNX's for the last three types.
DType dtype_of(ONNXTensorElementDataType type);

// kNone for what is not a tensor: no claim has such values.
Result<Type> type_of(const Host& host, const OrtTypeInfo& info);

// Where a tensor of the host lies, and what it is; a value that is not a tensor of fixed-size
// elements is NOT_IMPLEMENTED. Everything is borrowed from the value.
struct HostTensor {
  DType dtype = DType::kUndefined;
  Dims dims;
  const void* data = nullptr;
};
Result<HostTensor> tensor_of(const Host& host, const OrtValue& value);
// A view of its bytes, kept alive by nothing but the promise of `owner`.
Result<Tensor> view_of(const HostTensor& tensor, std::shared_ptr<const void> owner);

}  // namespace ortc::ort_ep
