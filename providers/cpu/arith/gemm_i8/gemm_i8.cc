// SPDX-License-Identifier: MIT
// The part of the int8 products that knows no instruction set: packing, scratch, choice of kernels.
#include "providers/cpu/arith/gemm_i8/gemm_i8.h"

#include <cstring>

#include "core/platform/cpu.h"
#include "providers/cpu/arith/conv_f32/conv_i8_plan.h"

namespace ortc::cpu {
namespace {

// One panel of up to 32 columns; at(k, j) gives weight k of column j.
template <typename At>
void pack_panel(size_t k, size_t columns, const int8_t* zero, size_t zero_step, At at,
                std::byte* panel) {
  int32_t header[2 * kPanelColumns] = {};
  auto* to = reinterpret_cast<int8_t*>(panel + kPanelHeaderI8);
  std::memset(to, 0, quads(k) * 4 * kPanelColumns);
  for (size_t j = 0; j < columns; ++j) {
    uint32_t sum = 0;
    for (size_t i = 0; i < k; ++i) {
      const int8_t value = at(i, j);
      to[i / 4 * 4 * kPanelColumns + j * 4 + i % 4] = value;
      sum += static_cast<uint32_t>(int32_t{value});
    }
    const int32_t z = zero != nullptr ? zero[j * zero_step] : 0;
    header[j] = static_cast<int32_t>(static_cast<uint32_t>(k) * static_cast<uint32_t>(z) - sum);
    header[kPanelColumns + j] = z;
  }
  std::memcpy(panel, header, sizeof header);
}

}  // namespace

void pack_b_i8(const uint8_t* b, size_t row_step, size_t column_step, size_t k, size_t n,
               uint8_t flip, const int8_t* zero, size_t zero_count, std::byte* packed) {
  for (size_t p = 0; p < panel_count(n); ++p, packed += panel_bytes_i8(k)) {
    const size_t column = p * kPanelColumns;
    const size_t columns = n - column < kPanelColumns ? n - column : kPanelColumns;
    const size_t zero_step = zero_count > 1 ? 1 : 0;
    const auto at = [&](size_t i, size_t j) {
      return static_cast<int8_t>(b[i * row_step + (column + j) * column_step] ^ flip);
    };
    pack_panel(k, columns, zero != nullptr ? zero + column * zero_step : nullptr, zero_step, at,
               packed);
  }
}

void conv_pack_weights_i8(const ConvShape& shape, const uint8_t* w, uint8_t flip,
                          const int8_t* zero, size_t zero_count, std::byte* packed) {
  const size_t taps = shape.kernel_h * shape.kernel_w;
  const size_t channels = shape.group_in();
  const size_t zero_step = zero_count > 1 ? 1 : 0;
  for (size_t p = 0; p < shape.panels(); ++p, packed += panel_bytes_i8(shape.depth())) {
    const size_t first = p % shape.group_panels() * kPanelColumns;
    const size_t column = p / shape.group_panels() * shape.group_out() + first;
    const size_t left = shape.group_out() - first;
    const uint8_t* from = w + column * channels * taps;
    const auto at = [&](size_t i, size_t j) {
      return static_cast<int8_t>(from[(j * channels + i % channels) * taps + i / channels] ^ flip);
    };
    pack_panel(shape.depth(), left < kPanelColumns ? left : kPanelColumns,
               zero != nullptr ? zero + column * zero_step : nullptr, zero_step, at, packed);
  }
}

void depthwise_pack_weights_i8(const ConvShape& shape, const uint8_t* w, uint8_t flip,
                               std::byte* packed) {
  const size_t taps = shape.kernel_h * shape.kernel_w;
  const size_t width = panel_count(shape.out_c) * kPanelColumns;
  std::memset(packed, 0, taps * width);
  for (size_t c = 0; c < shape.out_c; ++c) {
    for (size_t t = 0; t < taps; ++t) {
      packed[t * width + c] = static_cast<std::byte>(w[c * taps + t] ^ flip);
    }
  }
}

size_t conv_scratch_bytes_i8(const ConvShape& shape) { return conv_i8_plan(shape).bytes(); }

const GemmI8Kernels& gemm_i8_kernels(Isa isa) {
#if ORTC_ARITH_X86
  if (isa == Isa::kAvx512 && host_has_vnni()) {
    return host_has_amx() ? gemm_i8_amx() : gemm_i8_avx512vnni();
  }
  if (isa == Isa::kAvx512) return gemm_i8_avx512();
  if (isa == Isa::kAvx2) return host_has_avx_vnni() ? gemm_i8_avxvnni() : gemm_i8_avx2();
#elif ORTC_ARITH_ARM
  if (host_has_dot_product()) return gemm_i8_dotprod();
#endif
  (void)isa;
  return gemm_i8_generic();
}

}  // namespace ortc::cpu
