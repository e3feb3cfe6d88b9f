// SPDX-License-Identifier: MIT
// GridSample: y[n, c, p] = x[n, c] interpolated at the place grid[n, p]. One to three spatial axes.
#include <algorithm>
#include <array>

#include "core/graph/one_of.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/kernels/vision/grid_taps.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

using SampleTypes = TypeList<float, double>;
// Images of other types are moved pixel by pixel; what lies outside is zero.
constexpr TypeMask kMovedTypes = kByteTypes & ~FloatTypes::kMask;

// --- Prepare.

struct SampleParams {
  uint32_t record_bytes;
  uint32_t mode;     // SampleMode
  uint32_t padding;  // Padding
  uint32_t align_corners;
};
static_assert(sizeof(SampleParams) == 16);

Status prepare_grid_sample(PrepareContext& ctx) {
  const Node& node = ctx.node();
  constexpr SampleMode kModes[] = {SampleMode::kLinear, SampleMode::kNearest, SampleMode::kCubic,
                                   SampleMode::kLinear, SampleMode::kCubic};
  ASSIGN_OR_RETURN(
      const uint32_t mode,
      one_of(node, "mode", "linear", {"linear", "nearest", "cubic", "bilinear", "bicubic"}));
  ASSIGN_OR_RETURN(const uint32_t padding,
                   one_of(node, "padding_mode", "zeros", {"zeros", "border", "reflection"}));
  ctx.set_params(SampleParams{sizeof(SampleParams), static_cast<uint32_t>(kModes[mode]), padding,
                              node.int_attribute("align_corners", 0) != 0 ? 1u : 0u});
  return Status::ok();
}

Status prepare_moved(PrepareContext& ctx) {
  if (ctx.node().string_attribute("mode", "linear") != "nearest") {
    return not_implemented("interpolation of ", dtype_name(ctx.input_type(0).dtype));
  }
  return prepare_grid_sample(ctx);
}

// --- Bind.

Status bind_grid_sample(BindContext& ctx) {
  const auto* params = ctx.params<SampleParams>();
  if (params == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, SampleTypes::kMask | kMovedTypes));
  RETURN_IF_ERROR(check_type(ctx, 1, SampleTypes::kMask));
  const bool is_moved = (mask_of(ctx.input(0).dtype) & kMovedTypes) != 0;
  if (!is_moved) RETURN_IF_ERROR(check_same_type(ctx, 1, 0));
  if (is_moved && params->mode != static_cast<uint32_t>(SampleMode::kNearest)) {
    return invalid_graph("its params record interpolates ", dtype_name(ctx.input(0).dtype));
  }
  if (params->mode > static_cast<uint32_t>(SampleMode::kCubic) ||
      params->padding > static_cast<uint32_t>(Padding::kReflection)) {
    return invalid_graph("its params record names no way to sample");
  }
  const ValueRef& x = ctx.input(0);
  const ValueRef& grid = ctx.input(1);
  if (x.rank > kAxesMax + 2) return not_implemented("images of ", x.rank - 2, " axes");
  const bool fits = x.rank >= 3 && grid.rank == x.rank && grid.dim(0) == x.dim(0) &&
                    grid.dim(grid.rank - 1) == static_cast<int64_t>(x.rank) - 2;
  if (!fits) {
    return invalid_argument("an image of shape ", dims_to_string(x.dims()), " and a grid of ",
                            dims_to_string(grid.dims()), " do not fit");
  }
  DimList dims;
  dims.push_back(x.dim(0));
  dims.push_back(x.dim(1));
  for (size_t d = 1; d + 1 < grid.rank; ++d) dims.push_back(grid.dim(d));
  if (product(x.dims(), 2, x.rank) == 0 && product(dims) != 0) {
    return invalid_argument("an image without pixels");
  }
  return ctx.set_output(0, x.dtype, dims);
}

// --- Run.

// Linear interpolation of images that have two rows and two columns at least.
void sample_pairs(const RunContext& ctx, const SampleRule& rule) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& grid = ctx.input(1);
  const auto image = x.dims().subspan(2);
  const int64_t channels = x.dim(1), in_size = product(image), row_size = image[1];
  const int64_t out_size = product(grid.dims(), 1, grid.rank - 1);
  auto* y = ctx.output(0).as_mutable<float>();
  const bool is_placed =
      rule.padding != Padding::kReflection && std::max(image[0], image[1]) <= PlacedAxis::kSizeMost;
  const auto axis_of = [&rule](int64_t size) {
    return PlacedAxis{static_cast<int32_t>(size), rule.align_corners,
                      rule.padding == Padding::kBorder};
  };
  const PlacedAxis rows = axis_of(image[0]), columns = axis_of(image[1]);
  ctx.parallel_for(x.dim(0) * out_size, GridPairs::kMost, [&](int64_t begin, int64_t end) {
    GridPairs pairs;
    AxisPair row, column;
    int64_t some = 0;  // points placed together
    for (int64_t i = begin; i < end;) {
      const int64_t first = i, entry = i / out_size;
      const int64_t stop = std::min(end, (entry + 1) * out_size);
      const auto add = [&] {
        const float* place = grid.as<float>() + 2 * i;
        if (!neighbours_at(rule, place[1], image[0], &row)) return false;
        if (!neighbours_at(rule, place[0], image[1], &column)) return false;
        pairs.add(row, column, row_size);
        return true;
      };
      pairs.clear();
      if (is_placed) {
        for (; i < stop && !pairs.is_full(); i += some) {
          some = std::min<int64_t>(4, stop - i);
          pairs.add_some(rows, columns, grid.as<float>() + 2 * i, static_cast<size_t>(some));
        }
      } else {
        while (i < stop && !pairs.is_full() && add()) ++i;
      }
      const float* from = x.as<float>() + entry * channels * in_size;
      float* to = y + entry * channels * out_size + first % out_size;
      for (int64_t c = 0; c < channels; ++c) {
        pairs.blend(from + c * in_size, row_size, to + c * out_size);
      }
      if (i > first) continue;
      PointTaps<float> taps;
      point_taps(rule, grid.as<float>() + 2 * i++, image, taps);
      add_taps(taps, from, in_size, to, out_size, channels);
    }
  });
}

// Pixels of any type, by the nearest.
template <typename T, typename G>
void move(const RunContext& ctx, const SampleRule& rule) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& grid = ctx.input(1);
  const auto image = x.dims().subspan(2);
  const auto axes = static_cast<int64_t>(image.size());
  const int64_t channels = x.dim(1), in_size = product(image);
  const int64_t out_size = product(grid.dims(), 1, grid.rank - 1);
  T* y = ctx.output(0).as_mutable<T>();
  const int64_t grain = std::max<int64_t>(1, kElementGrain / (16 + channels));
  ctx.parallel_for(x.dim(0) * out_size, grain, [&](int64_t begin, int64_t end) {
    int64_t entry = begin / out_size, pixel = begin % out_size;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t offset = nearest_pixel(rule, grid.as<G>() + i * axes, image);
      const T* from = x.as<T>() + entry * channels * in_size;
      T* to = y + entry * channels * out_size + pixel;
      for (int64_t c = 0; c < channels; ++c) {
        to[c * out_size] = offset < 0 ? T{} : from[c * in_size + offset];
      }
      if (++pixel < out_size) continue;
      pixel = 0;
      ++entry;
    }
  });
}

template <typename T>
void sample(const RunContext& ctx, const SampleRule& rule) {
  const ValueRef& x = ctx.input(0);
  if constexpr (std::is_same_v<T, float>) {
    const bool has_pairs = x.rank == 4 && x.dim(2) >= 2 && x.dim(3) >= 2;
    if (has_pairs && rule.mode == SampleMode::kLinear) return sample_pairs(ctx, rule);
  }
  const ValueRef& grid = ctx.input(1);
  const auto image = x.dims().subspan(2);
  const auto axes = static_cast<int64_t>(image.size());
  const int64_t channels = x.dim(1), in_size = product(image);
  const int64_t out_size = product(grid.dims(), 1, grid.rank - 1);
  T* y = ctx.output(0).as_mutable<T>();
  const bool is_cubic_plane = axes == 2 && rule.mode == SampleMode::kCubic;
  const int64_t grain = std::max<int64_t>(1, kElementGrain / (16 + 4 * channels));
  ctx.parallel_for(x.dim(0) * out_size, grain, [&](int64_t begin, int64_t end) {
    PointTaps<T> taps;
    FourTaps<T> rows, columns;
    for (int64_t i = begin; i < end; ++i) {
      const T* place = grid.as<T>() + i * axes;
      const int64_t first = i / out_size * channels;
      const T* from = x.as<T>() + first * in_size;
      T* to = y + first * out_size + i % out_size;
      if (is_cubic_plane && cubic_inside(rule, place[1], image[0], &rows) &&
          cubic_inside(rule, place[0], image[1], &columns)) {
        for (int64_t c = 0; c < channels; ++c) {
          to[c * out_size] = blend(rows, columns, from + c * in_size, image[1]);
        }
        continue;
      }
      point_taps(rule, place, image, taps);
      add_taps(taps, from, in_size, to, out_size, channels);
    }
  });
}

Status run_grid_sample(RunContext& ctx) {
  const auto& params = ctx.params<SampleParams>();
  if (ctx.output(0).element_count() == 0) return Status::ok();
  const SampleRule rule{static_cast<SampleMode>(params.mode), static_cast<Padding>(params.padding),
                        params.align_corners != 0};
  if (rule.mode == SampleMode::kNearest) {
    with_chunk(element_bytes(ctx.input(0).dtype), [&](auto tag) {
      with_type(SampleTypes{}, ctx.input(1).dtype, [&](auto grid) {
        move<typename decltype(tag)::type, typename decltype(grid)::type>(ctx, rule);
      });
    });
    return Status::ok();
  }
  with_type(SampleTypes{}, ctx.input(0).dtype,
            [&](auto tag) { sample<typename decltype(tag)::type>(ctx, rule); });
  return Status::ok();
}

}  // namespace

KernelTable grid_sample_kernels() {
  static constexpr KernelRow kGridSampleRow("GridSample", "", 16, kLatestOpset, SampleTypes::kMask,
                                            "grid_sample", 1, kNoFlags, 0, prepare_grid_sample,
                                            bind_grid_sample, run_grid_sample);
  static constexpr KernelRow rows[] = {
      kGridSampleRow,
      {"GridSample", "", 16, kLatestOpset, kMovedTypes, "grid_sample.moved", 1, kNoFlags, 0,
       prepare_moved, bind_grid_sample, run_grid_sample},
      {"GridSample", "", 16, kLatestOpset, kStrings, "grid_sample.string", 1, kNoFlags, 0,
       prepare_moved, bind_strings<bind_grid_sample, 1>, run_strings<run_grid_sample>},
      reduced_row<kGridSampleRow>("GridSample.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
