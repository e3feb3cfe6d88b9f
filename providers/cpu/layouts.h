// SPDX-License-Identifier: MIT
// How the CPU kernels pack constants. The numbers stand in contexts: they are for ever.
#pragma once

#include <string_view>

#include "core/kernel/layout.h"

namespace ortc::cpu {

inline constexpr Layout kPanels32F32{1};  // arith/gemm_f32/gemm_f32.h
// The same panels with K = (kh, kw, ci), one set per group.
inline constexpr Layout kConvPanels32F32{2};
inline constexpr Layout kDepthwiseF32{3};  // [kh][c of a group][kw][c]
inline constexpr Layout kPanels32I8{4};    // arith/gemm_i8/gemm_i8.h
// The same panels with K = (kh, kw, ci), one set per group.
inline constexpr Layout kConvPanels32I8{5};
inline constexpr Layout kDepthwiseI8{6};  // [kh][kw][c filled up to 32]
inline constexpr Layout kPanels16I4{7};   // arith/nbits/nbits.h
// Numbers by column, each group filled up to whole panels of 32.
inline constexpr Layout kPanelColumns32{8};
// Panels as in gemm_f32.h with K = ci and columns (kh, kw, co), one set per group.
inline constexpr Layout kTransposedPanels32F32{9};
// The panels of gemm_f32.h, and those of a convolution, of float16 or bfloat16.
inline constexpr Layout kPanels32Half{10};
inline constexpr Layout kConvPanels32Half{11};
inline constexpr Layout kPanels32ScaledI8{12};  // the same of int8, with scales beside them
// arith/nbits/nbits.h: 8 bits; both widths with scales of float16.
inline constexpr Layout kPanels16I8{13};
inline constexpr Layout kPanels16I4Half{14};
inline constexpr Layout kPanels16I8Half{15};
inline constexpr Layout kTransposedPanels32Half{16};  // kTransposedPanels32F32 of 16 bits
// The panels of gemm_f32.h, one set for each direction and part
// (kernels/recurrent/recurrent_pass.h).
inline constexpr Layout kRecurrentPanels32F32{17};
inline constexpr Layout kRecurrentPanels32Half{18};
inline constexpr Layout kWinogradPanels32F32{19};  // arith/winograd_f32/winograd_f32.h
inline constexpr Layout kConvDotsF32{20};          // [co][kh][kw][ci]
inline constexpr Layout kRecurrentPanels32I8{21};  // kPanels32I8, one set for each direction

// "panels32.f32"; "row_major" for that; empty for a layout that is not one of these.
std::string_view layout_name(Layout layout);

}  // namespace ortc::cpu
