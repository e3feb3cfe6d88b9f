// SPDX-License-Identifier: MIT
// Windows of a signal: sums of cosines over one period (periodic) or up to both ends (symmetric).
//
//   y[n] = a0 - a1 cos(2 pi n / N) + a2 cos(4 pi n / N)      N = size, or size - 1 when symmetric
#include <cmath>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

using WindowTypes = NumberTypes;

struct SignalWindowParams {
  uint32_t record_bytes;
  uint32_t dtype;
  uint32_t is_periodic;
  uint32_t reserved;
};
static_assert(sizeof(SignalWindowParams) == 16);

struct Hann {
  static constexpr double kTerms[3] = {0.5, 0.5, 0};
};
struct Hamming {
  static constexpr double kTerms[3] = {25.0 / 46, 21.0 / 46, 0};
};
struct Blackman {
  static constexpr double kTerms[3] = {0.42, 0.5, 0.08};
};

Status prepare_window(PrepareContext& ctx) {
  const int64_t dtype = ctx.node().int_attribute("output_datatype", 1);
  if (!dtype_is_valid(dtype) || (mask_of(static_cast<DType>(dtype)) & WindowTypes::kMask) == 0) {
    return not_implemented("output_datatype ", dtype);
  }
  ctx.set_params(SignalWindowParams{sizeof(SignalWindowParams), static_cast<uint32_t>(dtype),
                                    ctx.node().int_attribute("periodic", 1) != 0 ? 1u : 0u, 0});
  return Status::ok();
}

Status bind_window(BindContext& ctx) {
  const auto* params = ctx.params<SignalWindowParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  if (!dtype_is_valid(params->dtype) ||
      (mask_of(static_cast<DType>(params->dtype)) & WindowTypes::kMask) == 0) {
    return invalid_graph("its params record names element type ", params->dtype);
  }
  ASSIGN_OR_RETURN(const int64_t size, read_int(ctx.input(0), "the size"));
  if (size < 0) return invalid_argument("the size is ", size);
  return ctx.set_output(0, static_cast<DType>(params->dtype), {size});
}

template <typename Window>
Status run_window(RunContext& ctx) {
  const ValueRef& y = ctx.output(0);
  const int64_t size = y.dim(0);
  const bool is_periodic = ctx.params<SignalWindowParams>().is_periodic != 0;
  const double period = static_cast<double>(is_periodic ? size : size - 1);
  with_type(WindowTypes{}, y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (int64_t i = 0; i < size; ++i) {
      constexpr double kTurn = 6.283185307179586477;
      const double phase = period == 0 ? kTurn / 2 : kTurn * static_cast<double>(i) / period;
      double sum = Window::kTerms[0] - Window::kTerms[1] * std::cos(phase);
      if constexpr (Window::kTerms[2] != 0) sum += Window::kTerms[2] * std::cos(2 * phase);
      y.as_mutable<T>()[i] = convert<T>(sum);
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable signal_window_kernels() {
  constexpr TypeMask kSizes = mask_of(DType::kInt32, DType::kInt64);
  static constexpr KernelRow rows[] = {
      {"HannWindow", "", 17, kLatestOpset, kSizes, "hann_window", 1, kNoFlags, 1, prepare_window,
       bind_window, run_window<Hann>},
      {"HammingWindow", "", 17, kLatestOpset, kSizes, "hamming_window", 1, kNoFlags, 1,
       prepare_window, bind_window, run_window<Hamming>},
      {"BlackmanWindow", "", 17, kLatestOpset, kSizes, "blackman_window", 1, kNoFlags, 1,
       prepare_window, bind_window, run_window<Blackman>},
  };
  return rows;
}

}  // namespace ortc::cpu
