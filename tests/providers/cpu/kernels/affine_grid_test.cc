// SPDX-License-Identifier: MIT
// AffineGrid against a plain loop.
#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu {
namespace {

using testing::random_tensor;

double place(int64_t i, int64_t size, bool align) {
  if (!align) return (2.0 * double(i) + 1) / double(size) - 1;
  return size == 1 ? 0.0 : 2.0 * double(i) / double(size - 1) - 1;
}

// The map of each entry at the pixels of `sizes`, the outermost axis first.
std::vector<double> plain(const Tensor& theta, const Dims& sizes, bool align) {
  const size_t axes = sizes.size();
  int64_t pixels = 1;
  for (const int64_t size : sizes) pixels *= size;
  std::vector<double> y;
  for (int64_t i = 0; i < theta.dims()[0] * pixels; ++i) {
    std::vector<double> at(axes + 1, 1.0);
    int64_t rest = i % pixels;
    for (size_t d = axes; d-- > 0; rest /= sizes[d]) {
      at[axes - 1 - d] = place(rest % sizes[d], sizes[d], align);
    }
    for (size_t r = 0; r < axes; ++r) {
      double sum = 0;
      for (size_t k = 0; k <= axes; ++k) {
        const size_t row = size_t(i / pixels) * axes + r;
        sum += double{theta.elements<float>()[row * (axes + 1) + k]} * at[k];
      }
      y.push_back(sum);
    }
  }
  return y;
}

TEST(affine_grid, maps_of_planes_and_volumes_agree_with_a_plain_loop) {
  const Dims images[] = {{4, 5}, {1, 1}, {7, 1}, {3, 300}, {2, 3, 5}, {3, 1, 2}, {2, 2, 131}};
  for (const Dims& sizes : images) {
    const auto axes = static_cast<int64_t>(sizes.size());
    const Tensor theta = random_tensor({3, axes, axes + 1}, 7, -2, 2);
    std::vector<int64_t> size = {3, 4};
    size.insert(size.end(), sizes.begin(), sizes.end());
    Dims dims = {3};
    dims.insert(dims.end(), sizes.begin(), sizes.end());
    dims.push_back(axes);
    for (const int64_t align : {0, 1}) {
      const testing::NodeCase what{
          "AffineGrid", "", 20, {Attribute::of_int("align_corners", align)}};
      const std::vector<double> expected = plain(theta, sizes, align != 0);
      const Tensor shape = Tensor::from<int64_t>({axes + 2}, size);
      testing::run_everywhere(what, {theta, shape}, [&](const std::vector<Tensor>& y) {
        testing::check_close(y[0], dims, expected, 1e-6, 1e-6);
      });
      const auto y = testing::evaluate(what, {testing::as_doubles(theta), shape}, 2, Isa::kGeneric);
      CHECK_OK(y);
      testing::check_close((*y)[0], dims, expected, 1e-13, 1e-13);
    }
  }
}

TEST(affine_grid, an_image_without_pixels_has_no_places) {
  const Tensor shape = Tensor::from<int64_t>({4}, std::vector<int64_t>{1, 1, 0, 3});
  const auto y = testing::evaluate({"AffineGrid", "", 20}, {random_tensor({1, 2, 3}, 1), shape}, 1,
                                   Isa::kGeneric);
  CHECK_OK(y);
  CHECK_EQ((*y)[0].dims(), (Dims{1, 0, 3, 2}));
}

}  // namespace
}  // namespace ortc::cpu
