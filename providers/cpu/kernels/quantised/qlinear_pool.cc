// SPDX-License-Identifier: MIT
// Pools over quantised tensors of 8 bits: ortc.MaxPool channels last, and averages of whole images,
// com.microsoft.QLinearGlobalAveragePool and ortc.QGlobalAveragePool, which is channels last.
//
//   y = saturate(round((mean(x) - x_zero) x_scale / y_scale) + y_zero)
#include <algorithm>
#include <cmath>

#include "providers/cpu/arith/pool_lines/pool_lines.h"
#include "providers/cpu/arith/quant/quant.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/thread_slots.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/elements/small_integers.h"
#include "providers/cpu/windows/taps.h"

namespace ortc::cpu {
namespace {

using Bytes8 = TypeList<uint8_t, int8_t>;
constexpr TypeMask kBytes = Bytes8::kMask;
constexpr TypeMask kF32 = mask_of(DType::kFloat32);
constexpr int64_t kGrain = 1 << 16;  // bytes read by one thread at a time

const QuantKernelsOf<uint8_t>& kernels_of(const RunContext& ctx, uint8_t) {
  return quant_kernels(ctx.isa()).u8;
}
const QuantKernelsOf<int8_t>& kernels_of(const RunContext& ctx, int8_t) {
  return quant_kernels(ctx.isa()).s8;
}

// --- MaxPool.

struct MaxPoolParams {
  uint32_t record_bytes;
  uint32_t reserved;
  WindowParams windows;
};
static_assert(sizeof(MaxPoolParams) == 144);

Status prepare_max(PrepareContext& ctx) {
  MaxPoolParams params{};
  params.record_bytes = sizeof params;
  ASSIGN_OR_RETURN(params.windows, windows_from_attributes(ctx.node()));
  if (params.windows.rank != 2 || params.windows.kernel[0] == 0) {
    return invalid_graph("attribute 'kernel_shape' is not there for 2 axes");
  }
  ctx.set_params(params);
  return Status::ok();
}

Status bind_max(BindContext& ctx) {
  const auto* params = ctx.params<MaxPoolParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 1, 1));
  RETURN_IF_ERROR(check_type(ctx, 0, kBytes));
  const auto x = ctx.input(0).dims();
  if (x.size() != 4) {
    return invalid_argument("the input has shape ", dims_to_string(x), ", expected [n,h,w,c]");
  }
  ASSIGN_OR_RETURN(const Windows windows, place_windows(params->windows, x.subspan(1, 2), {}));
  const auto line = checked_mul(static_cast<uint64_t>(x[2]), static_cast<uint64_t>(x[3]));
  const auto scratch = line ? slot_scratch(*line, ctx.thread_count()) : std::nullopt;
  if (!scratch) return invalid_argument("the pool needs more scratch than there can be");
  ctx.set_scratch(*scratch);
  return ctx.set_output(0, ctx.input(0).dtype,
                        {x[0], windows.axis[1].out, windows.axis[2].out, x[3]});
}

const PoolLines<uint8_t>& lines_of(const RunContext& ctx, uint8_t) {
  return pool_lines_kernels(ctx.isa()).max_u8;
}
const PoolLines<int8_t>& lines_of(const RunContext& ctx, int8_t) {
  return pool_lines_kernels(ctx.isa()).max_i8;
}

// One line of output pixels: the image's lines joined into `line`, then its pixels.
template <typename T>
void max_line(const PoolLines<T>& lines, const Windows& windows, int64_t oh, int64_t channels,
              const T* image, T* line, T* y) {
  const WindowAxis& w = windows.axis[2];
  const int64_t width = w.in * channels;
  const Taps rows = taps_at(windows.axis[1], oh);
  lines.join(image + (rows.count > 0 ? rows.first * width : 0),
             static_cast<size_t>(rows.dilation * width), static_cast<size_t>(rows.count), false,
             line, static_cast<size_t>(width));
  for (int64_t ow = 0; ow < w.out; ++ow, y += channels) {
    const Taps columns = taps_at(w, ow);
    lines.join(line + (columns.count > 0 ? columns.first * channels : 0),
               static_cast<size_t>(columns.dilation * channels), static_cast<size_t>(columns.count),
               false, y, static_cast<size_t>(channels));
  }
}

Status run_max(RunContext& ctx) {
  if (ctx.output(0).element_count() == 0) return Status::ok();
  const ValueRef& x = ctx.input(0);
  ASSIGN_OR_RETURN(const Windows windows,
                   place_windows(ctx.params<MaxPoolParams>().windows, x.dims().subspan(1, 2), {}));
  const WindowAxis &h = windows.axis[1], &w = windows.axis[2];
  const int64_t channels = x.dim(3), slot_bytes = (w.in * channels + 63) / 64 * 64;
  const double work = static_cast<double>(w.out * channels) * static_cast<double>(windows.taps());
  const auto each = static_cast<int64_t>(std::max(1.0, kGrain / work));
  const int64_t count = x.dim(0) * h.out;
  with_type(Bytes8{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const PoolLines<T>& lines = lines_of(ctx, T{});
    parallel_items(ctx, ctx.thread_count(), (count + each - 1) / each,
                   [&](int64_t slot, int64_t item) {
                     T* line = reinterpret_cast<T*>(ctx.scratch() + slot * slot_bytes);
                     for (int64_t at = item * each; at < std::min(count, (item + 1) * each); ++at) {
                       max_line(lines, windows, at % h.out, channels,
                                x.as<T>() + at / h.out * h.in * w.in * channels, line,
                                ctx.output(0).as_mutable<T>() + at * w.out * channels);
                     }
                   });
  });
  return Status::ok();
}

// --- GlobalAveragePool.

struct AverageParams {
  uint32_t record_bytes;
  uint32_t channels_last;
};
static_assert(sizeof(AverageParams) == 8);

enum Input : size_t { kX, kXScale, kXZero, kYScale, kYZero };
constexpr int64_t kStretch = 1 << 23;  // pixels whose sums of 8-bit numbers stay in int32

Status prepare_average(PrepareContext& ctx) {
  AverageParams params{};
  params.record_bytes = sizeof params;
  const bool is_own = ctx.node().domain() == kInternalDomain;
  params.channels_last = is_own || ctx.node().int_attribute("channels_last", 0) != 0 ? 1 : 0;
  ctx.set_params(params);
  return Status::ok();
}

struct Image {
  int64_t batch, pixels, channels;
};

// Of a channel: those of all stretches and of the running one.
constexpr uint64_t kSumBytes = sizeof(int64_t) + sizeof(int32_t);

Image image_of(const AverageParams& params, std::span<const int64_t> x) {
  const size_t first = params.channels_last != 0 ? 1 : 2;
  const size_t last = params.channels_last != 0 ? x.size() - 1 : x.size();
  return {x[0], product(x, first, last), params.channels_last != 0 ? x[last] : x[1]};
}

Status bind_average(BindContext& ctx) {
  const auto* params = ctx.params<AverageParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 5));
  RETURN_IF_ERROR(check_type(ctx, kX, kBytes));
  if (!ctx.has_input(kYScale)) return invalid_graph("the output's scale is missing");
  for (const size_t i : {kXScale, kXZero, kYScale, kYZero}) {
    RETURN_IF_ERROR(i == kXScale || i == kYScale ? check_type(ctx, i, kF32)
                                                 : check_same_type(ctx, i, kX));
    if (ctx.has_input(i) && ctx.input(i).element_count() != 1) {
      return invalid_argument("input ", i, " is not one number");
    }
  }
  const auto x = ctx.input(kX).dims();
  if (x.size() < 3) return invalid_argument("the input has rank ", x.size(), ", expected 3");
  const Image image = image_of(*params, x);
  if (image.pixels < 1) {
    return invalid_argument("the input has shape ", dims_to_string(x),
                            ", expected an image with pixels");
  }
  DimList dims(x.size(), 1);
  dims[0] = x[0];
  dims[params->channels_last != 0 ? x.size() - 1 : 1] = image.channels;
  if (params->channels_last != 0) {
    const auto bytes = checked_mul(static_cast<uint64_t>(image.channels), kSumBytes);
    const auto slots = bytes ? slot_scratch(*bytes, ctx.thread_count()) : std::nullopt;
    if (!slots) return invalid_argument("the image has too many channels");
    ctx.set_scratch(*slots);
  }
  return ctx.set_output(0, ctx.input(kX).dtype, dims);
}

struct Average {
  float factor;
  int64_t offset;  // pixels * x_zero
  int32_t zero, lo, hi;

  template <typename T>
  T operator()(int64_t sum) const {
    float v = static_cast<float>(sum - offset) * factor;
    v = v > static_cast<float>(lo - zero) ? v : static_cast<float>(lo - zero);
    v = v < static_cast<float>(hi - zero) ? v : static_cast<float>(hi - zero);
    return static_cast<T>(static_cast<int32_t>(std::nearbyint(v)) + zero);
  }
};

Average average_of(const RunContext& ctx, const Image& image) {
  const auto zero = [&](size_t i) {
    return ctx.has_input(i) ? integer_at(ctx.input(i).dtype, ctx.input(i).data, 0) : 0;
  };
  const IntegerRange range = integer_range(ctx.input(kX).dtype);
  const float scale = *ctx.input(kXScale).as<float>() / *ctx.input(kYScale).as<float>();
  return {scale / static_cast<float>(image.pixels), image.pixels * zero(kXZero), zero(kYZero),
          range.lo, range.hi};
}

Status run_average(RunContext& ctx) {
  if (ctx.output(0).element_count() == 0) return Status::ok();
  const ValueRef& x = ctx.input(kX);
  const Image image = image_of(ctx.params<AverageParams>(), x.dims());
  const Average average = average_of(ctx, image);
  const bool channels_last = ctx.params<AverageParams>().channels_last != 0;
  with_type(Bytes8{}, x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* y = ctx.output(0).as_mutable<T>();
    if (!channels_last) {
      ctx.parallel_for(image.batch * image.channels, 16, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const T* from = x.as<T>() + i * image.pixels;
          int64_t total = 0;
          for (int64_t p0 = 0; p0 < image.pixels; p0 += kStretch) {
            int32_t sum = 0;
            for (int64_t p = p0; p < std::min(image.pixels, p0 + kStretch); ++p) sum += from[p];
            total += sum;
          }
          y[i] = average.template operator()<T>(total);
        }
      });
      return;
    }
    const auto& kernels = kernels_of(ctx, T{});
    const auto channels = static_cast<size_t>(image.channels);
    parallel_items(ctx, ctx.thread_count(), image.batch, [&](int64_t slot, int64_t item) {
      std::byte* room =
          ctx.scratch() + static_cast<uint64_t>(slot) * align_up(channels * kSumBytes, 64);
      auto* totals = reinterpret_cast<int64_t*>(room);
      auto* sums = reinterpret_cast<int32_t*>(totals + channels);
      std::fill_n(totals, channels, 0);
      const T* pixel = x.as<T>() + item * image.pixels * image.channels;
      for (int64_t p0 = 0; p0 < image.pixels; p0 += kStretch) {
        std::fill_n(sums, channels, 0);
        for (int64_t p = p0; p < std::min(image.pixels, p0 + kStretch); ++p) {
          kernels.accumulate(pixel, sums, channels);
          pixel += channels;
        }
        for (size_t c = 0; c < channels; ++c) totals[c] += sums[c];
      }
      for (size_t c = 0; c < channels; ++c) {
        y[static_cast<size_t>(item) * channels + c] = average.template operator()<T>(totals[c]);
      }
    });
  });
  return Status::ok();
}

}  // namespace

KernelTable qlinear_pool_kernels() {
  static constexpr KernelRow rows[] = {
      {"MaxPool", kInternalDomain, 0, kLatestOpset, kBytes, "max_pool_nhwc.i8", 1, kNoFlags, 0,
       prepare_max, bind_max, run_max},
      {"QGlobalAveragePool", kInternalDomain, 0, kLatestOpset, kBytes, "global_average_pool.i8", 1,
       kNoFlags, 0, prepare_average, bind_average, run_average},
      {"QLinearGlobalAveragePool", "com.microsoft", 1, kLatestOpset, kBytes,
       "global_average_pool.i8", 1, kNoFlags, 0, prepare_average, bind_average, run_average},
  };
  return rows;
}

}  // namespace ortc::cpu
