// SPDX-License-Identifier: MIT
// CropAndResize of com.microsoft against a plain loop, and at the edge of what floats can count.
#include <cmath>

#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu {
namespace {

TEST(crop_and_resize, the_last_pixel_of_an_axis_that_floats_cannot_count_is_read_and_none_beyond) {
  constexpr int64_t kWidth = (int64_t{1} << 24) + 4;  // kWidth - 1 becomes kWidth as a float
  Tensor x = Tensor::create(DType::kFloat32, {1, 1, 1, kWidth}).value();
  x.mutable_elements<float>()[kWidth - 1] = 3;
  const Tensor box = Tensor::from<float>({1, 4}, std::vector<float>{0, 1, 0, 1});
  const Tensor image = Tensor::from<int32_t>({1}, std::vector<int32_t>{0});
  const Tensor size = Tensor::from<int32_t>({2}, std::vector<int32_t>{1, 1});
  for (const char* mode : {"nearest", "bilinear"}) {
    const testing::NodeCase what{
        "CropAndResize", "com.microsoft", 1, {Attribute::of_string("mode", mode)}};
    const auto y = testing::evaluate(what, {x, box, image, size}, 1, Isa::kGeneric);
    CHECK_OK(y);
    CHECK_EQ((*y)[0].elements<float>()[0], 3.0f);
  }
}

// The place of output i of an axis, in pixels.
double place(double begin, double end, int64_t i, int64_t count, int64_t size) {
  const auto last = double(size - 1);
  if (count == 1) return 0.5 * (begin + end) * last;
  return (begin + (end - begin) * double(i) / double(count - 1)) * last;
}

double pixel_at(const float* image, const Dims& dims, double y, double x, bool is_nearest) {
  const int64_t height = dims[2], width = dims[3];
  if (y < 0 || x < 0 || y > double(height - 1) || x > double(width - 1)) return 0.25;
  if (is_nearest) return double{image[int64_t(std::round(y)) * width + int64_t(std::round(x))]};
  double sum = 0;
  for (int64_t i = 0; i < height; ++i) {
    for (int64_t j = 0; j < width; ++j) {
      const double v = 1 - std::fabs(y - double(i)), u = 1 - std::fabs(x - double(j));
      if (v > 0 && u > 0) sum += v * u * double{image[i * width + j]};
    }
  }
  return sum;
}

TEST(crop_and_resize, boxes_inside_and_beyond_agree_with_a_plain_loop_at_every_size) {
  const Tensor x = testing::random_tensor({2, 17, 6, 9}, 3);
  // Places of the first two are pixels, or half way and a little more; the others lie anywhere.
  const std::vector<float> rois = {0,     0,     1,     1,     0.2f,   0.125f, 0.6f,  0.625f,
                                   0.83f, 0.91f, 0.12f, 0.07f, -0.21f, 0.33f,  0.74f, 1.52f};
  const Tensor boxes = Tensor::from<float>({4, 4}, rois);
  const Tensor images = Tensor::from<int32_t>({4}, std::vector<int32_t>{1, 0, 0, 1});
  for (const auto& [height, width] : {std::pair<int, int>{1, 1}, {6, 9}, {1, 70}, {67, 2}}) {
    const Tensor size = Tensor::from<int32_t>({2}, std::vector<int32_t>{height, width});
    for (const std::string mode : {"bilinear", "nearest"}) {
      const Dims dims{4, 17, height, width};
      std::vector<double> expected;
      for (int64_t at = 0; at < 4 * 17 * height * width; ++at) {
        const int64_t j = at % width, i = at / width % height, c = at / width / height % 17;
        const int64_t r = at / width / height / 17;
        const float* box = rois.data() + r * 4;
        const float* image =
            x.elements<float>().data() + (images.elements<int32_t>()[size_t(r)] * 17 + c) * 54;
        expected.push_back(
            pixel_at(image, x.dims(), place(double{box[0]}, double{box[2]}, i, height, 6),
                     place(double{box[1]}, double{box[3]}, j, width, 9), mode == "nearest"));
      }
      const testing::NodeCase what{
          "CropAndResize",
          "com.microsoft",
          1,
          {Attribute::of_string("mode", mode), Attribute::of_float("extrapolation_value", 0.25f)}};
      testing::run_everywhere(what, {x, boxes, images, size}, [&](const std::vector<Tensor>& y) {
        testing::check_close(y[0], dims, expected, 1e-4, 1e-5);
      });
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
