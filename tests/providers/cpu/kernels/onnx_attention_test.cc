// SPDX-License-Identifier: MIT
// ONNX's Attention beside plain loops in double: masks, windows, caps, and rows that see nothing.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/providers/cpu/kernels/node_case.h"

using namespace ortc;
using namespace ortc::cpu;
using testing::NodeCase;
using testing::random_tensor;

namespace {

constexpr int64_t kBatch = 2, kQHeads = 4, kHeads = 2, kQueries = 5, kKeys = 21, kSize = 8;
constexpr double kNever = -std::numeric_limits<double>::infinity();

enum class Mask { kNone, kNumbers, kBools, kShort, kNothing, kOneBool, kOneNumber };

struct AttentionCase {
  Mask mask = Mask::kNone;
  bool is_causal = false;
  double softcap = 0;
  int64_t left = -1, right = -1;
  std::vector<int64_t> key_counts = {};
  int64_t score_output = 0;
  int opset = 25;
};

// [queries, keys], the same for all batches and heads.
Tensor mask_of(Mask kind) {
  if (kind == Mask::kNone) return {};
  const Tensor numbers = random_tensor({kQueries, kKeys}, 7);
  // One for all keys: the second query sees none.
  if (kind == Mask::kOneNumber) {
    Tensor bias = random_tensor({kQueries, 1}, 8);
    bias.mutable_elements<float>()[1] = -std::numeric_limits<float>::infinity();
    return bias;
  }
  if (kind == Mask::kOneBool) {
    Tensor seen = Tensor::create(DType::kBool, {kQueries, 1}).value();
    auto* bytes = static_cast<uint8_t*>(seen.mutable_data());
    for (int64_t i = 0; i < kQueries; ++i) bytes[i] = i != 1 ? 1 : 0;
    return seen;
  }
  if (kind == Mask::kBools || kind == Mask::kNothing) {
    Tensor seen = Tensor::create(DType::kBool, {kQueries, kKeys}).value();
    auto* bytes = static_cast<uint8_t*>(seen.mutable_data());
    for (int64_t i = 0; i < kQueries * kKeys; ++i) {
      const bool is_hidden = kind == Mask::kNothing && i / kKeys == 2;
      bytes[i] = !is_hidden && numbers.elements<float>()[i] > 0 ? 1 : 0;
    }
    return seen;
  }
  const int64_t width = kind == Mask::kShort ? kKeys - 4 : kKeys;
  Tensor bias = random_tensor({kQueries, width}, 8);
  for (int64_t j = 0; j < width; j += 3) {
    bias.mutable_elements<float>()[j] = -std::numeric_limits<float>::infinity();
  }
  for (int64_t j = 0; j < width; ++j) {
    bias.mutable_elements<float>()[width + j] = -std::numeric_limits<float>::infinity();
  }
  return bias;
}

double bias_at(const AttentionCase& c, const Tensor& mask, int64_t b, int64_t t, int64_t j) {
  int64_t place = t;
  if (!c.key_counts.empty()) {
    const int64_t count = c.key_counts[static_cast<size_t>(b)];
    place = count - kQueries + t;
    if (j >= count) return kNever;
  }
  if (c.is_causal && j > place) return kNever;
  if (c.left >= 0 && j < place - c.left) return kNever;
  if (c.right >= 0 && j > place + c.right) return kNever;
  if (!mask.is_defined()) return 0;
  const int64_t width = mask.dims()[1];
  const bool is_one = width == 1 && c.opset < 24;
  if (j >= width && !is_one) return kNever;
  const int64_t at = is_one ? t : t * width + j;
  if (mask.dtype() == DType::kBool) {
    return static_cast<const uint8_t*>(mask.data())[at] != 0 ? 0 : kNever;
  }
  return mask.elements<float>()[at];
}

struct Expected {
  std::vector<double> y, scores;
};

void weigh(const AttentionCase& c, const Tensor& mask, int64_t b, int64_t t,
           std::vector<double>& row, std::vector<double>& wanted) {
  std::vector<std::vector<double>> stages = {row};
  for (double& x : row) x = c.softcap > 0 ? c.softcap * std::tanh(x / c.softcap) : x;
  stages.push_back(row);
  for (int64_t j = 0; j < kKeys; ++j) {
    const double bias = bias_at(c, mask, b, t, j);
    row[static_cast<size_t>(j)] = bias == kNever ? kNever : row[static_cast<size_t>(j)] + bias;
  }
  stages.push_back(row);
  const double top = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (double& x : row) sum += x = top == kNever ? 0 : std::exp(x - top);
  for (double& x : row) x = sum > 0 ? x / sum : 0;
  stages.push_back(row);
  const auto& kept = stages[static_cast<size_t>(c.score_output)];
  wanted.insert(wanted.end(), kept.begin(), kept.end());
}

Expected plain_attention(const AttentionCase& c, std::span<const Tensor> inputs,
                         const Tensor& mask) {
  const auto q = inputs[0].elements<float>(), k = inputs[1].elements<float>(),
             v = inputs[2].elements<float>();
  Expected expected;
  for (int64_t i = 0; i < kBatch * kQHeads * kQueries; ++i) {
    const int64_t b = i / (kQHeads * kQueries), h = i / kQueries % kQHeads, t = i % kQueries;
    const int64_t head = (b * kHeads + h / (kQHeads / kHeads)) * kKeys;
    std::vector<double> row(kKeys, 0.0);
    for (int64_t j = 0; j < kKeys; ++j) {
      for (int64_t l = 0; l < kSize; ++l) {
        row[static_cast<size_t>(j)] += static_cast<double>(q[i * kSize + l]) *
                                       static_cast<double>(k[(head + j) * kSize + l]) /
                                       std::sqrt(double{kSize});
      }
    }
    weigh(c, mask, b, t, row, expected.scores);
    for (int64_t l = 0; l < kSize; ++l) {
      double sum = 0;
      for (int64_t j = 0; j < kKeys; ++j) {
        sum += row[static_cast<size_t>(j)] * static_cast<double>(v[(head + j) * kSize + l]);
      }
      expected.y.push_back(sum);
    }
  }
  return expected;
}

void check(const AttentionCase& c) {
  std::vector<Tensor> inputs = {random_tensor({kBatch, kQHeads, kQueries, kSize}, 1, -3, 3),
                                random_tensor({kBatch, kHeads, kKeys, kSize}, 2, -3, 3),
                                random_tensor({kBatch, kHeads, kKeys, kSize}, 3)};
  const Tensor mask = mask_of(c.mask);
  const Expected expected = plain_attention(c, inputs, mask);
  inputs.push_back(mask);
  if (!c.key_counts.empty()) {
    inputs.resize(6);
    inputs.push_back(Tensor::from<int64_t>({kBatch}, c.key_counts));
  }
  std::vector<Attribute> attributes = {
      Attribute::of_int("is_causal", c.is_causal ? 1 : 0),
      Attribute::of_float("softcap", static_cast<float>(c.softcap)),
      Attribute::of_int("qk_matmul_output_mode", c.score_output)};
  if (c.opset >= 25) {
    attributes.push_back(Attribute::of_int("left_window_size", c.left));
    attributes.push_back(Attribute::of_int("right_window_size", c.right));
  }
  const NodeCase node{"Attention", "", c.opset, attributes, 4};
  testing::run_everywhere(node, inputs, [&](const std::vector<Tensor>& outputs) {
    testing::check_close(outputs[0], {kBatch, kQHeads, kQueries, kSize}, expected.y, 1e-5, 1e-5);
    const auto scores = outputs[3].elements<float>();
    for (size_t i = 0; i < expected.scores.size(); ++i) {
      const double found = scores[i], wanted = expected.scores[i];
      CHECK(found == wanted || std::abs(found - wanted) < 1e-5 * (1 + std::abs(wanted)));
    }
  });
}

}  // namespace

TEST(onnx_attention, adds_masks_of_every_kind) {
  for (const Mask mask :
       {Mask::kNone, Mask::kNumbers, Mask::kBools, Mask::kShort, Mask::kNothing}) {
    check({.mask = mask});
    check({.mask = mask, .is_causal = true});
  }
}

TEST(onnx_attention, sees_what_windows_and_numbers_of_keys_leave) {
  check({.left = 1, .right = 2});
  check({.mask = Mask::kNumbers, .left = 0, .right = 0});
  check({.mask = Mask::kBools, .is_causal = true, .left = 2});
  check({.is_causal = true, .key_counts = {13, 2}});
  check({.mask = Mask::kShort, .key_counts = {0, 21}});
  check({.right = 3, .key_counts = {1, 4}});
}

TEST(onnx_attention, repeats_one_number_for_all_keys_where_no_mask_ends_early) {
  for (const Mask mask : {Mask::kOneNumber, Mask::kOneBool}) {
    for (const int opset : {23, 24}) {
      check({.mask = mask, .opset = opset});
      check({.mask = mask, .is_causal = true, .score_output = 2, .opset = opset});
    }
  }
}

TEST(onnx_attention, takes_no_scale_that_is_not_above_zero) {
  const Tensor x = random_tensor({1, 1, 2, 4}, 1);
  for (const float scale : {0.0f, -0.5f, NAN}) {
    const testing::NodeCase what{"Attention", "", 23, {Attribute::of_float("scale", scale)}};
    CHECK_CODE(testing::evaluate(what, {x, x, x}, 1, host_isa()), Code::kInvalidGraph);
  }
}

TEST(onnx_attention, gives_scores_at_every_stage) {
  for (const int64_t stage : {0, 1, 2, 3}) {
    check({.mask = Mask::kNumbers, .softcap = 2.0, .left = 6, .score_output = stage});
    check({.mask = Mask::kNothing, .is_causal = true, .softcap = 0.5, .score_output = stage});
  }
}
