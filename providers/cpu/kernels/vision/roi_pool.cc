// SPDX-License-Identifier: MIT
// RoiAlign: regions of an image, each divided into bins; a bin is the average or the maximum of
// interpolated samples. MaxRoiPool: the maximum of the pixels of each bin.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/graph/one_of.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

using RoiTypes = TypeList<float, double>;

struct RoiParams {
  uint32_t record_bytes;
  uint32_t takes_maximum;
  uint32_t half_pixel;
  float spatial_scale;
  int64_t out_height, out_width;
  int64_t sampling_ratio;
};
static_assert(sizeof(RoiParams) == 40);

// --- Arithmetic.

// Two neighbours of an axis and their weights.
template <typename T>
struct Neighbours {
  bool are_inside;
  int64_t low, high;
  T first, second;
};

template <typename T>
Neighbours<T> neighbours_at(T place, int64_t size) {
  if (!(place >= -1 && place <= static_cast<T>(size))) return {};
  const T bounded = std::max(place, T(0));
  const auto low = static_cast<int64_t>(bounded);
  if (low >= size - 1) return {true, size - 1, size - 1, T(1), T(0)};
  const T ratio = bounded - static_cast<T>(low);
  return {true, low, low + 1, 1 - ratio, ratio};
}

// Four pixels and their weights; a place outside has no weight at all.
template <typename T>
struct Sample {
  std::array<int64_t, 4> at;
  std::array<T, 4> weight;

  Sample() = default;
  Sample(const Neighbours<T>& y, const Neighbours<T>& x, int64_t width) {
    if (!y.are_inside || !x.are_inside) {
      at = {};
      weight = {};
      return;
    }
    const int64_t top = y.low * width, below = y.high * width;
    at = {top + x.low, top + x.high, below + x.low, below + x.high};
    weight = {y.first * x.first, y.first * x.second, y.second * x.first, y.second * x.second};
  }
};

// One bin: `rows` by `columns` samples from (y, x) on.
template <typename T>
struct Bin {
  T y, x, step_y, step_x;
  int64_t rows, columns;
};

constexpr int64_t kSamplesMax = 4096;  // of one axis of one bin that a model may ask for

struct SampleRange {
  int64_t begin, end;
};

// Of `count` samples of an axis those that may lie in an image of `size` pixels. Only a bin that is
// larger than the most samples has so many, each then about a pixel from the next: the others would
// take forever, and weigh nothing. The margin is for what rounding does to places this far out.
template <typename T>
SampleRange samples_inside(T start, T step, int64_t count, int64_t size) {
  if (count <= kSamplesMax) return {0, count};
  constexpr double kMargin = 8;
  const double from = static_cast<double>(start), width = static_cast<double>(step);
  const auto bounded = [count](double place) {
    return static_cast<int64_t>(std::clamp(place, 0.0, static_cast<double>(count)));
  };
  return {bounded((-1 - from) / width - kMargin),
          bounded((static_cast<double>(size) - from) / width + kMargin)};
}

constexpr int64_t kChannelsAtOnce = 64;  // that samples are placed for together, at most
constexpr int64_t kSamplesAtOnce = 16;

// One bin of at most kChannelsAtOnce planes of height * width that follow one another; result i
// goes to to[i * to_step]. The maximum is that of the weighted pixels, as the operator is defined.
template <bool kTakesMaximum, typename T>
void pool_bin(const T* images, int64_t channels, const Bin<T>& bin, int64_t height, int64_t width,
              T* to, int64_t to_step) {
  const int64_t total = bin.rows * bin.columns;
  const SampleRange rows = samples_inside(bin.y, bin.step_y, bin.rows, height);
  const SampleRange columns = samples_inside(bin.x, bin.step_x, bin.columns, width);
  const int64_t in_row = columns.end - columns.begin, taken = (rows.end - rows.begin) * in_row;
  T joined[kChannelsAtOnce];
  std::fill_n(joined, channels, T(0));
  int64_t row = rows.begin, column = columns.begin;
  const auto row_at = [&](int64_t i) {
    return neighbours_at(bin.y + (static_cast<T>(i) + T(0.5)) * bin.step_y, height);
  };
  Neighbours<T> down = row_at(row);
  for (int64_t begin = 0; begin < taken; begin += kSamplesAtOnce) {
    const int64_t count = std::min(kSamplesAtOnce, taken - begin);
    Sample<T> samples[kSamplesAtOnce];
    for (int64_t s = 0; s < count; ++s) {
      const T x = bin.x + (static_cast<T>(column) + T(0.5)) * bin.step_x;
      samples[s] = Sample<T>(down, neighbours_at(x, width), width);
      if (++column < columns.end) continue;
      column = columns.begin;
      down = row_at(++row);
    }
    const bool is_first = begin == 0 && taken == total;  // else one outside has given 0
    for (int64_t c = 0; c < channels; ++c) {
      const T* image = images + c * height * width;
      T value =
          is_first && kTakesMaximum ? samples[0].weight[0] * image[samples[0].at[0]] : joined[c];
      T sum[2] = {};  // apart, as one would wait for the other
      for (int64_t s = 0; s < count; ++s) {
        const Sample<T>& sample = samples[s];
        const auto pixel = [&](size_t k) { return sample.weight[k] * image[sample.at[k]]; };
        if constexpr (kTakesMaximum) {
          for (size_t k = 0; k < 4; ++k) value = std::max(value, pixel(k));
        } else {
          sum[0] += pixel(0) + pixel(1);
          sum[1] += pixel(2) + pixel(3);
        }
      }
      joined[c] = kTakesMaximum ? value : value + (sum[0] + sum[1]);
    }
  }
  const T divisor = static_cast<T>(std::max<int64_t>(1, total));
  for (int64_t c = 0; c < channels; ++c) {
    to[c * to_step] = kTakesMaximum ? joined[c] : joined[c] / divisor;
  }
}

// --- Prepare.

Status prepare_roi_align(PrepareContext& ctx) {
  const Node& node = ctx.node();
  ASSIGN_OR_RETURN(const uint32_t takes_maximum, one_of(node, "mode", "avg", {"avg", "max"}));
  ASSIGN_OR_RETURN(const uint32_t is_half_pixel,
                   one_of(node, "coordinate_transformation_mode",
                          ctx.opset() >= 16 ? "half_pixel" : "output_half_pixel",
                          {"output_half_pixel", "half_pixel"}));
  ctx.set_params(
      RoiParams{sizeof(RoiParams), takes_maximum, is_half_pixel,
                node.float_attribute("spatial_scale", 1.0f), node.int_attribute("output_height", 1),
                node.int_attribute("output_width", 1), node.int_attribute("sampling_ratio", 0)});
  return Status::ok();
}

Status prepare_max_roi_pool(PrepareContext& ctx) {
  const auto pooled = ctx.node().ints_attribute("pooled_shape");
  if (pooled.size() != 2) return invalid_graph("attribute 'pooled_shape' needs two numbers");
  ctx.set_params(RoiParams{sizeof(RoiParams), 1, 0,
                           ctx.node().float_attribute("spatial_scale", 1.0f), pooled[0], pooled[1],
                           0});
  return Status::ok();
}

// --- Bind.

Status bind_regions(BindContext& ctx, int64_t numbers, size_t inputs) {
  const auto* params = ctx.params<RoiParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, inputs, inputs));
  RETURN_IF_ERROR(check_type(ctx, 0, RoiTypes::kMask));
  RETURN_IF_ERROR(check_same_type(ctx, 1, 0));
  const ValueRef& x = ctx.input(0);
  const ValueRef& rois = ctx.input(1);
  if (params->out_height < 1 || params->out_width < 1 || params->out_height > INT32_MAX ||
      params->out_width > INT32_MAX || params->sampling_ratio < 0 ||
      params->sampling_ratio > INT32_MAX || !std::isfinite(params->spatial_scale)) {
    return invalid_graph("regions of ", params->out_height, " by ", params->out_width, " bins");
  }
  if (x.rank != 4 || rois.rank != 2 || rois.dim(1) != numbers) {
    return invalid_argument("an image of shape ", dims_to_string(x.dims()), " and regions of ",
                            dims_to_string(rois.dims()), " do not fit");
  }
  if (x.dim(2) == 0 || x.dim(3) == 0) return invalid_argument("an image without pixels");
  if (x.dim(2) > INT32_MAX || x.dim(3) > INT32_MAX) return invalid_argument("an image too large");
  return ctx.set_output(0, x.dtype, {rois.dim(0), x.dim(1), params->out_height, params->out_width});
}

Status bind_roi_align(BindContext& ctx) {
  RETURN_IF_ERROR(bind_regions(ctx, 4, 3));
  RETURN_IF_ERROR(check_type(ctx, 2, mask_of(DType::kInt64)));
  if (ctx.input(2).rank != 1 || ctx.input(2).dim(0) != ctx.input(1).dim(0)) {
    return invalid_argument("there must be one image number for each region");
  }
  return Status::ok();
}

Status bind_max_roi_pool(BindContext& ctx) { return bind_regions(ctx, 5, 2); }

// --- Run.

// Channels that are one thread's work: with few regions fewer, so that all threads have some.
int64_t channels_at_once(int64_t regions) { return regions < 64 ? 16 : kChannelsAtOnce; }

// The first bin of a region, and the distance to the next ones.
template <typename T>
struct Region {
  Bin<T> bin;
  T bin_height, bin_width;
};

template <typename T>
Region<T> region_of(const RoiParams& params, const T* roi) {
  const auto scale = static_cast<T>(params.spatial_scale);
  const T offset = params.half_pixel != 0 ? T(0.5) : T(0);
  const T x = roi[0] * scale - offset, y = roi[1] * scale - offset;
  T width = roi[2] * scale - offset - x, height = roi[3] * scale - offset - y;
  if (params.half_pixel == 0) {
    width = std::max(width, T(1));
    height = std::max(height, T(1));
  }
  Region<T> region{{y, x, 0, 0, 0, 0},
                   height / static_cast<T>(params.out_height),
                   width / static_cast<T>(params.out_width)};
  const auto samples = [&](T size) {
    return params.sampling_ratio > 0 ? params.sampling_ratio
                                     : std::max<int64_t>(0, static_cast<int64_t>(std::ceil(size)));
  };
  region.bin.rows = samples(region.bin_height);
  region.bin.columns = samples(region.bin_width);
  region.bin.step_y = region.bin_height / static_cast<T>(std::max<int64_t>(1, region.bin.rows));
  region.bin.step_x = region.bin_width / static_cast<T>(std::max<int64_t>(1, region.bin.columns));
  return region;
}

template <typename T>
Status check_regions(const RunContext& ctx, const RoiParams& params) {
  if (params.sampling_ratio > kSamplesMax && ctx.input(1).dim(0) > 0) {
    return invalid_argument("a bin takes more than ", kSamplesMax, " samples along an axis");
  }
  const auto* images = ctx.input(2).as<int64_t>();
  for (int64_t r = 0; r < ctx.input(1).dim(0); ++r) {
    if (images[r] < 0 || images[r] >= ctx.input(0).dim(0)) {
      return invalid_argument("region ", r, " is of image ", images[r], " of ",
                              ctx.input(0).dim(0));
    }
    const T* roi = ctx.input(1).as<T>() + r * 4;
    for (int k = 0; k < 4; ++k) {
      if (!(std::fabs(roi[k] * static_cast<T>(params.spatial_scale)) < T(1e7))) {
        return invalid_argument("region ", r, " has no place");
      }
    }
  }
  return Status::ok();
}

template <typename T>
Status align(const RunContext& ctx, const RoiParams& params) {
  RETURN_IF_ERROR(check_regions<T>(ctx, params));
  const ValueRef& x = ctx.input(0);
  const int64_t channels = x.dim(1), height = x.dim(2), width = x.dim(3);
  const int64_t bins = params.out_height * params.out_width;
  const int64_t at_once = channels_at_once(ctx.input(1).dim(0));
  const int64_t blocks = (channels + at_once - 1) / at_once;
  const auto pool = params.takes_maximum != 0 ? pool_bin<true, T> : pool_bin<false, T>;
  ctx.parallel_for(ctx.input(1).dim(0) * blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t r = i / blocks, first = i % blocks * at_once;
      const int64_t count = std::min(at_once, channels - first);
      const Region<T> region = region_of(params, ctx.input(1).as<T>() + r * 4);
      const int64_t image = ctx.input(2).as<int64_t>()[r];
      const T* from = x.as<T>() + (image * channels + first) * height * width;
      T* y = ctx.output(0).as_mutable<T>() + (r * channels + first) * bins;
      for (int64_t b = 0; b < params.out_height; ++b) {
        Bin<T> bin = region.bin;
        bin.y += static_cast<T>(b) * region.bin_height;
        for (int64_t c = 0; c < params.out_width; ++c, ++y) {
          bin.x = region.bin.x + static_cast<T>(c) * region.bin_width;
          pool(from, count, bin, height, width, y, bins);
        }
      }
    }
  });
  return Status::ok();
}

Status run_roi_align(RunContext& ctx) {
  Status status;
  with_type(RoiTypes{}, ctx.input(0).dtype, [&](auto tag) {
    status = align<typename decltype(tag)::type>(ctx, ctx.params<RoiParams>());
  });
  return status;
}

struct PixelRange {
  int64_t begin, end;
};
// Pixels of bin b of `bins` over a region of `size` pixels from `start` on.
PixelRange bin_pixels(int64_t b, int64_t bins, int64_t start, int64_t size, int64_t limit) {
  const double bin = static_cast<double>(size) / static_cast<double>(bins);
  const auto begin = static_cast<int64_t>(std::floor(static_cast<double>(b) * bin)) + start;
  const auto end = static_cast<int64_t>(std::ceil(static_cast<double>(b + 1) * bin)) + start;
  return {std::clamp<int64_t>(begin, 0, limit), std::clamp<int64_t>(end, 0, limit)};
}

// 0 where there is no pixel.
template <typename T>
T largest_pixel(const T* image, int64_t width, const PixelRange& rows, const PixelRange& columns) {
  if (rows.begin >= rows.end || columns.begin >= columns.end) return T(0);
  T top = std::numeric_limits<T>::lowest();
  for (int64_t h = rows.begin; h < rows.end; ++h) {
    for (int64_t w = columns.begin; w < columns.end; ++w) top = std::max(top, image[h * width + w]);
  }
  return top;
}

template <typename T>
Status pool_regions(const RunContext& ctx, const RoiParams& params) {
  const ValueRef& x = ctx.input(0);
  const int64_t channels = x.dim(1), height = x.dim(2), width = x.dim(3);
  const auto scale = static_cast<T>(params.spatial_scale);
  for (int64_t i = 0; i < ctx.input(1).element_count(); ++i) {
    const T number = ctx.input(1).as<T>()[i];
    const bool is_image = i % 5 == 0;
    if (is_image ? !(number >= 0 && number < static_cast<T>(x.dim(0)))
                 : !(std::fabs(number * scale) < T(1e7))) {
      return invalid_argument("region ", i / 5, " holds the number ", number);
    }
  }
  const int64_t at_once = channels_at_once(ctx.input(1).dim(0));
  const int64_t blocks = (channels + at_once - 1) / at_once;
  const int64_t bins = params.out_height * params.out_width;
  ctx.parallel_for(ctx.input(1).dim(0) * blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t r = i / blocks, first = i % blocks * at_once;
      const int64_t last = std::min(channels, first + at_once);
      const T* roi = ctx.input(1).as<T>() + r * 5;
      const auto place = [&](int k) { return static_cast<int64_t>(std::round(roi[k] * scale)); };
      const int64_t x0 = place(1), y0 = place(2);
      const int64_t roi_width = std::max<int64_t>(place(3) - x0 + 1, 1);
      const int64_t roi_height = std::max<int64_t>(place(4) - y0 + 1, 1);
      const T* image = x.as<T>() + static_cast<int64_t>(roi[0]) * channels * height * width;
      T* y = ctx.output(0).as_mutable<T>() + r * channels * bins;
      for (int64_t b = 0; b < bins; ++b) {
        const PixelRange rows =
            bin_pixels(b / params.out_width, params.out_height, y0, roi_height, height);
        const PixelRange columns =
            bin_pixels(b % params.out_width, params.out_width, x0, roi_width, width);
        for (int64_t c = first; c < last; ++c) {
          y[c * bins + b] = largest_pixel(image + c * height * width, width, rows, columns);
        }
      }
    }
  });
  return Status::ok();
}

Status run_max_roi_pool(RunContext& ctx) {
  Status status;
  with_type(RoiTypes{}, ctx.input(0).dtype, [&](auto tag) {
    status = pool_regions<typename decltype(tag)::type>(ctx, ctx.params<RoiParams>());
  });
  return status;
}

}  // namespace

KernelTable roi_pool_kernels() {
  static constexpr KernelRow kRoiAlignRow("RoiAlign", "", 10, kLatestOpset, RoiTypes::kMask,
                                          "roi_align", 1, kNoFlags, 0, prepare_roi_align,
                                          bind_roi_align, run_roi_align);
  static constexpr KernelRow kMaxRoiPoolRow("MaxRoiPool", "", 1, kLatestOpset, RoiTypes::kMask,
                                            "max_roi_pool", 1, kNoFlags, 0, prepare_max_roi_pool,
                                            bind_max_roi_pool, run_max_roi_pool);
  static constexpr KernelRow rows[] = {
      kRoiAlignRow,
      reduced_row<kRoiAlignRow>("RoiAlign.reduced"),
      kMaxRoiPoolRow,
      reduced_row<kMaxRoiPoolRow>("MaxRoiPool.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
