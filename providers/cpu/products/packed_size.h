// SPDX-License-Identifier: MIT
// Sizes of packed constants, checked: prepare packs them, bind gets them from files.
#pragma once

#include "core/kernel/kernel_contexts.h"

namespace ortc::cpu {

// Floats of a packed [k, n] matrix (arith/gemm_f32/gemm_f32.h); nothing when one is negative or on
// overflow.
std::optional<int64_t> checked_packed_size(int64_t k, int64_t n);

// Input i is a vector of exactly `size` elements of one of `types`; a size of nothing is refused.
Status check_packed(const BindContext& ctx, size_t i, std::optional<int64_t> size,
                    TypeMask types = mask_of(DType::kFloat32));

}  // namespace ortc::cpu
