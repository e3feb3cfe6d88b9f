// SPDX-License-Identifier: MIT
// MelWeightMatrix: triangles over the bins of a spectrum whose corners are evenly spaced on the mel
// scale.
//
//   mel(f) = 2595 log10(1 + f / 700)
#include <algorithm>
#include <cmath>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

struct MelParams {
  uint32_t record_bytes;
  uint32_t dtype;
};
static_assert(sizeof(MelParams) == 8);

Status prepare_mel(PrepareContext& ctx) {
  const int64_t dtype = ctx.node().int_attribute("output_datatype", 1);
  if (!dtype_is_valid(dtype) || (mask_of(static_cast<DType>(dtype)) & NumberTypes::kMask) == 0) {
    return not_implemented("output_datatype ", dtype);
  }
  ctx.set_params(MelParams{sizeof(MelParams), static_cast<uint32_t>(dtype)});
  return Status::ok();
}

Status bind_mel(BindContext& ctx) {
  const auto* params = ctx.params<MelParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 5, 5));
  if (!dtype_is_valid(params->dtype) ||
      (mask_of(static_cast<DType>(params->dtype)) & NumberTypes::kMask) == 0) {
    return invalid_graph("its params record names element type ", params->dtype);
  }
  for (const size_t i : {3, 4}) {
    RETURN_IF_ERROR(check_type(ctx, i, FloatTypes::kMask));
    if (ctx.input(i).element_count() != 1) return invalid_argument("input ", i, " is not a scalar");
  }
  RETURN_IF_ERROR(check_type(ctx, 2, mask_of(DType::kInt32, DType::kInt64)));
  ASSIGN_OR_RETURN(const int64_t bins, read_int(ctx.input(0), "the number of mel bins"));
  ASSIGN_OR_RETURN(const int64_t length, read_int(ctx.input(1), "the DFT's length"));
  if (bins < 0 || length < 0 || length > INT32_MAX) {
    return invalid_argument(bins, " mel bins of a DFT of length ", length);
  }
  return ctx.set_output(0, static_cast<DType>(params->dtype), {length / 2 + 1, bins});
}

double float_of(const ValueRef& tensor) {
  double value = 0;
  with_type(FloatTypes{}, tensor.dtype,
            [&](auto tag) { value = convert<double>(*tensor.as<typename decltype(tag)::type>()); });
  return value;
}

template <typename T>
void fill_triangle(T* y, int64_t rows, int64_t bins, int64_t low, int64_t centre, int64_t high) {
  const auto put = [&](int64_t row, double value) {
    if (row >= 0 && row < rows) y[row * bins] = convert<T>(value);
  };
  if (centre == low) put(centre, 1.0);
  for (int64_t j = low; centre > low && j <= std::min(centre, rows); ++j) {
    put(j, static_cast<double>(j - low) / static_cast<double>(centre - low));
  }
  for (int64_t j = centre; j < std::min(high, rows); ++j) {
    put(j, static_cast<double>(high - j) / static_cast<double>(high - centre));
  }
}

Status run_mel(RunContext& ctx) {
  const ValueRef& y = ctx.output(0);
  const int64_t rows = y.dim(0), bins = y.dim(1);
  ASSIGN_OR_RETURN(const int64_t length, read_int(ctx.input(1), "the DFT's length"));
  ASSIGN_OR_RETURN(const int64_t rate, read_int(ctx.input(2), "the sample rate"));
  const double low = float_of(ctx.input(3)), high = float_of(ctx.input(4));
  if (rate <= 0 || !(low >= 0) || !(high >= low) || !(high < 1e9)) {
    return invalid_argument("frequencies from ", low, " to ", high, " at the sample rate ", rate);
  }
  const auto mel = [](double f) { return 2595 * std::log10(1 + f / 700); };
  const double lowest = mel(low), step = (mel(high) - lowest) / static_cast<double>(bins + 2);
  const auto corner = [&](int64_t i) {
    const double f = 700 * (std::pow(10, (lowest + static_cast<double>(i) * step) / 2595) - 1);
    return static_cast<int64_t>(
        std::floor(static_cast<double>(length + 1) * f / static_cast<double>(rate)));
  };
  with_type(NumberTypes{}, y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::fill_n(y.as_mutable<T>(), y.element_count(), convert<T>(0.0f));
    int64_t corners[3] = {0, corner(0), corner(1)};
    for (int64_t i = 0; i < bins; ++i) {
      std::shift_left(std::begin(corners), std::end(corners), 1);
      corners[2] = corner(i + 2);
      fill_triangle(y.as_mutable<T>() + i, rows, bins, corners[0], corners[1], corners[2]);
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable mel_weights_kernels() {
  static constexpr KernelRow rows[] = {
      {"MelWeightMatrix", "", 17, kLatestOpset, mask_of(DType::kInt32, DType::kInt64),
       "mel_weight_matrix", 1, kNoFlags, 3, prepare_mel, bind_mel, run_mel},
  };
  return rows;
}

}  // namespace ortc::cpu
