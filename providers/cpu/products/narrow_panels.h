// SPDX-License-Identifier: MIT
// Weights of 16 and 8 bits in packed form, as kernels find them in a Plan.
#pragma once

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/arith/gemm_f32/gemm_f32.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {

inline constexpr TypeMask kHalfTypes = mask_of(DType::kFloat16, DType::kBfloat16);

inline bool is_half(DType dtype) { return (mask_of(dtype) & kHalfTypes) != 0; }

// The elements of a float16 or bfloat16 tensor.
inline const uint16_t* half_bits(const Tensor& tensor) {
  return static_cast<const uint16_t*>(tensor.data());
}

// Without data for packed weights that are float32.
inline NarrowPanels narrow_panels(const ValueRef& packed, float* room) {
  switch (packed.dtype) {
    case DType::kFloat16:
      return {packed.data, PanelType::kF16, room};
    case DType::kBfloat16:
      return {packed.data, PanelType::kBf16, room};
    case DType::kInt8:
      return {packed.data, PanelType::kI8, room};
    default:
      return {};
  }
}

}  // namespace ortc::cpu
