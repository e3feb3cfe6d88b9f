// SPDX-License-Identifier: MIT
// Batch, instance and group normalisation, LRN, mean-variance and Lp normalisation against the
// plain formulas.
#include <algorithm>
#include <cmath>

#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu {
namespace {

using testing::NodeCase;
using testing::random_tensor;

double at(const Tensor& t, int64_t i) {
  return static_cast<double>(t.elements<float>()[static_cast<size_t>(i)]);
}

// In both element types.
void check_normalised(const NodeCase& node, std::vector<Tensor> inputs,
                      const std::vector<double>& y, bool has_double) {
  const Dims dims = inputs[0].dims();
  testing::run_everywhere(node, inputs, [&](const std::vector<Tensor>& outputs) {
    testing::check_close(outputs[0], dims, y, 1e-4, 1e-5);
  });
  if (!has_double) return;
  for (Tensor& input : inputs) input = testing::as_doubles(input);
  testing::run_everywhere(node, inputs, [&](const std::vector<Tensor>& outputs) {
    testing::check_close(outputs[0], dims, y, 1e-9, 1e-9);
  });
}

TEST(batch_norm, scales_and_shifts_channels) {
  std::vector<Dims> shapes = {{2, 5, 30, 40}, {3, 700}, {2, 4, 100}, {20000}, {9, 70, 2, 16}};
  for (int64_t size = 1; size <= 67; ++size) {
    shapes.push_back({2, 3, size});
    shapes.push_back({1, 200, size});  // one image
  }
  for (const int64_t images : {127, 128, 129, 600}) {
    for (const int64_t channels : {1, 3, 63, 64}) shapes.push_back({images, channels, 1});
    shapes.push_back({images, 1, 4});
  }
  for (const Dims& dims : shapes) {
    const int64_t channels = dims.size() < 2 ? 1 : dims[1];
    int64_t plane = dims.size() < 2 ? dims[0] : 1;
    for (size_t d = 2; d < dims.size(); ++d) plane *= dims[d];
    const Tensor x = random_tensor(dims, 1), scale = random_tensor({channels}, 2);
    const Tensor bias = random_tensor({channels}, 3), mean = random_tensor({channels}, 4);
    const Tensor var = random_tensor({channels}, 5, 0.1f, 2.0f);
    std::vector<double> y;
    for (int64_t i = 0; i < x.element_count(); ++i) {
      const int64_t c = i / plane % channels;
      y.push_back((at(x, i) - at(mean, c)) / std::sqrt(at(var, c) + static_cast<double>(0.01f)) *
                      at(scale, c) +
                  at(bias, c));
    }
    check_normalised({"BatchNormalization", "", 15, {Attribute::of_float("epsilon", 0.01f)}},
                     {x, scale, bias, mean, var}, y, true);
  }
}

TEST(batch_norm, without_any_variance_divides_by_zero) {
  Tensor x = random_tensor({2, 130, 3}, 1), scale = random_tensor({130}, 2);
  Tensor var = random_tensor({130}, 5, 0.1f, 2.0f);
  var.mutable_elements<float>()[129] = 0;
  const Tensor zeros = Tensor::from<float>({130}, std::vector<float>(130));
  testing::run_everywhere({"BatchNormalization", "", 15, {Attribute::of_float("epsilon", 0)}},
                          {x, scale, zeros, zeros, var}, [&](const std::vector<Tensor>& outputs) {
                            for (int64_t i = 0; i < x.element_count(); ++i) {
                              CHECK_EQ(std::isfinite(at(outputs[0], i)), i / 3 % 130 != 129);
                            }
                          });
}

TEST(batch_norm, takes_and_moves_statistics_in_training) {
  const Tensor x = random_tensor({4, 3, 50}, 1), v = random_tensor({3}, 2, 0.5f, 1.5f);
  const testing::NodeCase what{
      "BatchNormalization",
      "",
      15,
      {Attribute::of_int("training_mode", 1), Attribute::of_float("momentum", 0.75f)},
      3};
  testing::run_everywhere(what, {x, v, v, v, v}, [&](const std::vector<Tensor>& found) {
    for (int64_t c = 0; c < 3; ++c) {
      double mean = 0, square = 0;
      for (int64_t i = 0; i < 200; ++i) mean += at(x, (i / 50 * 3 + c) * 50 + i % 50) / 200;
      for (int64_t i = 0; i < 200; ++i) {
        square += std::pow(at(x, (i / 50 * 3 + c) * 50 + i % 50) - mean, 2) / 200;
      }
      const double old = at(v, c), scale = old / std::sqrt(square + 1e-5);
      CHECK_NEAR(at(found[1], c), 0.75 * old + 0.25 * mean, 1e-5, 1e-6);
      CHECK_NEAR(at(found[2], c), 0.75 * old + 0.25 * square, 1e-5, 1e-6);
      for (int64_t i = 0; i < 200; ++i) {
        const int64_t place = (i / 50 * 3 + c) * 50 + i % 50;
        CHECK_NEAR(at(found[0], place), (at(x, place) - mean) * scale + old, 1e-4, 1e-5);
      }
    }
  });
}

TEST(batch_norm, refuses_what_does_not_fit) {
  const Tensor x = random_tensor({2, 3, 4}, 1), v = random_tensor({3}, 2);
  CHECK_CODE(
      testing::evaluate({"BatchNormalization", "", 15, {}, 3}, {x, v, v, v, v}, 1, host_isa()),
      Code::kInvalidGraph);
  const Tensor four = random_tensor({4}, 2);
  CHECK_CODE(testing::evaluate({"BatchNormalization", "", 15}, {x, v, v, four, v}, 1, host_isa()),
             Code::kInvalidArgument);
}

std::vector<double> normalise_groups(const Tensor& x, int64_t rows, double epsilon) {
  const int64_t n = x.element_count() / rows;
  std::vector<double> y;
  for (int64_t r = 0; r < rows; ++r) {
    double mean = 0, square = 0;
    for (int64_t i = 0; i < n; ++i) mean += at(x, r * n + i) / static_cast<double>(n);
    for (int64_t i = 0; i < n; ++i) {
      square += (at(x, r * n + i) - mean) * (at(x, r * n + i) - mean) / static_cast<double>(n);
    }
    for (int64_t i = 0; i < n; ++i) {
      y.push_back((at(x, r * n + i) - mean) / std::sqrt(square + epsilon));
    }
  }
  return y;
}

TEST(instance_norm, normalises_every_channel) {
  const Tensor x = random_tensor({3, 5, 20, 21}, 1), scale = random_tensor({5}, 2);
  const Tensor bias = random_tensor({5}, 3);
  auto y = normalise_groups(x, 15, 1e-5);
  for (size_t i = 0; i < y.size(); ++i) {
    const auto c = static_cast<int64_t>(i / 420 % 5);
    y[i] = y[i] * at(scale, c) + at(bias, c);
  }
  check_normalised({"InstanceNormalization", "", 6}, {x, scale, bias}, y, false);
}

TEST(instance_norm, normalises_planes_of_every_size) {
  for (int64_t plane = 1; plane <= 67; ++plane) {
    for (const int64_t channels : {1, 3, 37}) {
      const int64_t images = channels == 1 ? 19 : 5;
      const Tensor x = random_tensor({images, channels, plane}, 1);
      const Tensor scale = random_tensor({channels}, 2), bias = random_tensor({channels}, 3);
      auto y = normalise_groups(x, images * channels, 1e-5);
      for (size_t i = 0; i < y.size(); ++i) {
        const auto c = static_cast<int64_t>(i) / plane % channels;
        y[i] = y[i] * at(scale, c) + at(bias, c);
      }
      check_normalised({"InstanceNormalization", "", 6}, {x, scale, bias}, y, false);
    }
  }
}

TEST(group_norm, scales_groups_in_opset_18_and_channels_since_21) {
  for (const int64_t opset : {18, 21}) {
    const int64_t scales = opset == 18 ? 4 : 12;
    const Tensor x = random_tensor({2, 12, 9, 11}, 1), scale = random_tensor({scales}, 2);
    const Tensor bias = random_tensor({scales}, 3);
    auto y = normalise_groups(x, 8, 1e-5);
    for (size_t i = 0; i < y.size(); ++i) {
      const auto c = static_cast<int64_t>(i / 99 % 12);
      const int64_t s = opset == 18 ? c / 3 : c;
      y[i] = y[i] * at(scale, s) + at(bias, s);
    }
    const NodeCase node{"GroupNormalization", "", opset, {Attribute::of_int("num_groups", 4)}};
    check_normalised(node, {x, scale, bias}, y, false);
    const Tensor wrong = random_tensor({5}, 2);
    CHECK_CODE(testing::evaluate(node, {x, wrong, wrong}, 1, host_isa()), Code::kInvalidArgument);
  }
}

TEST(lrn, divides_by_a_power_of_neighbouring_channels) {
  const Tensor x = random_tensor({2, 7, 15, 20}, 1, -3, 3);
  for (const int64_t size : {1, 2, 3, 5, 20}) {
    for (const float beta : {0.75f, 0.5f}) {
      const float alpha = 0.3f, bias = 2.0f;
      std::vector<double> y;
      for (int64_t i = 0; i < x.element_count(); ++i) {
        const int64_t c = i / 300 % 7;
        double sum = 0;
        for (int64_t j = std::max<int64_t>(0, c - (size - 1) / 2);
             j <= std::min<int64_t>(6, c + size / 2); ++j) {
          sum += at(x, i + (j - c) * 300) * at(x, i + (j - c) * 300);
        }
        y.push_back(at(x, i) /
                    std::pow(static_cast<double>(bias) +
                                 static_cast<double>(alpha) / static_cast<double>(size) * sum,
                             static_cast<double>(beta)));
      }
      check_normalised({"LRN",
                        "",
                        13,
                        {Attribute::of_int("size", size), Attribute::of_float("alpha", alpha),
                         Attribute::of_float("beta", beta), Attribute::of_float("bias", bias)}},
                       {x}, y, false);
    }
  }
}

TEST(axis_norm, takes_mean_and_deviation_over_any_axes) {
  const Tensor x = random_tensor({4, 3, 10, 12}, 1, -2, 5);
  // By default over all axes but channels.
  std::vector<double> y(static_cast<size_t>(x.element_count()));
  for (int64_t c = 0; c < 3; ++c) {
    std::vector<size_t> own;
    for (size_t i = 0; i < y.size(); ++i) {
      if (static_cast<int64_t>(i / 120 % 3) == c) own.push_back(i);
    }
    double mean = 0, square = 0;
    for (size_t i : own) mean += at(x, static_cast<int64_t>(i)) / static_cast<double>(own.size());
    for (size_t i : own) {
      const double d = at(x, static_cast<int64_t>(i)) - mean;
      square += d * d / static_cast<double>(own.size());
    }
    for (size_t i : own)
      y[i] = (at(x, static_cast<int64_t>(i)) - mean) / (std::sqrt(square) + 1e-9);
  }
  check_normalised({"MeanVarianceNormalization", "", 13}, {x}, y, true);
  y = normalise_groups(x, 12, 0.0);
  check_normalised({"MeanVarianceNormalization", "", 13, {Attribute::of_ints("axes", {2, -1})}},
                   {x}, y, true);
  CHECK_CODE(testing::evaluate({"MeanVarianceNormalization", "", 13}, {random_tensor({3, 4}, 1)}, 1,
                               host_isa()),
             Code::kInvalidArgument);
}

TEST(axis_norm, divides_by_the_length_along_one_axis) {
  Tensor x = random_tensor({6, 50, 40}, 1);
  for (int64_t i = 0; i < 40; ++i) x.mutable_elements<float>()[static_cast<size_t>(i)] = 0;
  for (const int64_t axis : {1, -1}) {
    for (const int64_t p : {1, 2}) {
      const int64_t n = axis == 1 ? 50 : 40, inner = axis == 1 ? 40 : 1;
      std::vector<double> y;
      for (int64_t i = 0; i < x.element_count(); ++i) {
        const int64_t first = i - i / inner % n * inner;
        double sum = 0;
        for (int64_t j = 0; j < n; ++j) {
          sum += std::pow(std::fabs(at(x, first + j * inner)), static_cast<double>(p));
        }
        const double length = p == 1 ? sum : std::sqrt(sum);
        y.push_back(length == 0 ? 0 : at(x, i) / length);
      }
      check_normalised(
          {"LpNormalization", "", 1, {Attribute::of_int("axis", axis), Attribute::of_int("p", p)}},
          {x}, y, true);
    }
  }
}

TEST(axis_norm, divides_cells_of_one_element_and_columns_by_their_lengths) {
  for (const Dims& dims : std::vector<Dims>{{1, 300, 1}, {5, 300, 2}, {3, 7}}) {
    Tensor x = random_tensor(dims, 1);
    x.mutable_elements<float>()[2] = 0;
    const int64_t inner = x.element_count() / dims[0];
    std::vector<double> y;
    for (int64_t i = 0; i < x.element_count(); ++i) {
      double squares = 0;
      for (int64_t j = i % inner; j < x.element_count(); j += inner) squares += at(x, j) * at(x, j);
      y.push_back(squares == 0 ? 0 : at(x, i) / std::sqrt(squares));
    }
    check_normalised({"LpNormalization", "", 1, {Attribute::of_int("axis", 0)}}, {x}, y, true);
  }
}

TEST(axis_norm, divides_many_short_rows_by_their_lengths) {
  for (int64_t n = 1; n <= 67; ++n) {
    for (const int64_t rows : {7, 8, 300}) {
      Tensor x = random_tensor({rows, n}, 1);
      for (int64_t i = 0; i < n; ++i) x.mutable_elements<float>()[static_cast<size_t>(i)] = 0;
      for (const int64_t p : {1, 2}) {
        std::vector<double> y;
        for (int64_t i = 0; i < x.element_count(); ++i) {
          double sum = 0;
          for (int64_t j = i / n * n; j < i / n * n + n; ++j) {
            sum += std::pow(std::fabs(at(x, j)), static_cast<double>(p));
          }
          y.push_back(sum == 0 ? 0 : at(x, i) / (p == 1 ? sum : std::sqrt(sum)));
        }
        check_normalised({"LpNormalization", "", 1, {Attribute::of_int("p", p)}}, {x}, y, true);
      }
    }
  }
}

// [blocks, n, inner] along n: the columns of blocks that are short, or not.
TEST(axis_norm, divides_the_columns_of_short_blocks_by_their_lengths) {
  for (const int64_t n : {1, 2, 13, 100}) {
    for (const int64_t inner : {2, 3, 16, 17}) {
      Tensor x = random_tensor({301, n, inner}, 1);
      for (int64_t i = 0; i < n; ++i)
        x.mutable_elements<float>()[static_cast<size_t>(i * inner)] = 0;
      std::vector<double> lengths, deviations;
      for (int64_t i = 0; i < x.element_count(); ++i) {
        const int64_t first = i / (n * inner) * n * inner + i % inner;
        double sum = 0, squares = 0;
        for (int64_t j = 0; j < n; ++j) sum += at(x, first + j * inner);
        const double mean = sum / static_cast<double>(n);
        double off = 0;
        for (int64_t j = 0; j < n; ++j) {
          const double v = at(x, first + j * inner);
          squares += v * v;
          off += (v - mean) * (v - mean);
        }
        lengths.push_back(squares == 0 ? 0 : at(x, i) / std::sqrt(squares));
        deviations.push_back((at(x, i) - mean) / (std::sqrt(off / static_cast<double>(n)) + 1e-9));
      }
      check_normalised({"LpNormalization", "", 1, {Attribute::of_int("axis", 1)}}, {x}, lengths,
                       true);
      check_normalised({"MeanVarianceNormalization", "", 13, {Attribute::of_ints("axes", {1})}},
                       {x}, deviations, true);
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
