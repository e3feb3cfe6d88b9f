// SPDX-License-Identifier: MIT
// Integer products as operators: ONNX's own against plain sums, the internal ones against ONNX's,
// int8 and uint8 operands, zero points, every kind of result.
#include <cmath>

#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

Tensor zero_points(DType dtype, std::vector<int> values, bool is_scalar = false) {
  const Dims dims = is_scalar ? Dims{} : Dims{static_cast<int64_t>(values.size())};
  Tensor tensor = Tensor::create(dtype, dims).value();
  for (size_t i = 0; i < values.size(); ++i) {
    static_cast<uint8_t*>(tensor.mutable_data())[i] = static_cast<uint8_t>(values[i]);
  }
  return tensor;
}

// sum (a - a_zero) (b - b_zero[n]) for a [m, k] and b [k, n].
std::vector<int32_t> sums(const Tensor& a, int a_zero, const Tensor& b,
                          const std::vector<int>& b_zero) {
  const int64_t m = a.dims()[0], k = a.dims()[1], n = b.dims()[1];
  std::vector<int32_t> y;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      int32_t sum = 0;
      const int zero = b_zero.size() == 1 ? b_zero[0] : b_zero[size_t(j)];
      for (int64_t x = 0; x < k; ++x)
        sum += (byte_at(a, i * k + x) - a_zero) * (byte_at(b, x * n + j) - zero);
      y.push_back(sum);
    }
  }
  return y;
}

struct OperandTypes {
  DType a, b;
  bool many_zeros;
};
constexpr OperandTypes kOperandTypes[] = {{DType::kUint8, DType::kInt8, false},
                                          {DType::kUint8, DType::kUint8, true},
                                          {DType::kInt8, DType::kInt8, true},
                                          {DType::kInt8, DType::kUint8, false}};

TEST(quantised_products, integer_matrices_are_exact_plain_and_packed) {
  Random random(1);
  for (const OperandTypes& c : kOperandTypes) {
    for (const int64_t k : {1, 7, 64}) {
      const Tensor a = random.bytes(c.a, {5, k}), b = random.bytes(c.b, {k, 37});
      std::vector<int> zeros = {9};
      if (c.many_zeros) {
        zeros.clear();
        for (int j = 0; j < 37; ++j) zeros.push_back(static_cast<int>(random.between(0, 100)));
      }
      const auto expected = Tensor::from<int32_t>({5, 37}, sums(a, 33, b, zeros));
      const std::vector<Tensor> inputs = {a, b, zero_points(c.a, {33}, true),
                                          zero_points(c.b, zeros)};
      CHECK(same_bits(run_one({"MatMulInteger", 10}, inputs), expected));
      CHECK(same_bits(run_one({"QGemm", 1, {}, 1, kOwnDomain}, inputs), expected));
      Tensor turned = Tensor::create(c.b, {37, k}).value();
      for (int64_t i = 0; i < k * 37; ++i) {
        static_cast<uint8_t*>(turned.mutable_data())[i % 37 * k + i / 37] =
            static_cast<const uint8_t*>(b.data())[i];
      }
      CHECK(same_bits(run_one({"QGemm", 1, {Attribute::of_int("transB", 1)}, 1, kOwnDomain},
                              {a, turned, inputs[2], inputs[3]}),
                      expected));
    }
  }
}

TEST(quantised_products, results_are_rounded_as_qlinear_matmul_says) {
  Random random(2);
  for (const OperandTypes& c : kOperandTypes) {
    const Tensor a = random.bytes(c.a, {9, 33}), b = random.bytes(c.b, {33, 40});
    const Tensor a_zero = zero_points(c.a, {12}, true), b_zero = zero_points(c.b, {3}, true);
    const Tensor y_zero = zero_points(c.a, {50}, true);
    std::vector<float> scales;
    for (int j = 0; j < 40; ++j) scales.push_back(0.01f + 0.001f * static_cast<float>(j));
    const auto acc = sums(a, 12, b, {3});
    const Tensor plain = run_one(
        {"QLinearMatMul", 21},
        {a, f32s({}, {0.02f}), a_zero, b, f32s({40}, scales), b_zero, f32s({}, {0.5f}), y_zero});
    std::vector<float> factors;
    for (const float s : scales) factors.push_back(0.02f * s);
    const Tensor packed =
        run_one({"QGemm", 1, {Attribute::of_float("y_scale", 0.5f)}, 1, kOwnDomain},
                {a, b, a_zero, b_zero, f32s({40}, factors), {}, {}, {}, {}, y_zero});
    const int lo = c.a == DType::kInt8 ? -128 : 0;
    for (int64_t i = 0; i < 9 * 40; ++i) {
      const double v = std::nearbyint(acc[size_t(i)] * double(factors[size_t(i) % 40]) / 0.5) + 50;
      const int expected = static_cast<int>(std::fmin(std::fmax(v, lo), lo + 255));
      CHECK_NEAR(double(byte_at(plain, i)), double(expected), 0, 1);
      CHECK_NEAR(double(byte_at(packed, i)), double(expected), 0, 1);
    }
  }
}

TEST(quantised_products, floats_get_bias_residual_activation_and_a_run_time_scale) {
  Random random(3);
  const Tensor a = random.bytes(DType::kUint8, {2, 3, 20}), b = random.bytes(DType::kInt8, {20, 6});
  const Tensor scale = f32s({6}, {0.01f, 0.02f, 0.03f, 0.01f, 0.02f, 0.03f});
  const Tensor bias = random.floats({6}), residual = random.floats({2, 3, 6});
  const auto acc = sums(a.reshaped({6, 20}), 128, b, {0});
  const Tensor y = run_one({"QGemm",
                            1,
                            {Attribute::of_string("activation", "LeakyRelu"),
                             Attribute::of_float("activation_alpha", 0.5f)},
                            1,
                            kOwnDomain},
                           {a,
                            b,
                            zero_points(DType::kUint8, {128}, true),
                            {},
                            scale,
                            f32s({}, {0.5f}),
                            {},
                            bias,
                            residual});
  CHECK_EQ(y.dims(), (Dims{2, 3, 6}));
  for (size_t i = 0; i < 36; ++i) {
    double v = acc[i] * 0.5 * double(scale.elements<float>()[i % 6]) +
               double(bias.elements<float>()[i % 6]) + double(residual.elements<float>()[i]);
    if (v < 0) v *= 0.5;
    CHECK_NEAR(double(y.elements<float>()[i]), v, 1e-5, 1e-5);
  }
}

TEST(quantised_products, computed_matrices_are_multiplied_in_batches) {
  Random random(4);
  for (const OperandTypes& c : kOperandTypes) {
    const Tensor a = random.bytes(c.a, {2, 3, 50, 10}), b = random.bytes(c.b, {3, 10, 33});
    const Tensor y = run_one({"QMatMul",
                              1,
                              {Attribute::of_float("scale", 0.01f), Attribute::of_int("a_zero", 5),
                               Attribute::of_int("b_zero", 7)},
                              1,
                              kOwnDomain},
                             {a, b});
    CHECK_EQ(y.dims(), (Dims{2, 3, 50, 33}));
    const Tensor integer = run_one(
        {"MatMulInteger", 10}, {a, b, zero_points(c.a, {5}, true), zero_points(c.b, {7}, true)});
    for (size_t i = 0; i < 2 * 3 * 50 * 33; ++i) {
      CHECK_EQ(y.elements<float>()[i], static_cast<float>(integer.elements<int32_t>()[i]) * 0.01f);
    }
  }
}

// x [n, h, w, c] from [n, c, h, w].
Tensor channels_last(const Tensor& x) {
  return run_one({"Transpose", 13, {Attribute::of_ints("perm", {0, 2, 3, 1})}}, {x});
}

TEST(quantised_products, convolutions_are_exact_plain_and_channels_last) {
  Random random(5);
  struct Shape {
    int64_t in_c, out_c, groups, kernel;
  };
  for (const OperandTypes& c : kOperandTypes) {
    for (const Shape s :
         {Shape{3, 5, 1, 3}, Shape{8, 40, 1, 1}, Shape{8, 6, 2, 3}, Shape{6, 6, 6, 3},
          // Some filters for each channel.
          Shape{6, 12, 6, 3}, Shape{6, 18, 6, 1}, Shape{6, 48, 6, 3}, Shape{6, 54, 6, 3},
          // Groups that are joined: all, some of them, none.
          Shape{20, 20, 4, 3}, Shape{15, 30, 5, 1}, Shape{24, 60, 4, 3}, Shape{10, 70, 2, 3},
          Shape{28, 21, 7, 3}}) {
      const Tensor x = random.bytes(c.a, {2, s.in_c, 7, 6});
      const Tensor w = random.bytes(c.b, {s.out_c, s.in_c / s.groups, s.kernel, s.kernel});
      const bool is_symmetric = s.groups == 6 && c.b == DType::kInt8;  // has a form of its own
      std::vector<int> zeros(c.many_zeros ? size_t(s.out_c) : 1, is_symmetric ? 0 : 4);
      for (size_t i = 0; i < zeros.size() && !is_symmetric; ++i)
        zeros[i] += static_cast<int>(i % 3);
      const std::vector<Attribute> attributes = {Attribute::of_ints("pads", {1, 0, 1, 0}),
                                                 Attribute::of_ints("strides", {2, 1}),
                                                 Attribute::of_int("group", s.groups)};
      const std::vector<Tensor> inputs = {x, w, zero_points(c.a, {100}, true),
                                          zero_points(c.b, zeros)};
      const Tensor plain = run_one({"ConvInteger", 10, attributes}, inputs);
      std::vector<Tensor> turned = inputs;
      turned[0] = channels_last(x);
      CHECK(same_bits(run_one({"QConv", 1, attributes, 1, kOwnDomain}, turned),
                      channels_last(plain)));

      const Tensor y_zero = zero_points(c.a, {10}, true);
      const Tensor bias =
          Tensor::from<int32_t>({s.out_c}, std::vector<int32_t>(size_t(s.out_c), 77));
      const Tensor rounded = run_one({"QLinearConv", 10, attributes},
                                     {x, f32s({}, {0.02f}), inputs[2], w, f32s({}, {0.03f}),
                                      inputs[3], f32s({}, {0.9f}), y_zero, bias});
      auto qattributes = attributes;
      qattributes.push_back(Attribute::of_float("y_scale", 0.9f));
      const Tensor packed =
          run_one({"QConv", 1, qattributes, 1, kOwnDomain}, {turned[0],
                                                             w,
                                                             inputs[2],
                                                             inputs[3],
                                                             f32s({}, {0.02f * 0.03f}),
                                                             {},
                                                             bias,
                                                             {},
                                                             {},
                                                             y_zero});
      CHECK(same_bits(packed, channels_last(rounded)));
    }
  }
}

TEST(quantised_products, limits_of_relu_and_clip_hold_after_rounding) {
  const Tensor a = zero_points(DType::kUint8, {10}).reshaped({1, 1});
  const Tensor b = zero_points(DType::kInt8, {-100, -1, 0, 1, 100}).reshaped({1, 5});
  const std::vector<Tensor> inputs = {a,  b,  {}, {}, f32s({}, {0.1f}),
                                      {}, {}, {}, {}, zero_points(DType::kUint8, {100}, true)};
  const auto y = [&](const char* activation) {
    return run_one(
        {"QGemm",
         1,
         {Attribute::of_string("activation", activation),
          Attribute::of_float("activation_alpha", -2.0f),
          Attribute::of_float("activation_beta", 30.0f), Attribute::of_float("y_scale", 1.0f)},
         1,
         kOwnDomain},
        inputs);
  };
  CHECK(holds<uint8_t>(y(""), {1, 5}, {0, 99, 100, 101, 200}));
  CHECK(holds<uint8_t>(y("Relu"), {1, 5}, {100, 100, 100, 101, 200}));
  CHECK(holds<uint8_t>(y("Clip"), {1, 5}, {98, 99, 100, 101, 130}));
}

}  // namespace
}  // namespace ortc::test
