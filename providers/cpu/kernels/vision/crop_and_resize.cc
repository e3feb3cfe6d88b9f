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
  // Of a place inside, or beside one. The last may have been rounded up to a float.
  int64_t pixel(float place) const { return std::min(static_cast<int64_t>(place), size - 1); }
};

float bilinear(const float* image, const Places& ys, const Places& xs, float y, float x) {
  const int64_t top = ys.pixel(std::floor(y)), left = xs.pixel(std::floor(x));
  const int64_t low = ys.pixel(std::ceil(y)), right = xs.pixel(std::ceil(x));
  const float along = x - static_cast<float>(left), down = y - static_cast<float>(top);
  const auto row = [&](int64_t r) {
    const float first = image[r * xs.size + left];
    return first + (image[r * xs.size + right] - first) * along;
  };
  const float upper = row(top);
  return upper + (row(low) - upper) * down;
}

float nearest(const float* image, const Places& ys, const Places& xs, float y, float x) {
  return image[ys.pixel(std::round(y)) * xs.size + xs.pixel(std::round(x))];
}

void crop_one(const CropParams& params, const float* image, const Places& down, const Places& along,
              float* y) {
  for (int64_t i = 0; i < down.count; ++i) {
    const float row = down.at(i);
    for (int64_t j = 0; j < along.count; ++j) {
      const float column = along.at(j);
      float& to = y[i * along.count + j];
      if (!down.is_inside(row) || !along.is_inside(column)) {
        to = params.outside;
      } else if (params.is_nearest != 0) {
        to = nearest(image, down, along, row, column);
      } else {
        to = bilinear(image, down, along, row, column);
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
  ctx.parallel_for(y.dim(0) * channels, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const float* box = rois + i / channels * 4;
      const Places down{box[0], box[2], height, x.dim(2)}, along{box[1], box[3], width, x.dim(3)};
      const int64_t plane = batches[i / channels] * channels + i % channels;
      crop_one(params, x.as<float>() + plane * x.dim(2) * x.dim(3), down, along,
               y.as_mutable<float>() + i * height * width);
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
