// SPDX-License-Identifier: MIT
// Weights of 16 bits in packed form, as kernels find them in a Plan.
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

// Null bits for packed weights that are float32.
inline HalfPanels half_panels(const ValueRef& packed, float* room) {
  if (!is_half(packed.dtype)) return {};
  return {packed.as<uint16_t>(), packed.dtype == DType::kBfloat16, room};
}

}  // namespace ortc::cpu
