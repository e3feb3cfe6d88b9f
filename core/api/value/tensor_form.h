// SPDX-License-Identifier: MIT
// What C says of a tensor to be made: checked element type, shape and size; and the checks of
// values that several headers share.
#pragma once

#include <optional>

#include "core/api/env/memory_info_handle.h"
#include "core/api/value/value_handle.h"

namespace ortc::api {

struct TensorForm {
  DType dtype = DType::kUndefined;
  Dims dims;
  int64_t count = 0;
  size_t bytes = 0;  // 0 for strings
};

// Of a sparse tensor: its elements need not fit any memory, but be counted. No bytes.
Result<TensorForm> sparse_form_of(const int64_t* shape, size_t shape_len,
                                  const ONNXTensorElementDataType& type);
Result<TensorForm> form_of(const int64_t* shape, size_t shape_len,
                           const ONNXTensorElementDataType& type);
// A tensor over the caller's `data`. Not for strings.
Result<Tensor> view_of(TensorForm form, const void* data, std::shared_ptr<const void> owner);
Status check_alignment(const void* data, DType dtype);
Status check_host(const OrtMemoryInfo& info);
// For functions that read or write its elements.
inline Status check_host(const OrtValue& value) { return check_host(value.memory); }

Status check_is_tensor(const OrtValue& value);
// The texts of a tensor of strings, or of a sparse tensor's values.
Result<std::span<const std::string>> strings_of(const OrtValue& value);

}  // namespace ortc::api
