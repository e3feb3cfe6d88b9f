// SPDX-License-Identifier: MIT
// CropAndResize (com.microsoft): boxes of images, each brought to one size, corners upon corners.
// Pixels whose place lies outside the image have one value.
#include <algorithm>
#include <cmath>

#include "core/graph/one_of.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/microsoft_kernels.h"

namespace ortc::cpu {
namespace {

enum Input : size_t { kX, kRois, kBatches, kSize };
constexpr TypeMask kF32 = mask_of(DType::kFloat32);

struct CropParams {
  uint32_t record_bytes;
  uint32_t is_nearest;
  float outside;
  uint32_t reserved;
};
static_assert(sizeof(CropParams) == 16);

Status prepare_crop(PrepareContext& ctx) {
  ASSIGN_OR_RETURN(const uint32_t is_nearest,
                   one_of(ctx.node(), "mode", "bilinear", {"bilinear", "nearest"}));
  ctx.set_params(CropParams{sizeof(CropParams), is_nearest,
                            ctx.node().float_attribute("extrapolation_value", 0.0f), 0});
  return Status::ok();
}

Status bind_crop(BindContext& ctx) {
  if (ctx.params<CropParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 4, 4));
  for (const size_t i : {kX, kRois}) RETURN_IF_ERROR(check_type(ctx, i, kF32));
  for (const size_t i : {kBatches, kSize}) {
    RETURN_IF_ERROR(check_type(ctx, i, mask_of(DType::kInt32)));
  }
  const ValueRef &x = ctx.input(kX), &rois = ctx.input(kRois), &batches = ctx.input(kBatches);
  const bool fits = x.rank == 4 && rois.rank == 2 && rois.dim(1) == 4 && batches.rank == 1 &&
                    batches.dim(0) == rois.dim(0);
  if (!fits) {
    return invalid_argument("an input of shape ", dims_to_string(x.dims()), " with boxes ",
                            dims_to_string(rois.dims()), " of images ",
                            dims_to_string(batches.dims()), " does not fit");
  }
  DimList size;
  RETURN_IF_ERROR(read_ints(ctx.input(kSize), "crop_size", &size));
  if (size.size() != 2 || size[0] < 1 || size[1] < 1) {
    return invalid_argument("crop_size is ", dims_to_string(size), ", expected two sizes");
  }
  return ctx.set_output(0, x.dtype, {rois.dim(0), x.dim(1), size[0], size[1]});
}

// --- Run.

// Places along one axis of a box from `begin` to `end`, which are parts of the image.
struct Places {
  float begin, end;
  int64_t count, size;

  float at(int64_t i) const {
    const auto last = static_cast<float>(size - 1);
    if (count == 1) return 0.5f * (begin + end) * last;
    if (i == 0) return begin * last;
    if (i == count - 1) return end * last;
    const float scale = (end - begin) * last / static_cast<float>(count - 1);
    return begin * last + static_cast<float>(i) * scale;
  }
  bool is_inside(float place) const { return place >= 0 && place <= static_cast<float>(size - 1); }
};

// The pixels around a place, or the nearest one twice, and the share of the second.
struct PlacedPixels {
  int64_t first, second;  // -1: outside
  float share;

  PlacedPixels() = default;
  PlacedPixels(const Places& places, int64_t i, bool is_nearest) : first(-1), second(-1), share(0) {
    const float place = places.at(i);
    if (!places.is_inside(place)) return;
    // The last pixel may have been rounded up to a float.
    const int64_t floor = std::min(static_cast<int64_t>(place), places.size - 1);
    const float rest = place - static_cast<float>(floor);
    first = is_nearest ? std::min(floor + (rest >= 0.5f ? 1 : 0), places.size - 1) : floor;
    second = is_nearest || !(rest > 0) ? first : std::min(first + 1, places.size - 1);
    share = is_nearest ? 0 : rest;
  }
};

constexpr int64_t kPlacesAtOnce = 64;    // of an axis, for all channels
constexpr int64_t kChannelsAtOnce = 16;  // of one box that are one thread's work

struct PixelTable {
  PlacedPixels places[kPlacesAtOnce];
  int64_t count;

  // From the place `first` on.
  void place(const Places& axis, int64_t first, bool is_nearest) {
    count = std::min(kPlacesAtOnce, axis.count - first);
    for (int64_t k = 0; k < count; ++k) places[k] = PlacedPixels(axis, first + k, is_nearest);
  }
};

float blend(const PlacedPixels& place, const float* row) {
  const float first = row[place.first];
  return first + (row[place.second] - first) * place.share;
}

// One channel at such places; rows of the image have `width` pixels, those of y are `pitch` apart.
void crop_channel(const CropParams& params, const float* image, int64_t width,
                  const PixelTable& down, const PixelTable& along, float* y, int64_t pitch) {
  for (int64_t i = 0; i < down.count; ++i, y += pitch) {
    const PlacedPixels& row = down.places[i];
    if (row.first < 0) {
      std::fill_n(y, along.count, params.outside);
      continue;
    }
    const float *upper = image + row.first * width, *lower = image + row.second * width;
    for (int64_t j = 0; j < along.count; ++j) {
      const PlacedPixels& column = along.places[j];
      if (column.first < 0) {
        y[j] = params.outside;
      } else if (params.is_nearest != 0) {
        y[j] = upper[column.first];
      } else {
        const float above = blend(column, upper);
        y[j] = above + (blend(column, lower) - above) * row.share;
      }
    }
  }
}

Status run_crop(RunContext& ctx) {
  const auto& params = ctx.params<CropParams>();
  const ValueRef &x = ctx.input(kX), &y = ctx.output(0);
  const auto* batches = ctx.input(kBatches).as<int32_t>();
  const auto* rois = ctx.input(kRois).as<float>();
  for (int64_t i = 0; i < y.dim(0); ++i) {
    if (batches[i] < 0 || batches[i] >= x.dim(0)) return index_out_of_range(batches[i], x.dim(0));
  }
  const int64_t channels = y.dim(1), height = y.dim(2), width = y.dim(3);
  const int64_t blocks = (channels + kChannelsAtOnce - 1) / kChannelsAtOnce;
  // Channels of one box, at places whose rows and columns begin here.
  const auto crop = [&](int64_t r, int64_t first, int64_t last, int64_t i, int64_t j) {
    const float* box = rois + r * 4;
    PixelTable down, along;
    down.place({box[0], box[2], height, x.dim(2)}, i, params.is_nearest != 0);
    along.place({box[1], box[3], width, x.dim(3)}, j, params.is_nearest != 0);
    for (int64_t c = first; c < last; ++c) {
      crop_channel(params, x.as<float>() + (batches[r] * channels + c) * x.dim(2) * x.dim(3),
                   x.dim(3), down, along,
                   y.as_mutable<float>() + ((r * channels + c) * height + i) * width + j, width);
    }
  };
  ctx.parallel_for(y.dim(0) * blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      const int64_t first = item % blocks * kChannelsAtOnce;
      const int64_t last = std::min(channels, first + kChannelsAtOnce);
      for (int64_t i = 0; i < height; i += kPlacesAtOnce) {
        for (int64_t j = 0; j < width; j += kPlacesAtOnce) {
          crop(item / blocks, first, last, i, j);
        }
      }
    }
  });
  return Status::ok();
}

}  // namespace

KernelTable crop_and_resize_kernels() {
  static constexpr KernelRow kCropRow("CropAndResize", kMicrosoftDomain, 1, kLatestOpset, kF32,
                                      "crop_and_resize.f32", 1, kNoFlags, 1u << kSize, prepare_crop,
                                      bind_crop, run_crop);
  static constexpr KernelRow rows[] = {kCropRow};
  return rows;
}

}  // namespace ortc::cpu
