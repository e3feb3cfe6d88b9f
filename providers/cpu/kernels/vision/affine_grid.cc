// SPDX-License-Identifier: MIT
// AffineGrid: where GridSample looks, from an affine map of the places of an image's pixels.
//
//   y[n, p, r] = sum over k of theta[n, r, k] place[p, k] + theta[n, r, axes]
//
// Two or three spatial axes; a place has its innermost axis first.
#include <algorithm>

#include "providers/cpu/bind/bind_checks.h"
#include "providers/cpu/bind/reduced_kernel.h"
#include "providers/cpu/bind/rows/nd_loop.h"
#include "providers/cpu/cpu_kernels.h"
#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

using GridTypes = TypeList<float, double>;

struct GridParams {
  uint32_t record_bytes;
  uint32_t reserved[2];
  uint32_t align_corners;
};
static_assert(sizeof(GridParams) == 16);

Status prepare_affine_grid(PrepareContext& ctx) {
  ctx.set_params(GridParams{
      sizeof(GridParams), {}, ctx.node().int_attribute("align_corners", 0) != 0 ? 1u : 0u});
  return Status::ok();
}

Status bind_affine_grid(BindContext& ctx) {
  if (ctx.params<GridParams>() == nullptr) return ctx.bad_params();
  RETURN_IF_ERROR(check_arity(ctx, 2, 2));
  RETURN_IF_ERROR(check_type(ctx, 0, GridTypes::kMask));
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

// Where the centres of an axis' pixels lie in [-1, 1].
struct PixelPlaces {
  double first, step;

  PixelPlaces(int64_t size, bool align_corners) {
    const auto n = static_cast<double>(size);
    step = !align_corners ? 2 / n : size == 1 ? 0 : 2 / (n - 1);
    first = !align_corners ? 1 / n - 1 : size == 1 ? 0 : -1;
  }
  double at(int64_t i) const { return first + step * static_cast<double>(i); }
};

// The rows [begin, end) of pixels, counted through all maps. Of a row's pixels only the innermost
// place differs.
template <typename T, size_t kAxes>
void map_pixels(const RunContext& ctx, int64_t begin, int64_t end) {
  constexpr int64_t kMost = 128;
  const ValueRef& y = ctx.output(0);
  const bool align = ctx.params<GridParams>().align_corners != 0;
  const int64_t height = y.dim(kAxes - 1), width = y.dim(kAxes);
  const int64_t depth = kAxes == 3 ? y.dim(1) : 1, in_entry = depth * height;
  const PixelPlaces across(width, align), down(height, align), deep(depth, align);
  T places[kMost];
  for (int64_t first = 0; first < width; first += kMost) {
    const int64_t count = std::min(kMost, width - first);
    for (int64_t j = 0; j < count; ++j) places[j] = static_cast<T>(across.at(first + j));
    int64_t i = begin % height, k = begin / height % depth, entry = begin / in_entry;
    for (int64_t row = begin; row < end; ++row) {
      const T* theta = ctx.input(0).as<T>() + entry * static_cast<int64_t>(kAxes * (kAxes + 1));
      T slope[kAxes], base[kAxes];
      for (size_t r = 0; r < kAxes; ++r, theta += kAxes + 1) {
        double sum = static_cast<double>(theta[1]) * down.at(i) + static_cast<double>(theta[kAxes]);
        if (kAxes == 3) sum += static_cast<double>(theta[2]) * deep.at(k);
        slope[r] = theta[0];
        base[r] = static_cast<T>(sum);
      }
      T* to = y.as_mutable<T>() + (row * width + first) * static_cast<int64_t>(kAxes);
      for (int64_t j = 0; j < count; ++j, to += kAxes) {
        for (size_t r = 0; r < kAxes; ++r) to[r] = base[r] + slope[r] * places[j];
      }
      if (++i < height) continue;
      i = 0;
      if (++k < depth) continue;
      k = 0;
      ++entry;
    }
  }
}

Status run_affine_grid(RunContext& ctx) {
  const ValueRef& y = ctx.output(0);
  if (y.element_count() == 0) return Status::ok();
  const int64_t width = y.dim(y.rank - 2), rows = product(y.dims()) / width / y.dim(y.rank - 1);
  const int64_t grain = std::max<int64_t>(1, kElementGrain / 4 / width);
  with_type(GridTypes{}, y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto map = y.rank == 4 ? map_pixels<T, 2> : map_pixels<T, 3>;
    ctx.parallel_for(rows, grain, [&](int64_t begin, int64_t end) { map(ctx, begin, end); });
  });
  return Status::ok();
}

}  // namespace

KernelTable affine_grid_kernels() {
  static constexpr KernelRow kAffineGridRow("AffineGrid", "", 20, kLatestOpset, GridTypes::kMask,
                                            "affine_grid", 1, kNoFlags, 2, prepare_affine_grid,
                                            bind_affine_grid, run_affine_grid);
  static constexpr KernelRow rows[] = {
      kAffineGridRow,
      reduced_row<kAffineGridRow>("AffineGrid.reduced"),
  };
  return rows;
}

}  // namespace ortc::cpu
