// SPDX-License-Identifier: MIT
// GridSample: y[n, c, p] = x[n, c] interpolated at the place grid[n, p]; AffineGrid: such a grid
// from an affine map. One to three spatial axes.
//
// A place has its innermost axis first, and -1 and 1 are the ends of an axis: the centres of the
// corner pixels with align_corners, else their outer edges. What lies outside reads as 0, as the
// nearest pixel of the border, or is reflected at the ends.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/graph/one_of.h"
#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"
#include "providers/cpu/kernels/vision/grid_pairs.h"
#include "providers/cpu/text/string_moves.h"

namespace ortc::cpu {
namespace {

constexpr size_t kAxesMax = 3;
enum class SampleMode : uint32_t { kLinear = 0, kNearest = 1, kCubic = 2 };
enum class Padding : uint32_t { kZeros = 0, kBorder = 1, kReflection = 2 };
using SampleTypes = TypeList<float, double>;
// Images of other types are moved pixel by pixel; what lies outside is zero.
constexpr TypeMask kMovedTypes = kByteTypes & ~FloatTypes::kMask;

// --- Arithmetic.

template <typename T>
T reflect(T x, T low, T high) {
  const T range = high - low;
  if (!(range > 0)) return low;
  if (x < low) {
    const T distance = low - x, turns = std::floor(distance / range);
    const T rest = distance - turns * range;
    return std::fmod(turns, T(2)) == 0 ? low + rest : high - rest;
  }
  if (x > high) {
    const T distance = x - high, turns = std::floor(distance / range);
    const T rest = distance - turns * range;
    return std::fmod(turns, T(2)) == 0 ? high - rest : low + rest;
  }
  return x;
}

struct SampleRule {
  SampleMode mode;
  Padding padding;
  bool align_corners;
};

// Up to four pixels of one axis and their weights; an index of -1 reads as 0.
template <typename T>
struct AxisTaps {
  int count = 0;
  std::array<int64_t, 4> index;
  std::array<T, 4> weight;
};

template <typename T>
int64_t inside(const SampleRule& rule, int64_t i, int64_t size, T low, T high) {
  if (i >= 0 && i < size) return i;
  if (rule.padding == Padding::kZeros) return -1;
  if (rule.padding == Padding::kReflection) {
    i = static_cast<int64_t>(reflect(static_cast<T>(i), low, high));
  }
  return std::clamp<int64_t>(i, 0, size - 1);
}

template <typename T>
void cubic_weights(T t, std::array<T, 4>& weight) {
  constexpr T a = T(-0.75);
  const auto near = [](T x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  const auto far = [](T x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  weight = {far(t + 1), near(t), near(1 - t), far(2 - t)};
}

// The taps of place `x` (in [-1, 1]) on an axis of this size.
template <typename T>
AxisTaps<T> axis_taps(const SampleRule& rule, T x, int64_t size) {
  const T low = rule.align_corners ? T(0) : T(-0.5);
  const T high = static_cast<T>(size) - (rule.align_corners ? T(1) : T(0.5));
  T at = rule.align_corners ? (x + 1) / 2 * static_cast<T>(size - 1)
                            : ((x + 1) * static_cast<T>(size) - 1) / 2;
  // Too far away to count pixels. What is not a number is outside on the left.
  constexpr T kFar = T(1e9);
  at = at > -kFar ? std::min(at, kFar) : -kFar;
  if (rule.mode == SampleMode::kNearest) at = std::nearbyint(at);
  if (at < low || at > high) {
    if (rule.padding == Padding::kBorder) at = std::clamp<T>(at, 0, static_cast<T>(size - 1));
    if (rule.padding == Padding::kReflection) at = reflect(at, low, high);
  }
  AxisTaps<T> taps;
  const auto truncated = static_cast<int64_t>(at);  // whose instruction all levels have
  const int64_t floor = truncated - (at < static_cast<T>(truncated) ? 1 : 0);
  const T ratio = at - static_cast<T>(floor);
  int64_t first = floor;
  if (rule.mode == SampleMode::kNearest) {
    taps.count = 1;
    taps.weight[0] = 1;
    first = static_cast<int64_t>(at);
  } else if (rule.mode == SampleMode::kLinear) {
    taps.count = 2;
    taps.weight = {1 - ratio, ratio, 0, 0};
  } else {
    taps.count = 4;
    cubic_weights(ratio, taps.weight);
    first = floor - 1;
  }
  for (int k = 0; k < taps.count; ++k) {
    taps.index[static_cast<size_t>(k)] = inside(rule, first + k, size, low, high);
  }
  return taps;
}

// All pixels that one output pixel is made of, as offsets in a channel.
template <typename T>
struct PointTaps {
  int count = 0;
  std::array<int64_t, 64> offset;
  std::array<T, 64> weight;
};

template <typename T>
void point_taps(const SampleRule& rule, const T* place, std::span<const int64_t> image,
                PointTaps<T>& taps) {
  // Missing axes in front have one pixel.
  std::array<AxisTaps<T>, kAxesMax> axes;
  std::array<int64_t, kAxesMax> sizes;
  const size_t missing = kAxesMax - image.size();
  for (size_t d = 0; d < kAxesMax; ++d) {
    sizes[d] = d < missing ? 1 : image[d - missing];
    axes[d] =
        d < missing ? AxisTaps<T>{1, {0}, {1}} : axis_taps(rule, place[kAxesMax - 1 - d], sizes[d]);
  }
  taps.count = 0;
  const auto for_each_tap = [](const AxisTaps<T>& axis, auto f) {
    for (size_t k = 0; k < static_cast<size_t>(axis.count); ++k) {
      if (axis.index[k] >= 0) f(axis.index[k], axis.weight[k]);
    }
  };
  for_each_tap(axes[0], [&](int64_t i, T u) {
    for_each_tap(axes[1], [&](int64_t j, T v) {
      for_each_tap(axes[2], [&](int64_t k, T w) {
        const auto to = static_cast<size_t>(taps.count++);
        taps.offset[to] = (i * sizes[1] + j) * sizes[2] + k;
        taps.weight[to] = u * v * w;
      });
    });
  });
}

// y[c] = the sum over the taps in channel c; channels lie `from_pitch` and `to_pitch` apart.
template <typename T>
void add_taps(const PointTaps<T>& taps, const T* from, int64_t from_pitch, T* to, int64_t to_pitch,
              int64_t channels) {
  const auto& offset = taps.offset;
  const auto& weight = taps.weight;
  if (taps.count == 4) {  // most points of an image
    const T* corner[4] = {from + offset[0], from + offset[1], from + offset[2], from + offset[3]};
    const T w0 = weight[0], w1 = weight[1], w2 = weight[2], w3 = weight[3];
    for (int64_t c = 0; c < channels; ++c) {
      const int64_t at = c * from_pitch;
      T sum = w0 * corner[0][at];
      sum += w1 * corner[1][at];
      sum += w2 * corner[2][at];
      sum += w3 * corner[3][at];
      to[c * to_pitch] = sum;
    }
    return;
  }
  for (int64_t c = 0; c < channels; ++c) {
    T sum = 0;
    for (size_t k = 0; k < static_cast<size_t>(taps.count); ++k) {
      sum += weight[k] * from[c * from_pitch + offset[k]];
    }
    to[c * to_pitch] = sum;
  }
}

// The taps of linear interpolation as two neighbours; false where they are none. There are two
// pixels at least.
bool as_neighbours(const AxisTaps<float>& taps, int64_t size, AxisPair* pair) {
  const int64_t a = taps.index[0], b = taps.index[1];
  if (a >= 0 && b == a + 1) {  // inside, as most are
    *pair = {a, {taps.weight[0], taps.weight[1]}, {true, true}};
    return true;
  }
  *pair = {};
  const int64_t first = a < 0 ? b : b < 0 ? a : std::min(a, b);
  pair->first = std::clamp<int64_t>(first, 0, size - 2);
  for (size_t k = 0; k < 2; ++k) {
    if (taps.index[k] < 0) continue;
    const int64_t side = taps.index[k] - pair->first;
    if (side > 1) return false;
    pair->weight[static_cast<size_t>(side)] += taps.weight[k];
    pair->is_read[static_cast<size_t>(side)] = true;
  }
  return true;
}

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

Status prepare_affine_grid(PrepareContext& ctx) {
  ctx.set_params(SampleParams{sizeof(SampleParams), 0, 0,
                              ctx.node().int_attribute("align_corners", 0) != 0 ? 1u : 0u});
  return Status::ok();
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

Status bind_affine_grid(BindContext& ctx) {
  if (ctx.params<SampleParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, SampleTypes::kMask));
  RETURN_IF_ERROR(check_type(ctx, 1, mask_of(DType::kInt64)));
  DimList size;
  RETURN_IF_ERROR(read_ints(ctx.input(1), "the size", &size));
  const ValueRef& theta = ctx.input(0);
  const auto axes = static_cast<int64_t>(size.size()) - 2;
  const bool fits = (axes == 2 || axes == 3) && theta.rank == 3 && theta.dim(0) == size[0] &&
                    theta.dim(1) == axes && theta.dim(2) == axes + 1;
  if (!fits) {
    return invalid_argument("a map of shape ", dims_to_string(theta.dims()), " and the size ",
                            dims_to_string(size), " do not fit");
  }
  DimList dims(1, size[0]);
  for (size_t d = 2; d < size.size(); ++d) dims.push_back(size[d]);
  dims.push_back(axes);
  return ctx.set_output(0, theta.dtype, dims);
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
  ctx.parallel_for(x.dim(0) * out_size, GridPairs::kMost, [&](int64_t begin, int64_t end) {
    GridPairs pairs;
    AxisPair row, column;
    for (int64_t i = begin; i < end;) {
      const int64_t first = i, entry = i / out_size;
      const int64_t stop = std::min(end, (entry + 1) * out_size);
      const auto add = [&] {
        const float* place = grid.as<float>() + 2 * i;
        if (!as_neighbours(axis_taps(rule, place[1], image[0]), image[0], &row)) return false;
        if (!as_neighbours(axis_taps(rule, place[0], image[1]), image[1], &column)) return false;
        pairs.add(row, column, row_size);
        return true;
      };
      for (pairs.clear(); i < stop && !pairs.is_full() && add();) ++i;
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
  const int64_t grain = std::max<int64_t>(1, kElementGrain / (16 + 4 * channels));
  ctx.parallel_for(x.dim(0) * out_size, grain, [&](int64_t begin, int64_t end) {
    PointTaps<T> taps;
    for (int64_t i = begin; i < end; ++i) {
      point_taps(rule, grid.as<T>() + i * axes, image, taps);
      const int64_t first = i / out_size * channels;
      add_taps(taps, x.as<T>() + first * in_size, in_size, y + first * out_size + i % out_size,
               out_size, channels);
    }
  });
}

template <typename T, typename G>
void move(const RunContext& ctx, const SampleRule& rule) {
  const ValueRef& x = ctx.input(0);
  const ValueRef& grid = ctx.input(1);
  const auto image = x.dims().subspan(2);
  const auto axes = static_cast<int64_t>(image.size());
  const int64_t channels = x.dim(1), in_size = product(image);
  const int64_t out_size = product(grid.dims(), 1, grid.rank - 1);
  T* y = ctx.output(0).as_mutable<T>();
  ctx.parallel_for(x.dim(0) * out_size, kElementGrain / 16, [&](int64_t begin, int64_t end) {
    PointTaps<G> taps;
    for (int64_t i = begin; i < end; ++i) {
      point_taps(rule, grid.as<G>() + i * axes, image, taps);
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t plane = i / out_size * channels + c;
        y[plane * out_size + i % out_size] =
            taps.count == 0 ? T{} : x.as<T>()[plane * in_size + taps.offset[0]];
      }
    }
  });
}

Status run_grid_sample(RunContext& ctx) {
  const auto& params = ctx.params<SampleParams>();
  if (ctx.output(0).element_count() == 0) return Status::ok();
  const SampleRule rule{static_cast<SampleMode>(params.mode), static_cast<Padding>(params.padding),
                        params.align_corners != 0};
  if ((mask_of(ctx.input(0).dtype) & kMovedTypes) != 0) {
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

// Where the centre of pixel i of an axis lies in [-1, 1].
double pixel_place(int64_t i, int64_t size, bool align_corners) {
  if (!align_corners) return (2.0 * static_cast<double>(i) + 1) / static_cast<double>(size) - 1;
  return size == 1 ? 0.0 : 2.0 * static_cast<double>(i) / static_cast<double>(size - 1) - 1;
}

Status run_affine_grid(RunContext& ctx) {
  const ValueRef& y = ctx.output(0);
  const bool align = ctx.params<SampleParams>().align_corners != 0;
  const auto image = y.dims().subspan(1, y.rank - 2);
  const size_t axes = image.size();
  const int64_t pixels = product(image);
  with_type(SampleTypes{}, y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    ctx.parallel_for(y.dim(0) * pixels, kElementGrain / 16, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        std::array<double, kAxesMax + 1> place;  // innermost axis first, then 1
        int64_t rest = i % pixels;
        for (size_t d = axes; d-- > 0; rest /= image[d]) {
          place[axes - 1 - d] = pixel_place(rest % image[d], image[d], align);
        }
        place[axes] = 1;
        const T* theta =
            ctx.input(0).as<T>() + i / pixels * static_cast<int64_t>(axes * (axes + 1));
        for (size_t r = 0; r < axes; ++r) {
          double sum = 0;
          for (size_t k = 0; k <= axes; ++k) {
            sum += static_cast<double>(theta[r * (axes + 1) + k]) * place[k];
          }
          y.as_mutable<T>()[i * static_cast<int64_t>(axes) + static_cast<int64_t>(r)] =
              static_cast<T>(sum);
        }
      }
    });
  });
  return Status::ok();
}

}  // namespace

KernelTable grid_sample_kernels() {
  static constexpr KernelRow kGridSampleRow("GridSample", "", 16, kLatestOpset, SampleTypes::kMask,
                                            "grid_sample", 1, kNoFlags, 0, prepare_grid_sample,
                                            bind_grid_sample, run_grid_sample);
  static constexpr KernelRow kAffineGridRow("AffineGrid", "", 20, kLatestOpset, SampleTypes::kMask,
                                            "affine_grid", 1, kNoFlags, 2, prepare_affine_grid,
                                            bind_affine_grid, run_affine_grid);
  static constexpr KernelRow rows[] = {
      kGridSampleRow,
      {"GridSample", "", 16, kLatestOpset, kMovedTypes, "grid_sample.moved", 1, kNoFlags, 0,
       prepare_moved, bind_grid_sample, run_grid_sample},
      {"GridSample", "", 16, kLatestOpset, kStrings, "grid_sample.string", 1, kNoFlags, 0,
       prepare_moved, bind_strings<bind_grid_sample, 1>, run_strings<run_grid_sample>},
      reduced_row<kGridSampleRow>("GridSample.reduced"),
      kAffineGridRow,
      reduced_row<kAffineGridRow>("AffineGrid.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
