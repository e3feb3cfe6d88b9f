// SPDX-License-Identifier: MIT
// What a model says about itself.
#pragma once

#include <utility>
#include <vector>

#include "ort_c/cxx/text.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

/// What a model says about itself. Each text is new, in the memory of the allocator given.
struct ModelMetadata : detail::Base<OrtModelMetadata> {
  explicit ModelMetadata(std::nullptr_t) {}
  explicit ModelMetadata(OrtModelMetadata* p) : Base(p) {}

  AllocatedStringPtr GetProducerNameAllocated(OrtAllocator* allocator) const {
    return text(ORT_CXX_CALL(ModelMetadataGetProducerName), allocator);
  }
  AllocatedStringPtr GetGraphNameAllocated(OrtAllocator* allocator) const {
    return text(ORT_CXX_CALL(ModelMetadataGetGraphName), allocator);
  }
  AllocatedStringPtr GetDomainAllocated(OrtAllocator* allocator) const {
    return text(ORT_CXX_CALL(ModelMetadataGetDomain), allocator);
  }
  AllocatedStringPtr GetDescriptionAllocated(OrtAllocator* allocator) const {
    return text(ORT_CXX_CALL(ModelMetadataGetDescription), allocator);
  }
  AllocatedStringPtr GetGraphDescriptionAllocated(OrtAllocator* allocator) const {
    return text(ORT_CXX_CALL(ModelMetadataGetGraphDescription), allocator);
  }
  std::vector<AllocatedStringPtr> GetCustomMetadataMapKeysAllocated(OrtAllocator* allocator) const {
    char** keys = nullptr;
    int64_t count = 0;
    ThrowOnError(ORT_CXX_CALL(ModelMetadataGetCustomMetadataMapKeys)(p_, allocator, &keys, &count));
    const auto key_count = static_cast<size_t>(count);
    const detail::GiveArray<char> give{keys, key_count, allocator};
    std::vector<AllocatedStringPtr> result;
    result.reserve(key_count);
    for (size_t i = 0; i < key_count; ++i) {
      result.push_back(AllocatedStringPtr(std::exchange(keys[i], nullptr), {allocator}));
    }
    return result;
  }
  /// NULL when the key is not there.
  AllocatedStringPtr LookupCustomMetadataMapAllocated(const char* key,
                                                      OrtAllocator* allocator) const {
    char* value = nullptr;
    ThrowOnError(ORT_CXX_CALL(ModelMetadataLookupCustomMetadataMap)(p_, allocator, key, &value));
    return AllocatedStringPtr(value, {allocator});
  }
  int64_t GetVersion() const {
    int64_t version = 0;
    ThrowOnError(ORT_CXX_CALL(ModelMetadataGetVersion)(p_, &version));
    return version;
  }

 private:
  template <typename Getter>
  AllocatedStringPtr text(Getter getter, OrtAllocator* allocator) const {
    char* text = nullptr;
    ThrowOnError(getter(p_, allocator, &text));
    return AllocatedStringPtr(text, {allocator});
  }
};

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
