// SPDX-License-Identifier: MIT
// Options of vendors' providers that the library keeps. ortc has none of these providers: making
// the options fails with NOT_IMPLEMENTED there.
#pragma once

#include <string>
#include <unordered_map>

#include "../onnxruntime_c_api.h"
#include "ort_c/ort_cxx.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

/// Options of the CUDA provider.
struct CUDAProviderOptions : detail::Base<OrtCUDAProviderOptionsV2> {
  CUDAProviderOptions() { ThrowOnError(GetApi().CreateCUDAProviderOptions(&p_)); }
  explicit CUDAProviderOptions(std::nullptr_t) {}

  void Update(const std::unordered_map<std::string, std::string>& options) {
    const detail::KeysAndValues pairs(options);
    ThrowOnError(GetApi().UpdateCUDAProviderOptions(p_, pairs.keys.data(), pairs.values.data(),
                                                    pairs.keys.size()));
  }
  void UpdateWithValue(const char* key, void* value) {
    ThrowOnError(GetApi().UpdateCUDAProviderOptionsWithValue(p_, key, value));
  }
  void* GetOptionByName(const char* name) const {
    void* value = nullptr;
    ThrowOnError(GetApi().GetCUDAProviderOptionsByName(p_, name, &value));
    return value;
  }
  std::string GetCUDAProviderOptionsAsString() const {
    OrtAllocator* const allocator = detail::default_allocator();
    char* text = nullptr;
    ThrowOnError(GetApi().GetCUDAProviderOptionsAsString(p_, allocator, &text));
    return AllocatedStringPtr(text, {allocator}).get();
  }
};

/// Options of the TensorRT provider.
struct TensorRTProviderOptions : detail::Base<OrtTensorRTProviderOptionsV2> {
  TensorRTProviderOptions() { ThrowOnError(GetApi().CreateTensorRTProviderOptions(&p_)); }
  explicit TensorRTProviderOptions(std::nullptr_t) {}

  void Update(const std::unordered_map<std::string, std::string>& options) {
    const detail::KeysAndValues pairs(options);
    ThrowOnError(GetApi().UpdateTensorRTProviderOptions(p_, pairs.keys.data(), pairs.values.data(),
                                                        pairs.keys.size()));
  }
  void UpdateWithValue(const char* key, void* value) {
    ThrowOnError(GetApi().UpdateTensorRTProviderOptionsWithValue(p_, key, value));
  }
  void* GetOptionByName(const char* name) const {
    void* value = nullptr;
    ThrowOnError(GetApi().GetTensorRTProviderOptionsByName(p_, name, &value));
    return value;
  }
  std::string GetTensorRTProviderOptionsAsString() const {
    OrtAllocator* const allocator = detail::default_allocator();
    char* text = nullptr;
    ThrowOnError(GetApi().GetTensorRTProviderOptionsAsString(p_, allocator, &text));
    return AllocatedStringPtr(text, {allocator}).get();
  }
};

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
