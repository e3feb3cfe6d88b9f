// SPDX-License-Identifier: MIT
// Pools in ONNX's layout over one to three spatial axes: MaxPool (also with indices), AveragePool,
// LpPool. Threads divide lines of output pixels.
#include <algorithm>
#include <cmath>
#include <limits>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/kernels/windows/line_pool.h"
#include "providers/cpu/windows/taps.h"

namespace ortc::cpu {
namespace {

struct PoolNchwParams {
  uint32_t record_bytes;
  uint32_t count_include_pad;  // AveragePool
  uint32_t column_major;       // MaxPool: of the indices
  float fraction;              // of p, which was no whole number in the first version
  int64_t p;                   // LpPool
  WindowParams windows;
};
static_assert(sizeof(PoolNchwParams) == 160);

using MaxTypes = TypeList<float, double, int8_t, uint8_t, Float16, Bfloat16>;
using MeanTypes = TypeList<float, double>;

constexpr int64_t kGrain = 32768;  // elements read by one thread at a time

// --- Arithmetic: one window of one channel.

// One window over a channel of extents [.., in1, in2].
struct Window {
  Taps taps[kSpatialMax];
  int64_t in1, in2;

  // f(place in the channel) for every tap inside, in order.
  template <typename F>
  void for_each(F&& f) const {
    for (int64_t a = 0; a < taps[0].count; ++a) {
      const int64_t x0 = taps[0].first + a * taps[0].dilation;
      for (int64_t b = 0; b < taps[1].count; ++b) {
        const int64_t x1 = taps[1].first + b * taps[1].dilation;
        const int64_t line = (x0 * in1 + x1) * in2 + taps[2].first;
        for (int64_t c = 0; c < taps[2].count; ++c) f(line + c * taps[2].dilation);
      }
    }
  }
};

// The largest, and the place of its first appearance. NaN is ignored.
template <typename T>
std::pair<T, int64_t> largest(const Window& window, const T* x) {
  using Limits = std::numeric_limits<Compute<T>>;
  T top(Limits::has_infinity ? -Limits::infinity() : Limits::lowest());
  int64_t place = -1;
  window.for_each([&](int64_t at) {
    if (place < 0) place = at;
    if (x[at] > top) {
      top = x[at];
      place = at;
    }
  });
  return {top, place};
}

template <typename T>
T lp_norm(const Window& window, const T* x, double p) {
  double sum = 0;
  window.for_each([&](int64_t at) {
    const double v = std::fabs(static_cast<double>(x[at]));
    sum += p == 1 ? v : p == 2 ? v * v : std::pow(v, p);
  });
  return static_cast<T>(p == 1 ? sum : p == 2 ? std::sqrt(sum) : std::pow(sum, 1.0 / p));
}

// --- Prepare.

Status prepare_pool(PrepareContext& ctx) {
  const Node& node = ctx.node();
  PoolNchwParams params{};
  params.record_bytes = sizeof params;
  params.count_include_pad = node.int_attribute("count_include_pad", 0) != 0 ? 1 : 0;
  params.column_major = node.int_attribute("storage_order", 0) != 0 ? 1 : 0;
  params.p = node.int_attribute("p", 2);
  if (node.op_type() == "LpPool" && ctx.opset() < 2) {
    const float p = node.float_attribute("p", 2);
    if (!(p >= 1 && p < 1e6f)) {
      return invalid_graph("attribute 'p' is ", p, ", expected at least 1 and below 1000000");
    }
    params.p = static_cast<int64_t>(p);
    params.fraction = p - static_cast<float>(params.p);
  }
  ASSIGN_OR_RETURN(params.windows, windows_from_attributes(node));
  if (params.windows.rank == 0 || params.windows.kernel[0] == 0) {
    return invalid_graph("attribute 'kernel_shape' is missing");
  }
  if (params.p < 1) return invalid_graph("attribute 'p' is ", params.p, ", expected 1 or more");
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

Result<Windows> windows_of(const PoolNchwParams& params, const ValueRef& x) {
  if (x.rank < 3) return invalid_argument("the input has rank ", x.rank, ", expected at least 3");
  return place_windows(params.windows, x.dims().subspan(2), {});
}

enum class ByLines { kAlways, kUnlessPlacesAreWanted, kNever };

template <ByLines kByLines>
Status bind_pool(BindContext& ctx, TypeMask types) {
  const auto* params = ctx.params<PoolNchwParams>();
  if (params == nullptr) return ctx.bad_params();
  if (params->p < 1) return invalid_graph("its record has p ", params->p);
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, types));
  const bool wants_places = ctx.has_output(1);
  if (wants_places && kByLines != ByLines::kUnlessPlacesAreWanted) {
    return invalid_graph("output 1 is there, which only MaxPool has");
  }
  const ValueRef& x = ctx.input(0);
  ASSIGN_OR_RETURN(const Windows windows, windows_of(*params, x));
  DimList dims(x.dims());
  for (size_t i = 0; i < windows.rank; ++i) dims[i + 2] = windows.own_axis(i).out;
  if (wants_places) RETURN_IF_ERROR(ctx.set_output(1, DType::kInt64, dims));
  if (kByLines == ByLines::kAlways ||
      (kByLines == ByLines::kUnlessPlacesAreWanted && !wants_places)) {
    ASSIGN_OR_RETURN(const uint64_t scratch,
                     line_pool_scratch(windows, static_cast<size_t>(dtype_bits(x.dtype)) / 8,
                                       ctx.thread_count()));
    ctx.set_scratch(scratch);
  }
  return ctx.set_output(0, x.dtype, dims);
}

Status bind_max(BindContext& ctx) {
  return bind_pool<ByLines::kUnlessPlacesAreWanted>(ctx, MaxTypes::kMask);
}
Status bind_average(BindContext& ctx) { return bind_pool<ByLines::kAlways>(ctx, MeanTypes::kMask); }
Status bind_norm(BindContext& ctx) { return bind_pool<ByLines::kNever>(ctx, MeanTypes::kMask); }

// --- Run.

// f(window, channel, output pixel) for all of them; a channel is one of n * c.
template <typename F>
void for_each_window(const RunContext& ctx, const Windows& windows, int64_t channels, F&& f) {
  const auto& axis = windows.axis;
  const double work = static_cast<double>(axis[2].out) * static_cast<double>(windows.taps());
  const auto grain = static_cast<int64_t>(std::max(1.0, static_cast<double>(kGrain) / work));
  ctx.parallel_for(channels * axis[0].out * axis[1].out, grain, [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      Window window{};
      window.in1 = axis[1].in;
      window.in2 = axis[2].in;
      window.taps[0] = taps_at(axis[0], line / axis[1].out % axis[0].out);
      window.taps[1] = taps_at(axis[1], line % axis[1].out);
      const int64_t channel = line / axis[1].out / axis[0].out;
      for (int64_t o = 0; o < axis[2].out; ++o) {
        window.taps[2] = taps_at(axis[2], o);
        f(window, channel, line * axis[2].out + o);
      }
    }
  });
}

int64_t column_major_place(const Windows& windows, int64_t place) {
  const auto& axis = windows.axis;
  const int64_t x2 = place % axis[2].in, rest = place / axis[2].in;
  const int64_t x1 = rest % axis[1].in, x0 = rest / axis[1].in;
  return x0 + axis[0].in * (x1 + axis[1].in * x2);
}

template <typename T>
void run_max_of(const RunContext& ctx, const Windows& windows, bool column_major) {
  const ValueRef& x = ctx.input(0);
  const int64_t channels = x.dim(0) * x.dim(1), size = windows.in_size();
  T* y = ctx.output(0).as_mutable<T>();
  if (!ctx.has_output(1)) {
    return run_line_pool(ctx, windows, channels, LinePool::kLargest, x.as<T>(), y);
  }
  int64_t* indices = ctx.output(1).as_mutable<int64_t>();
  for_each_window(
      ctx, windows, channels, [&](const Window& window, int64_t channel, int64_t pixel) {
        const auto [top, place] = largest(window, x.as<T>() + channel * size);
        y[pixel] = top;
        indices[pixel] =
            place < 0
                ? -1
                : channel * size + (column_major ? column_major_place(windows, place) : place);
      });
}

Status run_max(RunContext& ctx) {
  if (ctx.output(0).element_count() == 0) return Status::ok();
  const auto& params = ctx.params<PoolNchwParams>();
  ASSIGN_OR_RETURN(const Windows windows, windows_of(params, ctx.input(0)));
  with_type(MaxTypes{}, ctx.input(0).dtype, [&](auto tag) {
    run_max_of<typename decltype(tag)::type>(ctx, windows, params.column_major != 0);
  });
  return Status::ok();
}

Status run_average(RunContext& ctx) {
  if (ctx.output(0).element_count() == 0) return Status::ok();
  const auto& params = ctx.params<PoolNchwParams>();
  const ValueRef& x = ctx.input(0);
  ASSIGN_OR_RETURN(const Windows windows, windows_of(params, x));
  const LinePool pool =
      params.count_include_pad != 0 ? LinePool::kMeanWithPadding : LinePool::kMean;
  with_type(MeanTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    run_line_pool(ctx, windows, x.dim(0) * x.dim(1), pool, x.as<T>(),
                  ctx.output(0).as_mutable<T>());
  });
  return Status::ok();
}

Status run_norm(RunContext& ctx) {
  if (ctx.output(0).element_count() == 0) return Status::ok();
  const auto& params = ctx.params<PoolNchwParams>();
  const ValueRef& x = ctx.input(0);
  ASSIGN_OR_RETURN(const Windows windows, windows_of(params, x));
  const double p = static_cast<double>(params.p) + static_cast<double>(params.fraction);
  with_type(MeanTypes{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* y = ctx.output(0).as_mutable<T>();
    for_each_window(ctx, windows, x.dim(0) * x.dim(1),
                    [&](const Window& window, int64_t channel, int64_t pixel) {
                      const T* from = x.as<T>() + channel * windows.in_size();
                      y[pixel] = lp_norm(window, from, p);
                    });
  });
  return Status::ok();
}

}  // namespace

KernelTable pool_nchw_kernels() {
  static constexpr KernelRow kAveragePoolRow("AveragePool", "", 1, kLatestOpset, MeanTypes::kMask,
                                             "average_pool", 1, kNoFlags, 0, prepare_pool,
                                             bind_average, run_average);
  static constexpr KernelRow kLpPoolRow("LpPool", "", 1, kLatestOpset, MeanTypes::kMask, "lp_pool",
                                        1, kNoFlags, 0, prepare_pool, bind_norm, run_norm);
  static constexpr KernelRow rows[] = {
      {"MaxPool", "", 1, kLatestOpset, MaxTypes::kMask, "max_pool", 1, kNoFlags, 0, prepare_pool,
       bind_max, run_max},
      kAveragePoolRow,
      reduced_row<kAveragePoolRow>("AveragePool.reduced"),
      kLpPoolRow,
      reduced_row<kLpPoolRow>("LpPool.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
