// SPDX-License-Identifier: MIT
// Division of a run's scratch into arrays: bind and run call the same function that adds the arrays
// one after the other, so that both come to the same offsets.
#pragma once

#include "core/kernel/kernel_contexts.h"

namespace ortc::cpu {

// More than any process can have: what asks for it is broken, and sums of it cannot wrap around.
inline constexpr uint64_t kScratchBytesMax = uint64_t{1} << 46;

class ScratchPlan {
 public:
  // The offset of an array of `count` elements of `element_bytes`, on 64 bytes.
  uint64_t add(int64_t count, uint64_t element_bytes) {
    const uint64_t offset = size_;
    const auto bytes = checked_mul(static_cast<uint64_t>(count), element_bytes);
    const auto end = bytes ? checked_add(size_, *bytes) : std::nullopt;
    const auto aligned = end ? checked_align_up(*end, 64) : std::nullopt;
    fits_ = fits_ && count >= 0 && aligned.has_value() && *aligned <= kScratchBytesMax;
    if (fits_) size_ = *aligned;
    return offset;
  }
  template <typename T>
  uint64_t add(int64_t count) {
    return add(count, sizeof(T));
  }
  // What bind declares; INVALID_ARGUMENT when it can never be had.
  Status declare(BindContext& ctx) const {
    if (!fits_) return invalid_argument("shapes that need more scratch than there can be");
    ctx.set_scratch(size_);
    return Status::ok();
  }

 private:
  uint64_t size_ = 0;
  bool fits_ = true;
};

template <typename T>
T* scratch_at(const RunContext& ctx, uint64_t offset) {
  return reinterpret_cast<T*>(ctx.scratch() + offset);
}

}  // namespace ortc::cpu
