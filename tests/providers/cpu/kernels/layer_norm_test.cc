// SPDX-License-Identifier: MIT
// Layer and RMS normalisations, with and without a residual, against the plain formulas.
#include <cmath>

#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu {
namespace {

using testing::NodeCase;
using testing::random_tensor;

struct NormalisedRows {
  std::vector<double> y, mean, inverse;
};

std::vector<double> as_vector(const Tensor& t) {
  return {t.elements<float>().begin(), t.elements<float>().end()};
}

NormalisedRows normalise(const std::vector<double>& x, size_t n, bool is_rms, double epsilon,
                         const Tensor& scale, const Tensor& bias) {
  NormalisedRows e;
  for (size_t r = 0; r < x.size() / n; ++r) {
    double mean = 0, square = 0;
    for (size_t i = 0; i < n && !is_rms; ++i) mean += x[r * n + i] / static_cast<double>(n);
    for (size_t i = 0; i < n; ++i) {
      square += (x[r * n + i] - mean) * (x[r * n + i] - mean) / static_cast<double>(n);
    }
    const double inverse = 1 / std::sqrt(square + epsilon);
    for (size_t i = 0; i < n; ++i) {
      double v = (x[r * n + i] - mean) * inverse;
      if (scale.is_defined()) v *= scale.elements<float>()[i];
      if (bias.is_defined()) v += bias.elements<float>()[i];
      e.y.push_back(v);
    }
    e.mean.push_back(mean);
    e.inverse.push_back(inverse);
  }
  return e;
}

TEST(layer_norm, normalises_from_the_axis_on_and_gives_statistics) {
  struct {
    Dims dims;
    int64_t axis;
    size_t n;
    Dims statistics;
  } cases[] = {{{300, 70}, -1, 70, {300, 1}}, {{4, 3, 50}, 1, 150, {4, 1, 1}}, {{8}, 0, 8, {1}}};
  for (const auto& c : cases) {
    const Tensor x = random_tensor(c.dims, 1, -3, 5);
    Dims weights(c.dims.begin() + static_cast<ptrdiff_t>(c.axis < 0 ? c.dims.size() - 1
                                                                    : static_cast<size_t>(c.axis)),
                 c.dims.end());
    const Tensor scale = random_tensor(weights, 2), bias = random_tensor(weights, 3);
    NodeCase node{"LayerNormalization",
                  "",
                  17,
                  {Attribute::of_int("axis", c.axis), Attribute::of_float("epsilon", 1e-3f)},
                  3};
    for (const Tensor& b : {bias, Tensor()}) {
      const NormalisedRows e = normalise(as_vector(x), c.n, false, 1e-3f, scale, b);
      testing::run_everywhere(node, {x, scale, b}, [&](const std::vector<Tensor>& outputs) {
        testing::check_close(outputs[0], c.dims, e.y, 1e-4, 1e-5);
        testing::check_close(outputs[1], c.statistics, e.mean, 1e-4, 1e-5);
        testing::check_close(outputs[2], c.statistics, e.inverse, 1e-4, 1e-5);
      });
    }
  }
}

TEST(layer_norm, normalises_many_short_rows) {
  for (size_t n = 1; n <= 33; ++n) {
    const auto width = static_cast<int64_t>(n);
    for (const int64_t rows : {7, 8, 300, 1000}) {
      const Tensor x = random_tensor({rows, width}, 1, -3, 5);
      const Tensor scale = random_tensor({width}, 2), bias = random_tensor({width}, 3);
      for (const bool is_rms : {false, true}) {
        const NormalisedRows e =
            normalise(as_vector(x), n, is_rms, 1e-5, scale, is_rms ? Tensor() : bias);
        const NodeCase node{is_rms ? "RMSNormalization" : "LayerNormalization", "",
                            is_rms ? 23 : 17};
        std::vector<Tensor> inputs = {x, scale};
        if (!is_rms) inputs.push_back(bias);
        testing::run_everywhere(node, inputs, [&](const std::vector<Tensor>& outputs) {
          testing::check_close(outputs[0], {rows, width}, e.y, 1e-4, 1e-4);
        });
      }
    }
  }
}

TEST(layer_norm, has_the_root_mean_square_form) {
  const Tensor x = random_tensor({20, 96}, 1, -3, 5), scale = random_tensor({96}, 2);
  const NormalisedRows e = normalise(as_vector(x), 96, true, 1e-5, scale, Tensor());
  testing::run_everywhere({"RMSNormalization", "", 23}, {x, scale},
                          [&](const std::vector<Tensor>& outputs) {
                            testing::check_close(outputs[0], {20, 96}, e.y, 1e-4, 1e-5);
                          });
  testing::run_everywhere({"SimplifiedLayerNormalization", "", 17, {}, 2}, {x, scale},
                          [&](const std::vector<Tensor>& outputs) {
                            testing::check_close(outputs[0], {20, 96}, e.y, 1e-4, 1e-5);
                            testing::check_close(outputs[1], {20, 1}, e.inverse, 1e-4, 1e-5);
                          });
}

TEST(layer_norm, adds_skip_and_bias_before_and_gives_the_sum) {
  const Tensor x = random_tensor({3, 20, 48}, 1), gamma = random_tensor({48}, 2);
  const Tensor beta = random_tensor({48}, 3), bias = random_tensor({48}, 4);
  for (const Dims& dims : {Dims{3, 20, 48}, Dims{1, 20, 48}, Dims{20, 48}}) {
    const Tensor skip = random_tensor(dims, 5);
    const size_t skip_size = skip.elements<float>().size();
    std::vector<double> sum = as_vector(x);
    for (size_t i = 0; i < sum.size(); ++i) {
      sum[i] += static_cast<double>(skip.elements<float>()[i % skip_size]) +
                bias.elements<float>()[i % 48];
    }
    const NormalisedRows e = normalise(sum, 48, false, 1e-12, gamma, beta);
    testing::run_everywhere({"SkipLayerNormalization", "com.microsoft", 1, {}, 4},
                            {x, skip, gamma, beta, bias}, [&](const std::vector<Tensor>& outputs) {
                              testing::check_close(outputs[0], x.dims(), e.y, 1e-4, 1e-4);
                              testing::check_close(outputs[1], {3, 20, 1}, e.mean, 1e-4, 1e-5);
                              testing::check_close(outputs[2], {3, 20, 1}, e.inverse, 1e-4, 1e-5);
                              testing::check_close(outputs[3], x.dims(), sum, 1e-5, 1e-6);
                            });
    const NormalisedRows rms = normalise(sum, 48, true, 1e-12, gamma, Tensor());
    testing::run_everywhere({"SkipSimplifiedLayerNormalization", "com.microsoft", 1},
                            {x, skip, gamma, bias}, [&](const std::vector<Tensor>& outputs) {
                              testing::check_close(outputs[0], x.dims(), rms.y, 1e-4, 1e-4);
                            });
  }
}

TEST(layer_norm, adds_skip_and_bias_to_many_short_rows) {
  for (const int64_t n : {1, 3, 16, 32, 33}) {
    const auto width = static_cast<size_t>(n);
    const Tensor x = random_tensor({2, 150, n}, 1, -3, 5), gamma = random_tensor({n}, 2);
    const Tensor beta = random_tensor({n}, 3), bias = random_tensor({n}, 4);
    for (const Dims& dims : {Dims{2, 150, n}, Dims{1, 150, n}}) {
      const Tensor skip = random_tensor(dims, 5);
      for (const Tensor& b : {bias, Tensor()}) {
        std::vector<double> sum = as_vector(x);
        for (size_t i = 0; i < sum.size(); ++i) {
          sum[i] += as_vector(skip)[i % skip.elements<float>().size()];
          if (b.is_defined()) sum[i] += double{b.elements<float>()[i % width]};
        }
        const NormalisedRows e = normalise(sum, width, false, 1e-3f, gamma, beta);
        const std::vector<Attribute> epsilon = {Attribute::of_float("epsilon", 1e-3f)};
        testing::run_everywhere({"SkipLayerNormalization", "com.microsoft", 1, epsilon},
                                {x, skip, gamma, beta, b}, [&](const std::vector<Tensor>& y) {
                                  testing::check_close(y[0], x.dims(), e.y, 1e-4, 1e-4);
                                });
        const NormalisedRows rms = normalise(sum, width, true, 1e-3f, gamma, Tensor());
        testing::run_everywhere({"SkipSimplifiedLayerNormalization", "com.microsoft", 1, epsilon},
                                {x, skip, gamma, b}, [&](const std::vector<Tensor>& y) {
                                  testing::check_close(y[0], x.dims(), rms.y, 1e-4, 1e-4);
                                });
      }
    }
  }
}

TEST(layer_norm, refuses_what_it_cannot_do) {
  const Tensor x = random_tensor({4, 6}, 1);
  CHECK_CODE(testing::evaluate({"LayerNormalization", "", 17, {Attribute::of_int("axis", 2)}},
                               {x, random_tensor({6}, 2)}, 1, host_isa()),
             Code::kInvalidArgument);
  CHECK_CODE(testing::evaluate({"SkipLayerNormalization", "com.microsoft", 1},
                               {x, random_tensor({3, 6}, 1), random_tensor({6}, 2)}, 1, host_isa()),
             Code::kInvalidArgument);
}

// y = norm(x) * scale + bias with numpy's broadcasting, for a 3-D x and weights of three dims.
std::vector<double> normalise_broadcast(const Tensor& x, const Tensor& scale, const Tensor& bias,
                                        size_t n) {
  const NormalisedRows plain = normalise(as_vector(x), n, false, 1e-5, Tensor(), Tensor());
  const auto at = [&](const Tensor& weight, int64_t i) {
    int64_t place = 0, step = 1;
    for (size_t d = 3; d-- > 0; i /= x.dims()[d]) {
      place += weight.dims()[d] == 1 ? 0 : i % x.dims()[d] * step;
      step *= weight.dims()[d];
    }
    return static_cast<double>(weight.elements<float>()[static_cast<size_t>(place)]);
  };
  std::vector<double> y;
  for (int64_t i = 0; i < x.element_count(); ++i) {
    y.push_back(plain.y[static_cast<size_t>(i)] * at(scale, i) + at(bias, i));
  }
  return y;
}

TEST(layer_norm, broadcasts_scale_and_bias_and_computes_in_double) {
  const Dims dims = {4, 3, 50};
  const Tensor x = random_tensor(dims, 1, -3, 5);
  const std::vector<std::pair<Dims, Dims>> weights = {{{1, 1, 50}, {1, 3, 1}},
                                                      {{4, 3, 50}, {1, 1, 1}},
                                                      {{4, 1, 1}, {4, 3, 50}},
                                                      {{1, 3, 50}, {1, 3, 50}}};
  for (const int64_t axis : {1, 2}) {
    const NodeCase node{"LayerNormalization", "", 17, {Attribute::of_int("axis", axis)}};
    for (const auto& [scale_dims, bias_dims] : weights) {
      const Tensor scale = random_tensor(scale_dims, 2), bias = random_tensor(bias_dims, 3);
      const auto y = normalise_broadcast(x, scale, bias, axis == 1 ? 150 : 50);
      testing::run_everywhere(node, {x, scale, bias}, [&](const std::vector<Tensor>& outputs) {
        testing::check_close(outputs[0], dims, y, 1e-4, 1e-5);
      });
      using testing::as_doubles;
      testing::run_everywhere(node, {as_doubles(x), as_doubles(scale), as_doubles(bias)},
                              [&](const std::vector<Tensor>& outputs) {
                                CHECK_EQ(outputs[0].dtype(), DType::kFloat64);
                                testing::check_close(outputs[0], dims, y, 1e-9, 1e-9);
                              });
    }
  }
}

TEST(layer_norm, gives_statistics_in_double_where_the_stash_is) {
  const Tensor x = testing::as_doubles(random_tensor({1, 5}, 1));
  const Tensor scale = testing::as_doubles(random_tensor({5}, 2));
  double mean = 0, squares = 0;
  for (const double v : x.elements<double>()) mean += v / 5;
  for (const double v : x.elements<double>()) squares += (v - mean) * (v - mean);
  const testing::NodeCase what{
      "LayerNormalization", "", 17, {Attribute::of_int("stash_type", 11)}, 3};
  const double inverse = 1 / std::sqrt(squares / 5 + static_cast<double>(1e-5f));
  testing::run_everywhere(what, {x, scale}, [&](const std::vector<Tensor>& outputs) {
    testing::check_close(outputs[1], {1, 1}, {mean}, 1e-14, 1e-15);
    testing::check_close(outputs[2], {1, 1}, {inverse}, 1e-14, 0);
  });
}

TEST(layer_norm, refuses_weights_that_would_widen_x) {
  const Tensor x = random_tensor({3, 4}, 1);
  for (const Dims& dims : {Dims{2, 3, 4}, Dims{3}, Dims{2, 4}}) {
    CHECK_CODE(testing::evaluate({"LayerNormalization", "", 17}, {x, random_tensor(dims, 2)}, 1,
                                 host_isa()),
               Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace ortc::cpu
