// SPDX-License-Identifier: MIT
// MatMulInteger, QLinearMatMul, ConvInteger and QLinearConv with any operands, one to three spatial
// axes, any groups: plain loops. Products with constant weights become ortc.QGemm and ortc.QConv
// before they come here.
//
//   acc = sum (a - a_zero) (b - b_zero)  [+ bias]
//   y = saturate(round(acc a_scale b_scale / y_scale) + y_zero), ties to even
#include <algorithm>
#include <cmath>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/thread_slots.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/elements/small_integers.h"
#include "providers/cpu/products/batched_product.h"
#include "providers/cpu/windows/window.h"

namespace ortc::cpu {
namespace {

using Bytes8 = TypeList<uint8_t, int8_t>;
constexpr TypeMask kBytes = Bytes8::kMask;
constexpr TypeMask kScaleTypes = mask_of(DType::kFloat32, DType::kFloat16, DType::kBfloat16);
constexpr int64_t kGrain = 1 << 15;  // products that one thread computes at a time

// Numbers that come once or once a row, column or channel.
int32_t zero_at(const RunContext& ctx, size_t input, int64_t i) {
  if (!ctx.has_input(input)) return 0;
  const ValueRef& zero = ctx.input(input);
  return integer_at(zero.dtype, zero.data, zero.element_count() == 1 ? 0 : i);
}

float scale_at(const RunContext& ctx, size_t input, int64_t i) {
  const ValueRef& scale = ctx.input(input);
  if (scale.element_count() == 1) i = 0;
  if (scale.dtype == DType::kFloat32) return scale.as<float>()[i];
  if (scale.dtype == DType::kFloat16) return scale.as<Float16>()[i];
  return scale.as<Bfloat16>()[i];
}

// Input i, if present, has one element or `count`.
Status check_count(const BindContext& ctx, size_t i, int64_t count, TypeMask types) {
  RETURN_IF_ERROR(check_type(ctx, i, types));
  if (!ctx.has_input(i)) return Status::ok();
  const int64_t found = ctx.input(i).element_count();
  if (found == 1 || found == count) return Status::ok();
  return not_implemented("input ", i, " of shape ", dims_to_string(ctx.input(i).dims()),
                         " where one number or ", count, " are expected");
}

void store_rounded(const ValueRef& y, int64_t i, float v, int32_t zero) {
  const IntegerRange range = integer_range(y.dtype);
  // NaN becomes the least number.
  const float lo = static_cast<float>(range.lo - zero), hi = static_cast<float>(range.hi - zero);
  v = v > lo ? v : lo;
  v = v < hi ? v : hi;
  y.as_mutable<uint8_t>()[i] = static_cast<uint8_t>(static_cast<int32_t>(std::nearbyint(v)) + zero);
}

// f(TypeTag, TypeTag) for two operands of 8 bits.
template <typename F>
void with_bytes(const ValueRef& a, const ValueRef& b, F&& f) {
  with_type(Bytes8{}, a.dtype,
            [&](auto ta) { with_type(Bytes8{}, b.dtype, [&](auto tb) { f(ta, tb); }); });
}

// --- Matrices.

// Where an operator has its operands.
struct MatMulInputs {
  size_t a, b, a_zero, b_zero;
  bool is_quantised;  // a_scale, b_scale, y_scale and y_zero are inputs 1, 4, 6 and 7
};
constexpr MatMulInputs kMatMulInteger = {0, 1, 2, 3, false};
constexpr MatMulInputs kQLinearMatMul = {0, 3, 2, 5, true};

template <const MatMulInputs& at>
Status bind_matmul(BindContext& ctx) {
  RETURN_IF_ERROR(check_arity(ctx, at.is_quantised ? 8 : 2, at.is_quantised ? 8 : 4));
  RETURN_IF_ERROR(check_type(ctx, at.a, kBytes));
  RETURN_IF_ERROR(check_type(ctx, at.b, kBytes));
  RETURN_IF_ERROR(check_same_type(ctx, at.a_zero, at.a));
  RETURN_IF_ERROR(check_same_type(ctx, at.b_zero, at.b));
  BatchedProduct product;
  DimList dims;
  RETURN_IF_ERROR(make_batched_product(ctx.input(at.a).dims(), ctx.input(at.b).dims(), false, false,
                                       &product, &dims));
  RETURN_IF_ERROR(check_count(ctx, at.a_zero, product.m, kBytes));
  RETURN_IF_ERROR(check_count(ctx, at.b_zero, product.n, kBytes));
  const auto slots =
      slot_scratch(static_cast<uint64_t>(product.n) * sizeof(int32_t), ctx.thread_count());
  if (!slots) return invalid_argument("a row of the product is too large");
  ctx.set_scratch(*slots);
  if (!at.is_quantised) return ctx.set_output(0, DType::kInt32, dims);
  RETURN_IF_ERROR(check_count(ctx, 1, product.m, kScaleTypes));
  RETURN_IF_ERROR(check_count(ctx, 4, product.n, kScaleTypes));
  RETURN_IF_ERROR(check_count(ctx, 6, 1, kScaleTypes));
  RETURN_IF_ERROR(check_count(ctx, 7, 1, kBytes));
  return ctx.set_output(0, ctx.input(7).dtype, dims);
}

template <typename A, typename B>
void matmul_row(const RunContext& ctx, const MatMulInputs& at, const BatchedProduct& p, const A* a,
                const B* b, int64_t row, uint32_t* acc) {
  std::fill_n(acc, p.n, 0u);
  const int32_t a_zero = zero_at(ctx, at.a_zero, row);
  const bool one_zero = !ctx.has_input(at.b_zero) || ctx.input(at.b_zero).element_count() == 1;
  const int32_t b_zero = zero_at(ctx, at.b_zero, 0);
  uint32_t sum = 0;
  for (int64_t k = 0; k < p.k; ++k, b += p.n) {
    const int32_t x = a[k] - a_zero;
    sum += static_cast<uint32_t>(x);
    for (int64_t j = 0; j < p.n; ++j) acc[j] += static_cast<uint32_t>(x * (b[j] - b_zero));
  }
  for (int64_t j = 0; !one_zero && j < p.n; ++j) {
    acc[j] -= sum * static_cast<uint32_t>(zero_at(ctx, at.b_zero, j) - b_zero);
  }
}

void finish_matmul_row(const RunContext& ctx, int64_t row, int64_t n, int64_t first,
                       const uint32_t* acc) {
  const ValueRef& y = ctx.output(0);
  const float a_scale = scale_at(ctx, 1, row), y_scale = scale_at(ctx, 6, 0);
  const int32_t y_zero = zero_at(ctx, 7, 0);
  for (int64_t j = 0; j < n; ++j) {
    const float factor = a_scale * scale_at(ctx, 4, j) / y_scale;
    store_rounded(y, first + j, static_cast<float>(static_cast<int32_t>(acc[j])) * factor, y_zero);
  }
}

template <const MatMulInputs& at>
Status run_matmul(RunContext& ctx) {
  BatchedProduct p;
  DimList dims;
  RETURN_IF_ERROR(make_batched_product(ctx.input(at.a).dims(), ctx.input(at.b).dims(), false, false,
                                       &p, &dims));
  if (ctx.output(0).element_count() == 0) return Status::ok();
  const uint64_t slot_bytes = align_up(static_cast<uint64_t>(p.n) * sizeof(int32_t), 64);
  with_bytes(ctx.input(at.a), ctx.input(at.b), [&](auto ta, auto tb) {
    const auto* a = ctx.input(at.a).as<typename decltype(ta)::type>();
    const auto* b = ctx.input(at.b).as<typename decltype(tb)::type>();
    parallel_items(ctx, ctx.thread_count(), p.batch_count * p.m, [&](int64_t slot, int64_t item) {
      const int64_t batch = item / p.m, row = item % p.m;
      auto* acc =
          reinterpret_cast<uint32_t*>(ctx.scratch() + static_cast<uint64_t>(slot) * slot_bytes);
      matmul_row(ctx, at, p, a + (batch_offset(p, p.a_strides, batch) * p.m + row) * p.k,
                 b + batch_offset(p, p.b_strides, batch) * p.k * p.n, row, acc);
      if (at.is_quantised) return finish_matmul_row(ctx, row, p.n, item * p.n, acc);
      std::copy_n(reinterpret_cast<const int32_t*>(acc), p.n,
                  ctx.output(0).as_mutable<int32_t>() + item * p.n);
    });
  });
  return Status::ok();
}

// --- Convolutions.

struct IntegerConvParams {
  uint32_t record_bytes;
  uint32_t reserved;
  int64_t groups;
  WindowParams windows;
};
static_assert(sizeof(IntegerConvParams) == 152);

struct ConvInputs {
  size_t x, w, x_zero, w_zero;
  bool is_quantised;  // x_scale, w_scale, y_scale, y_zero and bias are inputs 1, 4, 6, 7 and 8
};
constexpr ConvInputs kConvInteger = {0, 1, 2, 3, false};
constexpr ConvInputs kQLinearConv = {0, 3, 2, 5, true};

Status prepare_conv(PrepareContext& ctx) {
  IntegerConvParams params{};
  params.record_bytes = sizeof params;
  params.groups = ctx.node().int_attribute("group", 1);
  ASSIGN_OR_RETURN(params.windows, windows_from_attributes(ctx.node()));
  ctx.set_params(params);
  return Status::ok();
}

template <const ConvInputs& at>
Status bind_conv(BindContext& ctx) {
  const auto* params = ctx.params<IntegerConvParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, at.is_quantised ? 8 : 2, at.is_quantised ? 9 : 4));
  RETURN_IF_ERROR(check_type(ctx, at.x, kBytes));
  RETURN_IF_ERROR(check_type(ctx, at.w, kBytes));
  RETURN_IF_ERROR(check_same_type(ctx, at.x_zero, at.x));
  RETURN_IF_ERROR(check_same_type(ctx, at.w_zero, at.w));
  const auto x = ctx.input(at.x).dims(), w = ctx.input(at.w).dims();
  const auto wide = x.size() >= 3 && w.size() == x.size() && params->groups >= 1
                        ? checked_mul(w[1], params->groups)
                        : std::nullopt;
  if (!wide || x[1] != *wide || w[0] < 1 || w[1] < 1 || w[0] % params->groups != 0) {
    return invalid_argument("input ", dims_to_string(x), " and weights ", dims_to_string(w),
                            " with ", params->groups, " groups do not fit");
  }
  ASSIGN_OR_RETURN(const Windows windows,
                   place_windows(params->windows, x.subspan(2), w.subspan(2)));
  RETURN_IF_ERROR(check_count(ctx, at.x_zero, 1, kBytes));
  RETURN_IF_ERROR(check_count(ctx, at.w_zero, w[0], kBytes));
  DimList dims;
  dims.push_back(x[0]);
  dims.push_back(w[0]);
  for (size_t i = 0; i < windows.rank; ++i) dims.push_back(windows.own_axis(i).out);
  if (!at.is_quantised) return ctx.set_output(0, DType::kInt32, dims);
  RETURN_IF_ERROR(check_count(ctx, 1, 1, kScaleTypes));
  RETURN_IF_ERROR(check_count(ctx, 4, w[0], kScaleTypes));
  RETURN_IF_ERROR(check_count(ctx, 6, 1, kScaleTypes));
  RETURN_IF_ERROR(check_count(ctx, 7, 1, kBytes));
  RETURN_IF_ERROR(check_type(ctx, 8, mask_of(DType::kInt32)));
  if (ctx.has_input(8) && (ctx.input(8).rank != 1 || ctx.input(8).dim(0) != w[0])) {
    return invalid_argument("the bias has shape ", dims_to_string(ctx.input(8).dims()),
                            ", expected [", w[0], "]");
  }
  return ctx.set_output(0, ctx.input(7).dtype, dims);
}

// One output number: the window at `pixel` of `channels` images x, times the filter w.
template <typename X, typename W>
uint32_t window_sum(const Windows& windows, int64_t pixel, int64_t channels, const X* x,
                    int32_t x_zero, const W* w, int32_t w_zero) {
  const auto& axis = windows.axis;
  const int64_t start[kSpatialMax] = {
      pixel / (axis[1].out * axis[2].out) * axis[0].stride - axis[0].pad_begin,
      pixel / axis[2].out % axis[1].out * axis[1].stride - axis[1].pad_begin,
      pixel % axis[2].out * axis[2].stride - axis[2].pad_begin};
  uint32_t sum = 0;
  for (int64_t c = 0; c < channels; ++c, x += windows.in_size()) {
    for (int64_t tap = 0; tap < windows.taps(); ++tap, ++w) {
      const int64_t at[kSpatialMax] = {
          start[0] + tap / (axis[1].kernel * axis[2].kernel) * axis[0].dilation,
          start[1] + tap / axis[2].kernel % axis[1].kernel * axis[1].dilation,
          start[2] + tap % axis[2].kernel * axis[2].dilation};
      bool inside = true;
      for (size_t i = 0; i < kSpatialMax; ++i) inside = inside && at[i] >= 0 && at[i] < axis[i].in;
      if (!inside) continue;
      const int64_t place = (at[0] * axis[1].in + at[1]) * axis[2].in + at[2];
      sum += static_cast<uint32_t>((x[place] - x_zero) * (*w - w_zero));
    }
  }
  return sum;
}

template <const ConvInputs& at>
void store_conv(const RunContext& ctx, int64_t i, int64_t channel, uint32_t sum) {
  if (!at.is_quantised) {
    ctx.output(0).as_mutable<int32_t>()[i] = static_cast<int32_t>(sum);
    return;
  }
  if (ctx.has_input(8)) sum += static_cast<uint32_t>(ctx.input(8).as<int32_t>()[channel]);
  const float factor = scale_at(ctx, 1, 0) * scale_at(ctx, 4, channel) / scale_at(ctx, 6, 0);
  store_rounded(ctx.output(0), i, static_cast<float>(static_cast<int32_t>(sum)) * factor,
                zero_at(ctx, 7, 0));
}

template <const ConvInputs& at>
Status run_conv(RunContext& ctx) {
  if (ctx.output(0).element_count() == 0) return Status::ok();
  const auto& params = ctx.params<IntegerConvParams>();
  const ValueRef &x = ctx.input(at.x), &w = ctx.input(at.w);
  ASSIGN_OR_RETURN(const Windows windows,
                   place_windows(params.windows, x.dims().subspan(2), w.dims().subspan(2)));
  const int64_t pixels = windows.out_size(), depth = w.dim(1) * windows.taps();
  const int64_t rows = w.dim(0) / params.groups;
  const int64_t grain = std::max<int64_t>(1, kGrain / depth);
  const int32_t x_zero = zero_at(ctx, at.x_zero, 0);
  with_bytes(x, w, [&](auto tx, auto tw) {
    const auto* from = x.as<typename decltype(tx)::type>();
    const auto* weights = w.as<typename decltype(tw)::type>();
    ctx.parallel_for(ctx.output(0).element_count(), grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t channel = i / pixels % w.dim(0), image = i / pixels / w.dim(0);
        const int64_t first = (image * params.groups + channel / rows) * w.dim(1);
        const uint32_t sum =
            window_sum(windows, i % pixels, w.dim(1), from + first * windows.in_size(), x_zero,
                       weights + channel * depth, zero_at(ctx, at.w_zero, channel));
        store_conv<at>(ctx, i, channel, sum);
      }
    });
  });
  return Status::ok();
}

}  // namespace

KernelTable integer_products_kernels() {
  static constexpr KernelRow rows[] = {
      {"MatMulInteger", "", 10, kLatestOpset, kBytes, "matmul_integer", 1, kNoFlags, 0,
       prepare_nothing, bind_matmul<kMatMulInteger>, run_matmul<kMatMulInteger>},
      {"QLinearMatMul", "", 10, kLatestOpset, kBytes, "qlinear_matmul", 1, kNoFlags, 0,
       prepare_nothing, bind_matmul<kQLinearMatMul>, run_matmul<kQLinearMatMul>},
      {"ConvInteger", "", 10, kLatestOpset, kBytes, "conv_integer", 1, kNoFlags, 0, prepare_conv,
       bind_conv<kConvInteger>, run_conv<kConvInteger>},
      {"QLinearConv", "", 10, kLatestOpset, kBytes, "qlinear_conv", 1, kNoFlags, 0, prepare_conv,
       bind_conv<kQLinearConv>, run_conv<kQLinearConv>},
  };
  return rows;
}

}  // namespace ortc::cpu
