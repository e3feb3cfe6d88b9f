// SPDX-License-Identifier: MIT
// ort_c/kernel_info.h: attributes of a kernel's node.
#include "core/api/env/allocator.h"
#include "core/api/env/ort_allocators.h"
#include "core/api/guard.h"
#include "core/api/kernel/copy_out.h"
#include "core/api/kernel/kernel_info_handle.h"

using namespace ortc;
using api::guard;

namespace {

// FAIL when there is none of that name and kind.
Result<const Attribute*> find(const OrtKernelInfo& info, const char* name, AttributeKind kind,
                              const char* what) {
  const Attribute* found = info.attribute(name);
  if (found == nullptr) return fail("No attribute with name: '", name, "' is defined.");
  if (found->kind == kind) return found;
  return fail("the attribute '", name, "' is not ", what);
}

// An array of texts that goes back unless it is complete.
class TextArray {
 public:
  explicit TextArray(OrtAllocator& allocator) : allocator_(allocator) {}
  TextArray(const TextArray&) = delete;
  TextArray& operator=(const TextArray&) = delete;
  ~TextArray() {
    for (size_t i = 0; i < count_; ++i) api::deallocate(allocator_, texts_[i]);
    if (texts_ != nullptr) api::deallocate(allocator_, texts_);
  }
  Status fill(const std::vector<Blob>& from) {
    if (from.empty()) return {};
    ASSIGN_OR_RETURN(void* block, api::allocate(allocator_, from.size() * sizeof(char*)));
    texts_ = static_cast<char**>(block);
    for (; count_ < from.size(); ++count_) {
      ASSIGN_OR_RETURN(texts_[count_], api::copy_text(allocator_, from[count_].text()));
    }
    return {};
  }
  char** release() {
    count_ = 0;
    return std::exchange(texts_, nullptr);
  }

 private:
  OrtAllocator& allocator_;
  char** texts_ = nullptr;
  size_t count_ = 0;
};

// A copy whose bytes are the allocator's.
Result<Tensor> copy_with(OrtAllocator& allocator, const Tensor& from) {
  if (from.dtype() == DType::kString || from.byte_size() == 0) return copy_of(from);
  RETURN_IF_ERROR(api::check_on_host(allocator));
  ASSIGN_OR_RETURN(auto block, api::allocate_shared(api::keep(allocator), from.byte_size()));
  std::memcpy(block.get(), from.data(), from.byte_size());
  const Bytes bytes(static_cast<const std::byte*>(block.get()), from.byte_size());
  return Tensor::view(from.dtype(), from.dims(), bytes, std::move(block));
}

}  // namespace

extern "C" {

OrtStatus* OrtKernelInfoGetAttribute_float(const OrtKernelInfo* info, const char* name,
                                           float* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(info);
    ORTC_NEEDED(name);
    ASSIGN_OR_RETURN(const auto* found, find(*info, name, AttributeKind::kFloat, "a number"));
    *out = found->f;
    return {};
  });
}

OrtStatus* OrtKernelInfoGetAttribute_int64(const OrtKernelInfo* info, const char* name,
                                           int64_t* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(info);
    ORTC_NEEDED(name);
    ASSIGN_OR_RETURN(const auto* found, find(*info, name, AttributeKind::kInt, "a whole number"));
    *out = found->i;
    return {};
  });
}

OrtStatus* OrtKernelInfoGetAttribute_string(const OrtKernelInfo* info, const char* name, char* out,
                                            size_t* size) {
  return guard([&]() -> Status {
    ORTC_NEEDED(info);
    ORTC_NEEDED(name);
    ORTC_NEEDED(size);
    ASSIGN_OR_RETURN(const auto* found, find(*info, name, AttributeKind::kString, "a text"));
    return api::copy_out(found->s.text(), out, size);
  });
}

OrtStatus* OrtKernelInfoGetAttributeArray_float(const OrtKernelInfo* info, const char* name,
                                                float* out, size_t* size) {
  return guard([&]() -> Status {
    ORTC_NEEDED(info);
    ORTC_NEEDED(name);
    ORTC_NEEDED(size);
    ASSIGN_OR_RETURN(const auto* found,
                     find(*info, name, AttributeKind::kFloats, "a list of numbers"));
    return api::copy_out(found->floats, out, size);
  });
}

OrtStatus* OrtKernelInfoGetAttributeArray_int64(const OrtKernelInfo* info, const char* name,
                                                int64_t* out, size_t* size) {
  return guard([&]() -> Status {
    ORTC_NEEDED(info);
    ORTC_NEEDED(name);
    ORTC_NEEDED(size);
    ASSIGN_OR_RETURN(const auto* found,
                     find(*info, name, AttributeKind::kInts, "a list of whole numbers"));
    return api::copy_out(found->ints, out, size);
  });
}

OrtStatus* OrtKernelInfoGetAttributeArray_string(const OrtKernelInfo* info, const char* name,
                                                 OrtAllocator* allocator, char*** out,
                                                 size_t* size) {
  return guard([&]() -> Status {
    api::empty_outs(out, size);
    ORTC_NEEDED(info);
    ORTC_NEEDED(name);
    ORTC_NEEDED(allocator);
    ORTC_NEEDED(out);
    ORTC_NEEDED(size);
    ASSIGN_OR_RETURN(const auto* found,
                     find(*info, name, AttributeKind::kStrings, "a list of texts"));
    TextArray texts(*allocator);
    RETURN_IF_ERROR(texts.fill(found->strings));
    *size = found->strings.size();
    *out = texts.release();
    return {};
  });
}

OrtStatus* OrtKernelInfoGetAttribute_tensor(const OrtKernelInfo* info, const char* name,
                                            OrtAllocator* allocator, OrtValue** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(info);
    ORTC_NEEDED(name);
    ORTC_NEEDED(allocator);
    ASSIGN_OR_RETURN(const auto* found, find(*info, name, AttributeKind::kTensor, "a tensor"));
    auto value = std::make_unique<OrtValue>();
    ASSIGN_OR_RETURN(value->tensor, copy_with(*allocator, found->tensor->tensor));
    *out = value.release();
    return {};
  });
}

}  // extern "C"
