// SPDX-License-Identifier: MIT
// DeformConv over two spatial axes: a convolution whose taps are read at places moved by offsets,
// interpolated between pixels, and weighted by a mask.
//
//   y[n, m, p] = bias[m] + sum over c, k of w[m, c, k] mask[n, k, p] x[n, c, p + k + offset[n, k,
//   p]]
//
// The taps of one image are brought together as columns in scratch and multiplied by the weights.
// Outside the image lie zeros.
#include <algorithm>
#include <array>
#include <cmath>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/bind/scratch_plan.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/kernels/vision/grid_pairs.h"
#include "providers/cpu/products/batched_product.h"
#include "providers/cpu/products/plain_product.h"
#include "providers/cpu/windows/window.h"

namespace ortc::cpu {
namespace {

using DeformTypes = TypeList<float, double>;
enum Input : size_t { kX, kW, kOffset, kBias, kMask };

struct DeformParams {
  uint32_t record_bytes;
  uint32_t reserved;
  int64_t groups, offset_groups;
  WindowParams windows;
};
static_assert(sizeof(DeformParams) == 160);

// --- Prepare.

Status prepare_deform(PrepareContext& ctx) {
  DeformParams params{};
  params.record_bytes = sizeof params;
  params.groups = ctx.node().int_attribute("group", 1);
  params.offset_groups = ctx.node().int_attribute("offset_group", 1);
  ASSIGN_OR_RETURN(params.windows, windows_from_attributes(ctx.node()));
  ctx.set_params(params);
  return Status::ok();
}

// --- Bind.

struct DeformShape {
  int64_t images, channels, filters, groups, offset_groups, taps;
  Windows windows;
  int64_t in_size() const { return windows.in_size(); }
  int64_t out_size() const { return windows.out_size(); }
};

template <typename Context>
Result<DeformShape> deform_shape(const Context& ctx, const DeformParams& params) {
  const ValueRef &x = ctx.input(kX), &w = ctx.input(kW), &offset = ctx.input(kOffset);
  if (x.rank != 4) return not_implemented("deformed convolution of rank ", x.rank);
  if (w.rank != 4 || offset.rank != 4) return invalid_argument("weights and offsets need rank 4");
  DeformShape s{x.dim(0), x.dim(1), w.dim(0), params.groups, params.offset_groups, 0, {}};
  ASSIGN_OR_RETURN(s.windows,
                   place_windows(params.windows, x.dims().subspan(2), w.dims().subspan(2)));
  s.taps = s.windows.taps();
  bool fits = s.channels > 0 && s.groups > 0 && s.offset_groups > 0 && s.channels % s.groups == 0 &&
              s.filters % s.groups == 0 && s.channels % s.offset_groups == 0 &&
              w.dim(1) == s.channels / s.groups;
  const auto is_map = [&](const ValueRef& map, int64_t numbers) {
    const auto planes = checked_mul(s.offset_groups * numbers, s.taps);
    return map.rank == 4 && map.dim(0) == s.images && planes && map.dim(1) == *planes &&
           map.dim(2) == s.windows.axis[1].out && map.dim(3) == s.windows.axis[2].out;
  };
  fits = fits && s.offset_groups <= s.channels && is_map(offset, 2);
  if (fits && ctx.has_input(kMask)) fits = is_map(ctx.input(kMask), 1);
  if (fits && ctx.has_input(kBias)) {
    fits = ctx.input(kBias).rank == 1 && ctx.input(kBias).dim(0) == s.filters;
  }
  if (fits) return s;
  return invalid_argument("an image ", dims_to_string(x.dims()), ", weights ",
                          dims_to_string(w.dims()), ", offsets ", dims_to_string(offset.dims()),
                          " and the rest do not fit");
}

BatchedProduct group_product(const DeformShape& s) {
  BatchedProduct p;
  p.m = s.filters / s.groups;
  p.k = s.channels / s.groups * s.taps;
  p.n = s.out_size();
  p.batch_dims.push_back(1);
  p.a_strides.push_back(1);
  p.b_strides.push_back(1);
  return p;
}

struct DeformScratch {
  uint64_t columns, product;
};
Result<DeformScratch> lay_out(const DeformShape& s, DType dtype, int threads, ScratchPlan* plan) {
  const auto rows = checked_mul(s.channels, s.taps);
  const auto count = rows ? checked_mul(*rows, s.out_size()) : std::nullopt;
  DeformScratch scratch{};
  scratch.columns = plan->add(count ? *count : -1, element_bytes(dtype));
  if (dtype == DType::kFloat32) {
    const auto bytes = product_scratch(group_product(s), threads);
    const auto size = bytes ? checked_cast<int64_t>(*bytes) : std::nullopt;
    scratch.product = plan->add<std::byte>(size ? *size : -1);
  }
  return scratch;
}

Status bind_deform(BindContext& ctx) {
  const auto* params = ctx.params<DeformParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 3, 5));
  RETURN_IF_ERROR(check_type(ctx, kX, DeformTypes::kMask));
  for (const size_t i : {kW, kOffset, kBias, kMask}) RETURN_IF_ERROR(check_same_type(ctx, i, kX));
  ASSIGN_OR_RETURN(const DeformShape s, deform_shape(ctx, *params));
  ScratchPlan plan;
  RETURN_IF_ERROR(lay_out(s, ctx.input(kX).dtype, ctx.thread_count(), &plan).status());
  RETURN_IF_ERROR(plan.declare(ctx));
  return ctx.set_output(0, ctx.input(kX).dtype,
                        {s.images, s.filters, s.windows.axis[1].out, s.windows.axis[2].out});
}

// --- Arithmetic: the image between its pixels.

template <typename T>
T pixel_between(const T* image, int64_t height, int64_t width, T y, T x) {
  if (!(y > -1 && y < static_cast<T>(height) && x > -1 && x < static_cast<T>(width))) return 0;
  const T y_floor = std::floor(y), x_floor = std::floor(x);
  const auto y0 = static_cast<int64_t>(y_floor), x0 = static_cast<int64_t>(x_floor);
  const T v = y - y_floor, u = x - x_floor;
  const auto at = [&](int64_t i, int64_t j) {
    return i >= 0 && i < height && j >= 0 && j < width ? image[i * width + j] : T(0);
  };
  return (1 - v) * ((1 - u) * at(y0, x0) + u * at(y0, x0 + 1)) +
         v * ((1 - u) * at(y0 + 1, x0) + u * at(y0 + 1, x0 + 1));
}

// --- Run.

// The places of a tap at up to GridPairs::kMost output pixels, and the mask there.
struct TapPlaces {
  static constexpr size_t kMost = GridPairs::kMost;
  float y[kMost + 3] = {}, x[kMost + 3] = {}, factor[kMost + 3];

  TapPlaces() { std::fill(std::begin(factor), std::end(factor), 1.0f); }

  void read(const DeformShape& s, int64_t k, int64_t first, int64_t count, const float* offset,
            const float* mask) {
    const WindowAxis &rows = s.windows.axis[1], &cols = s.windows.axis[2];
    const int64_t ky = k / cols.kernel * rows.dilation - rows.pad_begin;
    const int64_t kx = k % cols.kernel * cols.dilation - cols.pad_begin;
    for (int64_t p = 0; p < count;) {
      const int64_t row = (first + p) / cols.out, column = (first + p) % cols.out;
      const int64_t stop = std::min(count, p + cols.out - column);
      const auto top = static_cast<float>(row * rows.stride + ky);
      for (int64_t at = column * cols.stride + kx; p < stop; ++p, at += cols.stride) {
        y[p] = top + offset[p];
        x[p] = static_cast<float>(at) + offset[s.out_size() + p];
      }
    }
    if (mask != nullptr) std::copy_n(mask, count, factor);
  }
};

// Of images that have two rows and two columns at least: a place serves all channels of its group.
void gather_pairs(const RunContext& ctx, const DeformShape& s, int64_t image, float* columns) {
  const int64_t out = s.out_size(), channels = s.channels / s.offset_groups;
  constexpr auto kMost = static_cast<int64_t>(GridPairs::kMost);
  const int64_t blocks = (out + kMost - 1) / kMost;
  const auto axis_of = [](int64_t size) {
    return PlacedAxis{static_cast<int32_t>(size), false, false};
  };
  const PlacedAxis rows = axis_of(s.windows.axis[1].in), cols = axis_of(s.windows.axis[2].in);
  ctx.parallel_for(s.offset_groups * s.taps * blocks, 1, [&](int64_t begin, int64_t end) {
    GridPairs pairs;
    TapPlaces places;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t k = i / blocks % s.taps, first = i % blocks * kMost;
      const int64_t group = i / blocks / s.taps, count = std::min(kMost, out - first);
      const int64_t map = (image * s.offset_groups + group) * s.taps + k;
      places.read(
          s, k, first, count, ctx.input(kOffset).as<float>() + 2 * map * out + first,
          ctx.has_input(kMask) ? ctx.input(kMask).as<float>() + map * out + first : nullptr);
      pairs.clear();
      for (int64_t p = 0; p < count; p += 4) {
        pairs.add_pixels(rows, cols, places.y + p, places.x + p, places.factor + p,
                         static_cast<size_t>(std::min<int64_t>(4, count - p)));
      }
      for (int64_t c = group * channels; c < (group + 1) * channels; ++c) {
        pairs.blend(ctx.input(kX).as<float>() + (image * s.channels + c) * s.in_size(), cols.size,
                    columns + (c * s.taps + k) * out + first);
      }
    }
  });
}

bool has_pairs(const DeformShape& s) {
  const int64_t height = s.windows.axis[1].in, width = s.windows.axis[2].in;
  return std::min(height, width) >= 2 && std::max(height, width) <= PlacedAxis::kSizeMost;
}

// Rows of columns: (channel, tap), each with one number for each output pixel.
template <typename T>
void gather_columns(const RunContext& ctx, const DeformShape& s, int64_t image, T* columns) {
  const WindowAxis &rows = s.windows.axis[1], &cols = s.windows.axis[2];
  const int64_t out = s.out_size();
  ctx.parallel_for(s.channels * s.taps, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t c = i / s.taps, k = i % s.taps;
      const int64_t group = c / (s.channels / s.offset_groups);
      const int64_t map = (image * s.offset_groups + group) * s.taps + k;
      const T* offset = ctx.input(kOffset).as<T>() + 2 * map * out;
      const T* mask = ctx.has_input(kMask) ? ctx.input(kMask).as<T>() + map * out : nullptr;
      const T* from = ctx.input(kX).as<T>() + (image * s.channels + c) * s.in_size();
      const int64_t ky = k / cols.kernel * rows.dilation - rows.pad_begin;
      const int64_t kx = k % cols.kernel * cols.dilation - cols.pad_begin;
      for (int64_t p = 0; p < out; ++p) {
        const T y = static_cast<T>(p / cols.out * rows.stride + ky) + offset[p];
        const T x = static_cast<T>(p % cols.out * cols.stride + kx) + offset[out + p];
        const T value = pixel_between(from, rows.in, cols.in, y, x);
        columns[i * out + p] = mask != nullptr ? value * mask[p] : value;
      }
    }
  });
}

template <typename T>
void convolve(const RunContext& ctx, const DeformShape& s, const DeformScratch& scratch) {
  const BatchedProduct p = group_product(s);
  T* columns = scratch_at<T>(ctx, scratch.columns);
  for (int64_t image = 0; image < s.images; ++image) {
    if constexpr (std::is_same_v<T, float>) {
      has_pairs(s) ? gather_pairs(ctx, s, image, columns) : gather_columns(ctx, s, image, columns);
    } else {
      gather_columns(ctx, s, image, columns);
    }
    for (int64_t g = 0; g < s.groups; ++g) {
      const T* w = ctx.input(kW).as<T>() + g * p.m * p.k;
      T* y = ctx.output(0).as_mutable<T>() + (image * s.filters + g * p.m) * p.n;
      if constexpr (std::is_same_v<T, float>) {
        run_batched_product(ctx.with({}, {}, ctx.scratch() + scratch.product), p,
                            {w, columns + g * p.k * p.n, y});
      } else {
        run_plain_product<T>(ctx, p, w, columns + g * p.k * p.n, T(1), y);
      }
      for (int64_t m = 0; ctx.has_input(kBias) && m < p.m; ++m) {
        const T bias = ctx.input(kBias).as<T>()[g * p.m + m];
        for (int64_t i = 0; i < p.n; ++i) y[m * p.n + i] += bias;
      }
    }
  }
}

Status run_deform(RunContext& ctx) {
  ASSIGN_OR_RETURN(const DeformShape s, deform_shape(ctx, ctx.params<DeformParams>()));
  if (ctx.output(0).element_count() == 0) return Status::ok();
  ScratchPlan plan;
  ASSIGN_OR_RETURN(const DeformScratch scratch,
                   lay_out(s, ctx.input(kX).dtype, ctx.thread_count(), &plan));
  with_type(DeformTypes{}, ctx.input(kX).dtype,
            [&](auto tag) { convolve<typename decltype(tag)::type>(ctx, s, scratch); });
  return Status::ok();
}

}  // namespace

KernelTable deform_conv_kernels() {
  static constexpr KernelRow kDeformConvRow("DeformConv", "", 19, kLatestOpset, DeformTypes::kMask,
                                            "deform_conv", 1, kNoFlags, 0, prepare_deform,
                                            bind_deform, run_deform);
  static constexpr KernelRow rows[] = {
      kDeformConvRow,
      reduced_row<kDeformConvRow>("DeformConv.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
