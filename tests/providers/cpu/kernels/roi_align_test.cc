// SPDX-License-Identifier: MIT
// RoiAlign against a plain loop over bins and samples, in double precision.
#include <cmath>

#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu {
namespace {

using testing::NodeCase;
using testing::random_tensor;

constexpr int64_t kHeight = 9, kWidth = 11;

struct Settings {
  bool takes_maximum;
  bool half_pixel;
  int64_t out_height, out_width, sampling;
  float scale;
};

struct Corner {
  double weight;
  int64_t row, column;
};

// The pixels around a place; none outside of the image.
std::vector<Corner> corners(double y, double x) {
  if (y < -1 || y > kHeight || x < -1 || x > kWidth) return {};
  y = std::max(y, 0.0);
  x = std::max(x, 0.0);
  auto row = static_cast<int64_t>(y), column = static_cast<int64_t>(x);
  if (row >= kHeight - 1) y = static_cast<double>(row = kHeight - 1);
  if (column >= kWidth - 1) x = static_cast<double>(column = kWidth - 1);
  const double v = y - static_cast<double>(row), u = x - static_cast<double>(column);
  const int64_t below = std::min(row + 1, kHeight - 1), right = std::min(column + 1, kWidth - 1);
  return {{(1 - v) * (1 - u), row, column},
          {(1 - v) * u, row, right},
          {v * (1 - u), below, column},
          {v * u, below, right}};
}

double bin_of(const Settings& s, const float* image, const float* roi, int64_t i, int64_t j) {
  const double offset = s.half_pixel ? 0.5 : 0.0, scale = s.scale;
  const double x0 = roi[0] * scale - offset, y0 = roi[1] * scale - offset;
  double width = roi[2] * scale - offset - x0, height = roi[3] * scale - offset - y0;
  if (!s.half_pixel) {
    width = std::max(width, 1.0);
    height = std::max(height, 1.0);
  }
  const double bin_height = height / static_cast<double>(s.out_height);
  const double bin_width = width / static_cast<double>(s.out_width);
  const auto count = [&](double size) {
    return s.sampling > 0 ? s.sampling : static_cast<int64_t>(std::ceil(size));
  };
  const int64_t rows = count(bin_height), columns = count(bin_width);
  double sum = 0, top = -INFINITY;
  for (int64_t a = 0; a < rows; ++a) {
    for (int64_t b = 0; b < columns; ++b) {
      const double y = y0 + bin_height * (static_cast<double>(i) + (static_cast<double>(a) + 0.5) /
                                                                       static_cast<double>(rows));
      const double x = x0 + bin_width * (static_cast<double>(j) + (static_cast<double>(b) + 0.5) /
                                                                      static_cast<double>(columns));
      const auto found = corners(y, x);
      if (found.empty()) top = std::max(top, 0.0);
      for (const Corner& corner : found) {
        const double value = corner.weight * image[corner.row * kWidth + corner.column];
        sum += value;
        top = std::max(top, value);
      }
    }
  }
  return s.takes_maximum ? top : sum / static_cast<double>(rows * columns);
}

// Regions inside, at the edges, and beyond them.
const std::vector<float> kRegions = {1.3f, 2.1f,  7.9f, 6.4f, -3.0f, -2.5f,
                                     4.0f, 12.3f, 9.7f, 7.2f, 10.9f, 8.8f};

// So many regions, the same ones again and again.
void check_align(const Settings& s, int64_t channels, size_t regions = 3) {
  const Tensor x = random_tensor({2, channels, kHeight, kWidth}, 3);
  std::vector<float> places;
  std::vector<int64_t> images;
  for (size_t r = 0; r < regions; ++r) {
    const float* region = kRegions.data() + 4 * (r % 3);
    places.insert(places.end(), region, region + 4);
    images.push_back(r % 2 == 0 ? 1 : 0);
  }
  const auto count = static_cast<int64_t>(regions);
  const Tensor rois = Tensor::from<float>({count, 4}, places);
  std::vector<double> y;
  for (size_t r = 0; r < regions; ++r) {
    for (int64_t c = 0; c < channels; ++c) {
      const float* image =
          x.elements<float>().data() + (images[r] * channels + c) * kHeight * kWidth;
      for (int64_t i = 0; i < s.out_height; ++i) {
        for (int64_t j = 0; j < s.out_width; ++j) {
          y.push_back(bin_of(s, image, places.data() + 4 * r, i, j));
        }
      }
    }
  }
  const NodeCase node{"RoiAlign",
                      "",
                      16,
                      {Attribute::of_string("mode", s.takes_maximum ? "max" : "avg"),
                       Attribute::of_string("coordinate_transformation_mode",
                                            s.half_pixel ? "half_pixel" : "output_half_pixel"),
                       Attribute::of_int("output_height", s.out_height),
                       Attribute::of_int("output_width", s.out_width),
                       Attribute::of_int("sampling_ratio", s.sampling),
                       Attribute::of_float("spatial_scale", s.scale)}};
  testing::run_everywhere(node, {x, rois, Tensor::from<int64_t>({count}, images)},
                          [&](const std::vector<Tensor>& outputs) {
                            testing::check_close(outputs[0],
                                                 {count, channels, s.out_height, s.out_width}, y,
                                                 1e-4, 1e-5);
                          });
}

TEST(roi_align, agrees_with_plain_loops_for_any_number_of_channels_and_samples) {
  for (const bool takes_maximum : {false, true}) {
    for (const bool half_pixel : {false, true}) {
      for (const int64_t channels : {1, 15, 16, 17, 37}) {
        check_align({takes_maximum, half_pixel, 3, 2, 2, 1.0f}, channels);
      }
      // As many samples as a bin has pixels, and more than are placed at once.
      check_align({takes_maximum, half_pixel, 2, 3, 0, 0.9f}, 3);
      check_align({takes_maximum, half_pixel, 1, 1, 5, 1.1f}, 18);
      check_align({takes_maximum, half_pixel, 2, 2, 2, 1.0f}, 67, 65);  // more channels at once
    }
  }
}

// A row of ones: a bin is the part of it that lies on the image.
TEST(roi_align, takes_bins_of_any_size) {
  const auto pooled = [](const char* mode, std::vector<float> roi, int64_t sampling) {
    const NodeCase node{
        "RoiAlign",
        "",
        10,
        {Attribute::of_string("mode", mode), Attribute::of_int("sampling_ratio", sampling)}};
    const std::vector<float> ones(size_t{2} * 6000, 1.0f);
    return testing::evaluate(
        node,
        {Tensor::from<float>({1, 1, 2, 6000}, ones), Tensor::from<float>({1, 4}, roi),
         Tensor::from<int64_t>({1}, std::vector<int64_t>{0})},
        /*threads=*/2, host_isa());
  };
  const auto average = [&](std::vector<float> roi) {
    return pooled("avg", std::move(roi), 0).value()[0].elements<float>()[0];
  };
  CHECK_EQ(average({0, 0, 5000, 2}), 1.0f);
  CHECK(std::fabs(average({0, 0, 12000, 2}) - 0.5f) < 1e-3f);
  CHECK(std::fabs(average({-9e6f, 0, 9e6f, 2}) - 6000 / 18e6f) < 1e-6f);
  CHECK(average({-9e6f, -9e6f, 9e6f, 9e6f}) > 0);
  CHECK_EQ(average({1e6f, 0, 2e6f, 2}), 0.0f);
  CHECK(pooled("max", {-9e6f, -9e6f, 9e6f, 9e6f}, 0).value()[0].elements<float>()[0] >= 0.25f);
  CHECK_CODE(pooled("avg", {0, 0, 1, 1}, 5000), Code::kInvalidArgument);
  CHECK_CODE(pooled("avg", {0, 0, NAN, 1}, 0), Code::kInvalidArgument);
}

TEST(max_roi_pool, agrees_with_plain_loops_for_any_number_of_channels) {
  const std::vector<float> regions = {1, 1, 2, 7,  6,  0, -3, -2, 4,  5,
                                      1, 9, 7, 14, 12, 0, 20, 20, 30, 30};
  constexpr int64_t kRows = 3, kColumns = 2;
  for (const int64_t channels : {1, 16, 18}) {
    const Tensor x = random_tensor({2, channels, kHeight, kWidth}, 5);
    std::vector<double> y;
    for (size_t r = 0; r < 4; ++r) {
      const float* roi = regions.data() + 5 * r;
      const auto x0 = static_cast<int64_t>(roi[1]), y0 = static_cast<int64_t>(roi[2]);
      const int64_t width = static_cast<int64_t>(roi[3]) - x0 + 1;
      const int64_t height = static_cast<int64_t>(roi[4]) - y0 + 1;
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t plane = (static_cast<int64_t>(roi[0]) * channels + c) * kHeight * kWidth;
        for (int64_t i = 0; i < kRows * kColumns; ++i) {
          const auto edge = [](int64_t bin, int64_t size, int64_t bins, bool up) {
            return (bin * size + (up ? bins - 1 : 0)) / bins;
          };
          double top = -INFINITY;
          for (int64_t h = edge(i / kColumns, height, kRows, false);
               h < edge(i / kColumns + 1, height, kRows, true); ++h) {
            for (int64_t w = edge(i % kColumns, width, kColumns, false);
                 w < edge(i % kColumns + 1, width, kColumns, true); ++w) {
              if (y0 + h < 0 || y0 + h >= kHeight || x0 + w < 0 || x0 + w >= kWidth) continue;
              const auto at = static_cast<size_t>(plane + (y0 + h) * kWidth + x0 + w);
              top = std::max(top, static_cast<double>(x.elements<float>()[at]));
            }
          }
          y.push_back(std::isinf(top) ? 0 : top);
        }
      }
    }
    const NodeCase node{
        "MaxRoiPool", "", 1, {Attribute::of_ints("pooled_shape", {kRows, kColumns})}};
    testing::run_everywhere(
        node, {x, Tensor::from<float>({4, 5}, regions)}, [&](const std::vector<Tensor>& outputs) {
          testing::check_close(outputs[0], {4, channels, kRows, kColumns}, y, 0, 0);
        });
  }
}

}  // namespace
}  // namespace ortc::cpu
