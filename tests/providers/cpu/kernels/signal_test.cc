// SPDX-License-Identifier: MIT
// DFT and STFT against sums written out, for lengths of every kind; losses, attention and grid
// samples against their definitions.
#include <cmath>
#include <complex>

#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

using Complex = std::complex<double>;

std::vector<Complex> transform(const std::vector<Complex>& x, bool inverse) {
  const auto n = static_cast<double>(x.size());
  std::vector<Complex> y(x.size());
  for (size_t k = 0; k < x.size(); ++k) {
    for (size_t j = 0; j < x.size(); ++j) {
      const double angle =
          (inverse ? 2 : -2) * 3.14159265358979323846 * static_cast<double>(j * k % x.size()) / n;
      y[k] += x[j] * std::polar(1.0, angle);
    }
    if (inverse) y[k] /= n;
  }
  return y;
}

double float_at(const Tensor& x, size_t i) { return static_cast<double>(x.elements<float>()[i]); }

TEST(dft, equals_the_sum_for_every_length) {
  Random random(111);
  for (const int64_t n : {1, 2, 3, 4, 7, 8, 12, 31, 64, 100}) {
    for (const int64_t inverse : {0, 1}) {
      const Tensor x = random.floats({2, n, 3, 2});
      const Op op{"DFT", 17, {Attribute::of_int("axis", 1), Attribute::of_int("inverse", inverse)}};
      const Tensor y = run_one(op, {x});
      CHECK_EQ(y.dims(), x.dims());
      for (size_t o = 0; o < 2; ++o) {
        for (size_t i = 0; i < 3; ++i) {
          std::vector<Complex> row;
          const auto place = [&](size_t k) {
            return ((o * static_cast<size_t>(n) + k) * 3 + i) * 2;
          };
          for (size_t k = 0; k < static_cast<size_t>(n); ++k) {
            row.emplace_back(float_at(x, place(k)), float_at(x, place(k) + 1));
          }
          const auto expected = transform(row, inverse != 0);
          for (size_t k = 0; k < row.size(); ++k) {
            CHECK_NEAR(float_at(y, place(k)), expected[k].real(), 1e-5, 1e-4);
            CHECK_NEAR(float_at(y, place(k) + 1), expected[k].imag(), 1e-5, 1e-4);
          }
        }
      }
    }
  }
}

TEST(dft, half_the_bins_of_a_real_signal_give_it_back) {
  Random random(112);
  for (const int64_t n : {5, 8, 12}) {
    const Tensor x = random.floats({3, n, 1});
    const Op forward{"DFT", 20, {Attribute::of_int("onesided", 1)}};
    const Tensor bins = run_one(forward, {x});
    CHECK_EQ(bins.dims(), (Dims{3, n / 2 + 1, 2}));
    const Op back{"DFT", 20, {Attribute::of_int("onesided", 1), Attribute::of_int("inverse", 1)}};
    const Tensor y = run_one(back, {bins, int64s({n}), int64s({1})});
    CHECK_EQ(y.dims(), (Dims{3, n, 1}));
    for (size_t i = 0; i < x.elements<float>().size(); ++i)
      CHECK_NEAR(float_at(y, i), float_at(x, i), 1e-5, 1e-5);
  }
  CHECK_EQ(run_one({"DFT", 17}, {random.floats({2, 6, 1}), Tensor::scalar<int64_t>(9)}).dims(),
           (Dims{2, 9, 2}));
  CHECK_CODE(run_op({"DFT", 17}, {random.floats({2, 6, 3})}), Code::kInvalidArgument);
  CHECK_CODE(run_op({"DFT", 20}, {random.floats({2, 6, 1}), {}, int64s({-1})}),
             Code::kInvalidArgument);
}

TEST(stft, is_the_dft_of_each_weighted_frame) {
  Random random(113);
  const Tensor x = random.floats({2, 20, 1}), window = random.floats({8});
  const Tensor y = run_one({"STFT", 17}, {x, Tensor::scalar<int64_t>(3), window});
  CHECK_EQ(y.dims(), (Dims{2, 5, 5, 2}));
  for (size_t b = 0; b < 2; ++b) {
    for (size_t f = 0; f < 5; ++f) {
      std::vector<Complex> frame;
      for (size_t i = 0; i < 8; ++i)
        frame.emplace_back(float_at(x, b * 20 + f * 3 + i) * float_at(window, i), 0);
      const auto expected = transform(frame, false);
      for (size_t k = 0; k < 5; ++k) {
        CHECK_NEAR(float_at(y, ((b * 5 + f) * 5 + k) * 2), expected[k].real(), 1e-5, 1e-4);
        CHECK_NEAR(float_at(y, ((b * 5 + f) * 5 + k) * 2 + 1), expected[k].imag(), 1e-5, 1e-4);
      }
    }
  }
  CHECK_CODE(run_op({"STFT", 17}, {x, Tensor::scalar<int64_t>(0), window}), Code::kInvalidArgument);
}

TEST(losses, weigh_and_ignore_classes) {
  const Tensor x = tensor<float>({2, 3}, {-1, -2, -3, -4, -5, -6});
  const Tensor weights = tensor<float>({3}, {1, 2, 4});
  const auto loss = [&](const char* reduction, const Tensor& target) {
    return run_op(
        {"NegativeLogLikelihoodLoss",
         13,
         {Attribute::of_string("reduction", reduction), Attribute::of_int("ignore_index", -7)}},
        {x, target, weights});
  };
  CHECK(holds<float>((*loss("none", int64s({1, 2})))[0], {2}, {4, 24}));
  CHECK(holds<float>((*loss("sum", int64s({1, 2})))[0], {}, {28}));
  CHECK(holds<float>((*loss("mean", int64s({1, 2})))[0], {}, {28.0f / 6}));
  CHECK(holds<float>((*loss("mean", int64s({-7, 2})))[0], {}, {6}));
  CHECK_CODE(loss("mean", int64s({3, 0})), Code::kInvalidArgument);
  CHECK_CODE(loss("mean", int64s({-1, 0})), Code::kInvalidArgument);
}

// y = softmax(q k^T scale + bias) v for one head.
void check_attention(int64_t queries, int64_t keys, bool causal, Random& random) {
  const Tensor q = random.floats({1, 1, queries, 4}), k = random.floats({1, 1, keys, 4});
  const Tensor v = random.floats({1, 1, keys, 3}), mask = random.floats({queries, keys});
  const Op op{"Attention", 23, {Attribute::of_int("is_causal", causal ? 1 : 0)}};
  const Tensor y = run_one(op, {q, k, v, mask});
  for (int64_t i = 0; i < queries; ++i) {
    std::vector<double> p;
    double sum = 0;
    for (int64_t j = 0; j < keys; ++j) {
      double score = float_at(mask, static_cast<size_t>(i * keys + j));
      for (int64_t d = 0; d < 4; ++d) {
        score += float_at(q, static_cast<size_t>(i * 4 + d)) *
                 float_at(k, static_cast<size_t>(j * 4 + d)) / 2;
      }
      p.push_back(causal && j > i ? 0 : std::exp(score));
      sum += p.back();
    }
    for (int64_t d = 0; d < 3; ++d) {
      double expected = 0;
      for (int64_t j = 0; j < keys; ++j) {
        expected += p[static_cast<size_t>(j)] / sum * float_at(v, static_cast<size_t>(j * 3 + d));
      }
      CHECK_NEAR(float_at(y, static_cast<size_t>(i * 3 + d)), expected, 1e-4, 1e-5);
    }
  }
}

TEST(attention, weighs_values_by_softmax) {
  Random random(114);
  check_attention(5, 7, false, random);
  check_attention(5, 7, true, random);
  check_attention(1, 40, false, random);
  const Tensor q = random.floats({1, 4, 2, 8}), k = random.floats({1, 2, 3, 8});
  CHECK_EQ(run_one({"Attention", 23}, {q, k, k}).dims(), (Dims{1, 4, 2, 8}));
  CHECK_CODE(run_op({"Attention", 23}, {q, random.floats({1, 3, 3, 8}), k}),
             Code::kInvalidArgument);
  CHECK_CODE(run_op({"Attention", 23}, {q, k, random.floats({1, 2, 4, 8})}),
             Code::kInvalidArgument);
  CHECK_CODE(run_op({"Attention", 23}, {q, k, k, random.floats({3, 3})}), Code::kInvalidArgument);
}

// Triangles between three neighbours of the corners, which are as far apart as mels are.
TEST(mel_weights, are_triangles_between_the_corners) {
  constexpr int64_t kBins = 7, kLength = 256, kRate = 16000;
  const Tensor y =
      run_one({"MelWeightMatrix", 17},
              {tensor<int64_t>({}, {kBins}), tensor<int64_t>({}, {kLength}),
               tensor<int64_t>({}, {kRate}), tensor<float>({}, {100}), tensor<float>({}, {7000})});
  CHECK_EQ(y.dims(), (Dims{kLength / 2 + 1, kBins}));
  const auto mel = [](double f) { return 2595 * std::log10(1 + f / 700); };
  const auto corner = [&](int64_t i) {
    const double at = mel(100) + static_cast<double>(i) * (mel(7000) - mel(100)) / (kBins + 2);
    return std::floor((kLength + 1) * 700 * (std::pow(10, at / 2595) - 1) / kRate);
  };
  for (int64_t i = 0; i < y.element_count(); ++i) {
    const auto row = static_cast<double>(i / kBins);
    const double low = corner(i % kBins), centre = corner(i % kBins + 1),
                 high = corner(i % kBins + 2);
    const double expected = row <= low || row >= high ? 0
                            : row < centre            ? (row - low) / (centre - low)
                                                      : (high - row) / (high - centre);
    CHECK_NEAR(float_at(y, static_cast<size_t>(i)), expected, 1e-6, 1e-6);
  }
}

TEST(grid_sample, an_affine_identity_gives_the_image_back) {
  Random random(115);
  const Tensor theta = tensor<float>({1, 2, 3}, {1, 0, 0, 0, 1, 0});
  const Tensor x = random.floats({1, 2, 4, 5});
  for (const int64_t align : {0, 1}) {
    const Attribute corners = Attribute::of_int("align_corners", align);
    const Tensor grid = run_one({"AffineGrid", 20, {corners}}, {theta, int64s({1, 2, 4, 5})});
    CHECK_EQ(grid.dims(), (Dims{1, 4, 5, 2}));
    for (const char* mode : {"linear", "nearest", "cubic"}) {
      for (const char* padding : {"zeros", "border", "reflection"}) {
        const Op op{"GridSample",
                    20,
                    {corners, Attribute::of_string("mode", mode),
                     Attribute::of_string("padding_mode", padding)}};
        const Tensor y = run_one(op, {x, grid});
        for (size_t i = 0; i < 40; ++i) CHECK_NEAR(float_at(y, i), float_at(x, i), 1e-4, 1e-4);
      }
    }
  }
}

Op bilinear(const char* padding, int64_t align) {
  return {"GridSample",
          20,
          {Attribute::of_int("align_corners", align), Attribute::of_string("mode", "linear"),
           Attribute::of_string("padding_mode", padding)}};
}

Tensor as_doubles(const Tensor& x) {
  const auto numbers = x.elements<float>();
  return Tensor::from<double>(x.dims(), std::vector<double>(numbers.begin(), numbers.end()));
}

TEST(grid_sample, places_beyond_all_pixels_read_the_border_on_their_side) {
  const Tensor line = Tensor::from<float>({1, 1, 1, 3}, std::vector<float>{5, 6, 7});
  const Tensor lines = Tensor::from<float>({1, 1, 2, 3}, std::vector<float>{5, 6, 7, 5, 6, 7});
  const float far = 1e20f, never = INFINITY;
  const Tensor grid = Tensor::from<float>(
      {1, 1, 5, 2}, std::vector<float>{far, 0, -far, 0, never, 0, -never, 0, NAN, 0});
  for (const char* mode : {"linear", "nearest"}) {
    for (const int64_t align : {0, 1}) {
      const Op op{"GridSample",
                  20,
                  {Attribute::of_int("align_corners", align), Attribute::of_string("mode", mode),
                   Attribute::of_string("padding_mode", "border")}};
      const float expected[] = {7, 5, 7, 5, 5};
      for (const Tensor& x : {line, lines}) {
        const Tensor y = run_one(op, {x, grid});
        for (size_t i = 0; i < 5; ++i) CHECK_EQ(float_at(y, i), expected[i]);
      }
    }
  }
}

// The weight of a pixel so far from the place.
double nearest_or_cubic_weight(bool is_cubic, double distance) {
  const double d = std::fabs(distance), a = -0.75;
  if (!is_cubic) return d < 0.5 ? 1 : 0;
  if (d < 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

// One output pixel with zeros outside, or the border; no place is half way between two pixels.
double plain_sample(const Tensor& x, int64_t plane, bool is_cubic, bool align, bool has_border,
                    double across, double down) {
  const int64_t height = x.dims()[2], width = x.dims()[3], beyond = has_border ? 40 : 0;
  const auto at = [&](double place, int64_t size) {
    const auto n = static_cast<double>(size);
    return align ? (place + 1) / 2 * (n - 1) : ((place + 1) * n - 1) / 2;
  };
  double sum = 0;
  for (int64_t i = -beyond; i < height + beyond; ++i) {
    for (int64_t j = -beyond; j < width + beyond; ++j) {
      const double w = nearest_or_cubic_weight(is_cubic, at(down, height) - double(i)) *
                       nearest_or_cubic_weight(is_cubic, at(across, width) - double(j));
      const int64_t row = std::clamp<int64_t>(i, 0, height - 1);
      const int64_t column = std::clamp<int64_t>(j, 0, width - 1);
      sum += w * float_at(x, static_cast<size_t>((plane * height + row) * width + column));
    }
  }
  return sum;
}

TEST(grid_sample, the_nearest_and_cubic_places_agree_with_plain_loops) {
  Random random(117);
  const Dims images[] = {{1, 1, 2, 2}, {2, 3, 5, 7}, {1, 2, 9, 16}, {2, 1, 1, 4}};
  for (const Dims& dims : images) {
    const Tensor x = random.floats(dims), places = random.floats({dims[0], 6, 11, 2});
    // Some lie outside.
    auto* place = const_cast<float*>(places.elements<float>().data());
    for (int64_t i = 0; i < places.element_count(); i += 5) place[i] *= 1.237f;
    for (int form = 0; form < 8; ++form) {
      const bool is_cubic = form & 1, align = form & 2, has_border = form & 4;
      const Op op{"GridSample",
                  20,
                  {Attribute::of_string("mode", is_cubic ? "cubic" : "nearest"),
                   Attribute::of_string("padding_mode", has_border ? "border" : "zeros"),
                   Attribute::of_int("align_corners", align)}};
      const Tensor y = run_one(op, {x, places});
      for (int64_t i = 0; i < y.element_count(); ++i) {
        const int64_t plane = i / 66;
        const float* at = place + 2 * (plane / dims[1] * 66 + i % 66);
        CHECK_NEAR(
            float_at(y, static_cast<size_t>(i)),
            plain_sample(x, plane, is_cubic, align, has_border, double{at[0]}, double{at[1]}), 1e-4,
            1e-5);
      }
    }
  }
}

TEST(grid_sample, interpolates_floats_and_doubles_alike_inside_and_outside) {
  Random random(116);
  const Dims images[] = {{1, 1, 2, 2}, {2, 3, 2, 7}, {1, 5, 6, 5}, {2, 2, 1, 4}, {1, 2, 9, 1}};
  for (const Dims& dims : images) {
    for (const int64_t width : {1, 2, 3, 5, 67}) {
      const Tensor x = random.floats(dims);
      const Tensor places = random.floats({dims[0], 7, width, 2});
      auto* place = const_cast<float*>(places.elements<float>().data());
      for (int64_t i = 0; i < places.element_count(); i += 3) place[i] *= 1.7f;  // also outside
      for (const char* padding : {"zeros", "border", "reflection"}) {
        for (const int64_t align : {0, 1}) {
          const Tensor y = run_one(bilinear(padding, align), {x, places});
          const Tensor exact =
              run_one(bilinear(padding, align), {as_doubles(x), as_doubles(places)});
          CHECK_EQ(y.dims(), (Dims{dims[0], dims[1], 7, width}));
          for (size_t i = 0; i < static_cast<size_t>(y.element_count()); ++i) {
            CHECK_NEAR(float_at(y, i), exact.elements<double>()[i], 1e-5, 1e-5);
          }
        }
      }
    }
  }
}

TEST(grid_sample, does_not_read_beyond_the_border) {
  std::vector<float> pixels(16, INFINITY);
  pixels[0] = 2;
  pixels[15] = 3;
  const Tensor x = Tensor::from<float>({1, 1, 4, 4}, pixels);
  const Tensor places = tensor<float>({1, 1, 3, 2}, {-1.2f, -1.2f, 1.2f, 1.2f, 5.0f, NAN});
  const Tensor y = run_one(bilinear("zeros", 0), {x, places});
  CHECK_NEAR(float_at(y, 0), 0.02, 1e-6, 1e-5);
  CHECK_NEAR(float_at(y, 1), 0.03, 1e-6, 1e-5);
  CHECK_EQ(float_at(y, 2), 0.0);
}

TEST(det, follows_rows_that_change_places) {
  const Tensor x = tensor<double>({2, 2, 2}, {0, 2, 3, 4, 1, 2, 2, 4});
  CHECK(holds<double>(run_one({"Det", 11}, {x}), {2}, {-6, 0}));
  CHECK(holds<float>(run_one({"Det", 11}, {tensor<float>({1, 1}, {5})}), {}, {5}));
  CHECK_CODE(run_op({"Det", 11}, {tensor<float>({1, 2}, {5, 6})}), Code::kInvalidArgument);
}

}  // namespace
}  // namespace ortc::test
