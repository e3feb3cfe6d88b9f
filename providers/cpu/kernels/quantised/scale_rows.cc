// SPDX-License-Identifier: MIT
// Rows of scales: see the header.
#include "providers/cpu/kernels/quantised/scale_rows.h"

#include "providers/cpu/arith/maps_f32/maps_f32.h"
#include "providers/cpu/arith/quant/quant.h"
#include "providers/cpu/arith/vector_f32/vector_f32.h"
#include "providers/cpu/elements/convert_small.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/elements/float_rows.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kShortRun = 64, kShortBlock = 16;

bool pays(const Scales& scales) {
  if (scales.is_single) return false;
  return scales.is_blocked ? scales.inner > 1 || scales.block < kShortBlock
                           : scales.inner < kShortRun;
}

// Scales along an axis come round after so many elements: the rows have them so often that a part
// of a chunk is no shorter than it must be.
int64_t period_of(const Scales& scales, int64_t elements) {
  const int64_t once = scales.extent * scales.inner;
  if (once == 0 || once >= kScaleChunk) return once;
  return once * std::min(elements / once, (kScaleChunk + once - 1) / once);
}

void read_scales(const ValueRef& scale, float* to) {
  const int64_t n = scale.element_count();
  if (scale.dtype == DType::kFloat32) {
    std::copy_n(scale.as<float>(), n, to);
  } else if (scale.dtype == DType::kFloat16) {
    widen(scale.as<Float16>(), n, to);
  } else {
    for (int64_t i = 0; i < n; ++i) to[i] = scale_at(scale, i);
  }
}

// Each of the first `extent` numbers `inner` times, and all that again up to `count`.
void repeat(int64_t extent, int64_t inner, int64_t count, float* row) {
  for (int64_t a = extent; inner > 1 && a-- > 0;) std::fill_n(row + a * inner, inner, row[a]);
  for (int64_t i = extent * inner; i < count; ++i) row[i] = row[i - extent * inner];
}

}  // namespace

ScaleRowsScratch lay_out_scale_rows(const Scales& scales, const ValueRef& x,
                                    const ValueRef& scale) {
  ScaleRowsScratch at;
  if (!pays(scales) || x.element_count() == 0) return at;
  at.count = scales.is_blocked ? scale.element_count() : period_of(scales, x.element_count());
  at.scales = at.plan.add<float>(at.count);
  at.zeros = at.plan.add<float>(at.count);
  return at;
}

void codes_to_floats(Isa isa, const ValueRef& x, int64_t at, int64_t n, float* y) {
  const QuantKernels& kernels = quant_kernels(isa);
  const auto count = static_cast<size_t>(n);
  switch (x.dtype) {
    case DType::kUint8:
      return kernels.u8.dequantise(x.as<uint8_t>() + at, 1.0f, 0, y, count);
    case DType::kInt8:
      return kernels.s8.dequantise(x.as<int8_t>() + at, 1.0f, 0, y, count);
    case DType::kUint16:
      return kernels.dequantise_u16(x.as<uint16_t>() + at, 1.0f, 0, y, count);
    case DType::kInt16:
      return kernels.dequantise_s16(x.as<int16_t>() + at, 1.0f, 0, y, count);
    case DType::kInt32:
      return kernels.dequantise_s32(x.as<int32_t>() + at, 1.0f, 0, y, count);
    default:
      return small_to_floats(x.dtype, x.data, at, n, y);
  }
}

ScaleRows::ScaleRows(const RunContext& ctx, const Scales& scales)
    : isa_(ctx.isa()), layout_(scales), period_(period_of(scales, ctx.input(0).element_count())) {
  const ScaleRowsScratch at = lay_out_scale_rows(scales, ctx.input(0), ctx.input(1));
  const bool has_zero = ctx.has_input(2);
  if (at.count == 0 || (has_zero && ctx.input(2).dtype == DType::kInt32)) return;
  auto* rows = scratch_at<float>(ctx, at.scales);
  read_scales(ctx.input(1), rows);
  if (!scales.is_blocked) repeat(scales.extent, scales.inner, at.count, rows);
  scales_ = rows;
  if (!has_zero) return;
  auto* zeros = scratch_at<float>(ctx, at.zeros);
  const int64_t count = ctx.input(2).element_count();
  codes_to_floats(isa_, ctx.input(2), 0, count, zeros);
  if (std::all_of(zeros, zeros + count, [](float zero) { return zero == 0; })) return;
  if (!scales.is_blocked) repeat(scales.extent, scales.inner, at.count, zeros);
  zeros_ = zeros;
}

int64_t ScaleRows::width() const {
  if (!is_used()) return 0;
  return layout_.is_blocked ? layout_.inner : period_;
}

// Where in the rows the scales of n elements lie one behind the other; -1 where they do not.
int64_t ScaleRows::place_of(int64_t begin, int64_t n) const {
  const int64_t i = begin % width();
  if (n > width() - i) return -1;
  return layout_.is_blocked ? layout_.index(begin) : i;
}

// The scales of n elements.
void ScaleRows::copy_row(const float* rows, int64_t begin, int64_t n, float* to) const {
  if (layout_.is_blocked && layout_.inner == 1) {
    return for_runs(layout_, begin, begin + n, [&](int64_t at, int64_t stop, int64_t place) {
      to = std::fill_n(to, stop - at, rows[place]);
    });
  }
  for (int64_t at = begin; n > 0;) {
    const int64_t count = std::min(n, width() - at % width());
    to = std::copy_n(rows + place_of(at, count), count, to);
    at += count;
    n -= count;
  }
}

// f(scales, zero points) of n elements; no zero points: null.
template <typename F>
void ScaleRows::with_rows(int64_t begin, int64_t n, F&& f) const {
  const int64_t place = place_of(begin, n);
  if (place >= 0) return f(scales_ + place, zeros_ != nullptr ? zeros_ + place : nullptr);
  float scales[kScaleChunk], zeros[kScaleChunk];
  copy_row(scales_, begin, n, scales);
  if (zeros_ != nullptr) copy_row(zeros_, begin, n, zeros);
  f(scales, zeros_ != nullptr ? zeros : nullptr);
}

void ScaleRows::divide(const float* x, int64_t begin, int64_t n, float* y) const {
  const VectorF32Kernels& kernels = vector_f32_kernels(isa_);
  const auto count = static_cast<size_t>(n);
  with_rows(begin, n, [&](const float* scales, const float* zeros) {
    kernels.div(x, scales, y, count);
    maps_f32_kernels(isa_).round(y, y, count);
    if (zeros != nullptr) kernels.add(y, zeros, y, count);
  });
}

void ScaleRows::multiply(int64_t begin, int64_t n, float* y) const {
  const VectorF32Kernels& kernels = vector_f32_kernels(isa_);
  const auto count = static_cast<size_t>(n);
  with_rows(begin, n, [&](const float* scales, const float* zeros) {
    if (zeros != nullptr) kernels.sub(y, zeros, y, count);
    kernels.mul(y, scales, y, count);
  });
}

}  // namespace ortc::cpu
