// SPDX-License-Identifier: MIT
// ortc.Gemm against plain double loops: shapes, epilogues, divisions, broken records.
#include "tests/providers/cpu/arith/arith_testing.h"
#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu {
namespace {

using testing::NodeCase;
using testing::random_tensor;

struct Product {
  Dims a_dims;
  int64_t n = 1;
  bool trans_b = false, bias = false, residual = false;
  float alpha = 1.0f;
  const char* activation = "";
  float act_alpha = 0.0f, act_beta = 0.0f;
};

ActivationF32 activation_of(const Product& p) {
  static constexpr std::pair<const char*, Activation> kNames[] = {
      {"", Activation::kNone},
      {"Relu", Activation::kRelu},
      {"Clip", Activation::kClip},
      {"Gelu", Activation::kGelu},
      {"Silu", Activation::kSilu},
      {"Mish", Activation::kMish},
      {"GeluTanh", Activation::kGeluTanh},
      {"Tanh", Activation::kTanh},
      {"Sigmoid", Activation::kSigmoid},
      {"HardSwish", Activation::kHardSwish},
      {"LeakyRelu", Activation::kLeakyRelu}};
  for (const auto& [name, kind] : kNames) {
    if (std::string_view(name) == p.activation) return {kind, p.act_alpha, p.act_beta, p.act_alpha};
  }
  CHECK(false);
  return {};
}

std::vector<Tensor> operands(const Product& p) {
  const int64_t k = p.a_dims.back();
  Dims out = p.a_dims;
  out.back() = p.n;
  std::vector<Tensor> inputs = {
      random_tensor(p.a_dims, 1), random_tensor(p.trans_b ? Dims{p.n, k} : Dims{k, p.n}, 2),
      p.bias ? random_tensor({p.n}, 3) : Tensor(), p.residual ? random_tensor(out, 4) : Tensor()};
  return inputs;
}

std::vector<double> plain_product(const Product& p, const std::vector<Tensor>& inputs) {
  const auto k = static_cast<size_t>(p.a_dims.back()), n = static_cast<size_t>(p.n);
  const auto a = inputs[0].elements<float>(), b = inputs[1].elements<float>();
  const size_t m = k == 0 ? 0 : a.size() / k;
  std::vector<double> y(m * n);
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (size_t l = 0; l < k; ++l) {
        sum += static_cast<double>(a[i * k + l]) * b[p.trans_b ? j * k + l : l * n + j];
      }
      sum *= p.alpha;
      if (p.bias) sum += inputs[2].elements<float>()[j];
      if (p.residual) sum += inputs[3].elements<float>()[i * n + j];
      y[i * n + j] = testing::activate(activation_of(p), sum);
    }
  }
  return y;
}

NodeCase product_node(const Product& p) {
  NodeCase node{"Gemm", std::string(kInternalDomain), 0, {}, 1};
  node.attributes = {Attribute::of_int("transB", p.trans_b ? 1 : 0),
                     Attribute::of_float("alpha", p.alpha),
                     Attribute::of_string("activation", p.activation),
                     Attribute::of_float("activation_alpha", p.act_alpha),
                     Attribute::of_float("activation_beta", p.act_beta)};
  return node;
}

void check_product(const Product& p) {
  const auto inputs = operands(p);
  Dims dims = p.a_dims;
  dims.back() = p.n;
  const auto y = plain_product(p, inputs);
  testing::run_everywhere(product_node(p), inputs, [&](const std::vector<Tensor>& outputs) {
    testing::check_close(outputs[0], dims, y, 1e-4, 1e-4);
  });
}

TEST(gemm, agrees_with_plain_loops_in_many_shapes) {
  check_product({.a_dims = {1, 64}, .n = 100});
  check_product({.a_dims = {64}, .n = 33, .trans_b = true});
  check_product({.a_dims = {7, 5}, .n = 1});
  check_product({.a_dims = {2, 3, 50, 40}, .n = 70, .alpha = 0.25f});
  check_product({.a_dims = {300, 900}, .n = 130});
  check_product({.a_dims = {1, 1000}, .n = 1500, .trans_b = true});
}

TEST(gemm, applies_bias_residual_and_activation_in_this_order) {
  for (const char* activation : {"", "Relu", "Clip", "Gelu", "GeluTanh", "Silu", "Sigmoid", "Tanh",
                                 "HardSwish", "LeakyRelu"}) {
    check_product({.a_dims = {30, 20},
                   .n = 40,
                   .bias = true,
                   .residual = true,
                   .alpha = 2.0f,
                   .activation = activation,
                   .act_alpha = 0.1f,
                   .act_beta = 0.9f});
  }
  check_product({.a_dims = {200, 300}, .n = 300, .bias = true, .activation = "Relu"});
  check_product({.a_dims = {200, 300}, .n = 300, .residual = true});
}

// On both sides of where columns meet rows one by one.
TEST(gemm, agrees_with_plain_loops_for_a_few_columns) {
  for (int64_t m = 1; m <= 67; m += m < 20 ? 3 : 1) {
    const int64_t n = m % 12 + 1, k = n * (6 + m % 5);
    check_product({.a_dims = {m, k}, .n = n});
    check_product({.a_dims = {m, k}, .n = n, .trans_b = true, .bias = true, .alpha = 0.5f});
    check_product({.a_dims = {m, k}, .n = n, .bias = true, .residual = true});
    check_product({.a_dims = {m, k}, .n = n, .activation = "Sigmoid"});
  }
  for (int64_t k = 1; k <= 9; ++k) {
    check_product({.a_dims = {5 * k + 11, k}, .n = 9 - k % 4});
    check_product({.a_dims = {200, k}, .n = k, .bias = true, .alpha = 0.5f, .activation = "Relu"});
  }
  for (const int64_t n : {1, 2, 3, 7, 8, 9, 10}) {
    check_product({.a_dims = {2, 200, 97}, .n = n, .bias = true, .activation = "Relu"});
    check_product({.a_dims = {130, 1600}, .n = n, .alpha = 2.0f, .activation = "Tanh"});
  }
}

TEST(gemm, takes_empty_rows) { check_product({.a_dims = {0, 8}, .n = 5}); }

TEST(gemm, refuses_what_does_not_fit) {
  const Product p{.a_dims = {3, 4}, .n = 5, .bias = true};
  auto inputs = operands(p);
  inputs[0] = random_tensor({3, 6}, 1);
  CHECK_CODE(testing::evaluate(product_node(p), inputs, 1, host_isa()), Code::kInvalidArgument);
  inputs = operands(p);
  inputs[2] = random_tensor({4}, 1);
  CHECK_CODE(testing::evaluate(product_node(p), inputs, 1, host_isa()), Code::kInvalidGraph);
  NodeCase node = product_node(p);
  node.attributes = {Attribute::of_string("activation", "Swirl")};
  CHECK_CODE(testing::evaluate(node, operands(p), 1, host_isa()), Code::kInvalidGraph);
}

struct GemmRecord {
  uint32_t record_bytes = 40, reserved = 0;
  int64_t k = 4, n = 5;
  uint32_t activation = 0;
  float alpha = 0, beta = 0, scale = 1;
};

TEST(gemm, bind_refuses_broken_records) {
  testing::RawBind raw{"gemm.f32", {}, {random_tensor({3, 4}, 1), random_tensor({128}, 2)}};
  raw.set_params(GemmRecord{});
  CHECK_OK(raw.bind());
  const auto refused = [&](GemmRecord record) {
    raw.set_params(record);
    CHECK(!raw.bind().is_ok());
  };
  refused({.n = 33});
  refused({.n = -1});
  refused({.k = int64_t{1} << 40, .n = int64_t{1} << 40});
  refused({.n = INT64_MAX});
  refused({.activation = 99});
  raw.set_params(uint32_t{40});
  CHECK_CODE(raw.bind(), Code::kInvalidGraph);
  raw.set_params(GemmRecord{});
  raw.inputs.pop_back();
  CHECK_CODE(raw.bind(), Code::kInvalidGraph);
}

}  // namespace
}  // namespace ortc::cpu
