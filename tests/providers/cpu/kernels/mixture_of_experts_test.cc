// SPDX-License-Identifier: MIT
// MoE beside its formula in doubles, of one token, of few and of many.
#include <cmath>

#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu {
namespace {

using testing::random_tensor;

constexpr int64_t kHidden = 70, kInner = 100, kExperts = 4;

struct Experts {
  Tensor x, router, first, bias1, second, bias2, third, bias3;

  Experts(int64_t tokens, int64_t wide)
      : x(random_tensor({tokens, kHidden}, 1)),
        router(random_tensor({tokens, kExperts}, 2, -2, 2)),
        first(random_tensor({kExperts, wide, kHidden}, 3)),
        bias1(random_tensor({kExperts, wide}, 4)),
        second(random_tensor({kExperts, kHidden, kInner}, 5)),
        bias2(random_tensor({kExperts, kHidden}, 6)),
        third(random_tensor({kExperts, kInner, kHidden}, 7)),
        bias3(random_tensor({kExperts, kInner}, 8)) {}
};

using Numbers = std::vector<double>;

Numbers layer(const Tensor& weights, const Tensor& bias, int64_t expert, const Numbers& x) {
  Numbers y(static_cast<size_t>(weights.dims()[1]));
  const size_t columns = x.size();
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t row = static_cast<size_t>(expert) * y.size() + i;
    y[i] = static_cast<double>(bias.elements<float>()[row]);
    for (size_t j = 0; j < columns; ++j) {
      y[i] += static_cast<double>(weights.elements<float>()[row * columns + j]) * x[j];
    }
  }
  return y;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// What follows fc1; `fusion` -1 is silu.
Numbers between(const Experts& e, int fusion, int64_t expert, const Numbers& x) {
  const Numbers first = layer(e.first, e.bias1, expert, x);
  const Numbers third = fusion == 0 ? layer(e.third, e.bias3, expert, x) : Numbers();
  Numbers y(kInner);
  for (size_t i = 0; i < y.size(); ++i) {
    const double gate = std::min(first[fusion == 1 ? 2 * i : i], 2.5);
    const double linear = fusion == 0   ? third[i]
                          : fusion == 1 ? first[2 * i + 1]
                                        : first[fusion == 2 ? y.size() + i : 0];
    y[i] = fusion < 0 ? first[i] * sigmoid(first[i])
                      : gate * sigmoid(1.5 * gate) * (std::clamp(linear, -2.5, 2.5) + 0.5);
  }
  return y;
}

Numbers expected(const Experts& e, int fusion) {
  Numbers all;
  const auto logits = e.router.elements<float>();
  for (int64_t t = 0; t < e.x.dims()[0]; ++t) {
    const float* own = logits.data() + t * kExperts;
    double total = 0;
    for (int64_t i = 0; i < kExperts; ++i) total += std::exp(static_cast<double>(own[i]));
    const auto row = e.x.elements<float>().subspan(size_t(t) * kHidden, kHidden);
    Numbers y(kHidden);
    for (int64_t i = 0; i < kExperts; ++i) {
      const bool is_chosen =
          std::count_if(own, own + kExperts, [&](float x) { return x > own[i]; }) < 2;
      if (!is_chosen) continue;
      const Numbers inner = between(e, fusion, i, Numbers(row.begin(), row.end()));
      const Numbers out = layer(e.second, e.bias2, i, inner);
      const double weight = std::exp(static_cast<double>(own[i])) / total;
      for (size_t j = 0; j < y.size(); ++j) y[j] += weight * out[j];
    }
    all.insert(all.end(), y.begin(), y.end());
  }
  return all;
}

void check(int64_t tokens, int fusion) {
  const Experts e(tokens, fusion > 0 ? 2 * kInner : kInner);
  testing::NodeCase what{"MoE", "com.microsoft", 1};
  what.attributes = {Attribute::of_int("k", 2),
                     Attribute::of_string("activation_type", fusion < 0 ? "silu" : "swiglu"),
                     Attribute::of_int("swiglu_fusion", std::max(fusion, 0)),
                     Attribute::of_float("activation_alpha", 1.5f),
                     Attribute::of_float("activation_beta", 0.5f),
                     Attribute::of_float("swiglu_limit", 2.5f)};
  std::vector<Tensor> inputs = {e.x, e.router, e.first, e.bias1, e.second, e.bias2};
  if (fusion == 0) inputs.insert(inputs.end(), {e.third, e.bias3});
  const Numbers wanted = expected(e, fusion);
  testing::run_everywhere(what, inputs, [&](const std::vector<Tensor>& found) {
    testing::check_close(found[0], {tokens, kHidden}, wanted, 1e-4, 1e-4);
  });
}

}  // namespace

TEST(mixture_of_experts, gives_each_token_its_experts_however_many_share_them) {
  for (const int64_t tokens : {1, 2, 17, 90, 400}) check(tokens, -1);
}

TEST(mixture_of_experts, joins_two_parts_in_every_layout) {
  for (const int fusion : {0, 1, 2}) {
    for (const int64_t tokens : {1, 3, 40}) check(tokens, fusion);
  }
}

}  // namespace ortc::cpu
