// SPDX-License-Identifier: MIT
// com.microsoft's Attention against plain loops: every form of mask, bias and past.
#include "tests/providers/cpu/kernels/masked_attention_testing.h"

namespace ortc::cpu {
namespace {

using testing::attend;
using testing::Attended;
using testing::check_close;
using testing::expect_failure;
using testing::Heads;
using testing::int32s_by;
using testing::joined;
using testing::kAttentionAtol;
using testing::kAttentionRtol;
using testing::mask_bit;
using testing::NodeCase;
using testing::random_tensor;
using testing::Rules;
using testing::run_everywhere;
using testing::taken;
using testing::tolerance_of;

// Sizes: batch, sequence, inputs, heads, size of a head, of a value, past.
struct PackedCase {
  int64_t b = 2, s = 5, d = 11, n = 3, h = 4, hv = 4, past = 0;
  bool has_bias = true;
  std::vector<Attribute> attributes = {};
  Tensor mask = {};
  Rules rules = {};

  int64_t columns() const { return n * (2 * h + hv); }
  int64_t total() const { return past + s; }
  NodeCase node(size_t outputs) const {
    NodeCase node{"Attention", "com.microsoft", 1, attributes, outputs};
    node.attributes.push_back(Attribute::of_int("num_heads", n));
    if (h != hv) {
      node.attributes.push_back(Attribute::of_ints("qkv_hidden_sizes", {n * h, n * h, n * hv}));
    }
    return node;
  }
  std::vector<Tensor> inputs() const {
    return {random_tensor({b, s, d}, 1),
            random_tensor({d, columns()}, 2),
            has_bias ? random_tensor({columns()}, 3) : Tensor(),
            mask,
            past > 0 ? random_tensor({2, b, n, past, h}, 4) : Tensor(),
            rules.bias};
  }
};

Tensor project(const std::vector<Tensor>& in) {
  const Dims x = in[0].dims();
  const int64_t columns = in[1].dims()[1];
  Tensor y = Tensor::create(DType::kFloat32, {x[0], x[1], columns}).value();
  for (int64_t r = 0; r < x[0] * x[1]; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      double sum = 0;
      for (int64_t k = 0; k < x[2]; ++k) {
        sum += double{in[0].elements<float>()[r * x[2] + k]} *
               in[1].elements<float>()[k * columns + c];
      }
      y.mutable_elements<float>()[static_cast<size_t>(r * columns + c)] = static_cast<float>(sum);
    }
  return y;
}

// What ortc.ProjectedAttention reads: the rows with their bias, and no weights.
std::vector<Tensor> projected(std::vector<Tensor> in, Tensor rows) {
  if (in[2].is_defined()) {
    auto to = rows.mutable_elements<float>();
    const auto bias = in[2].elements<float>();
    for (size_t i = 0; i < to.size(); ++i) to[i] += bias[i % bias.size()];
  }
  in[0] = std::move(rows);
  in[1] = in[2] = Tensor();
  return in;
}

void check_packed(const PackedCase& c) {
  const auto in = c.inputs();
  const Tensor rows = project(in);
  const int64_t w = c.columns(), nh = c.n * c.h;
  const Heads q = taken(rows, Heads(c.b, c.n, c.s, c.h), w, 0, c.h, in[2], 0);
  const Heads k =
      joined(in[4], c.past, 0, taken(rows, Heads(c.b, c.n, c.s, c.h), w, nh, c.h, in[2], nh));
  const Heads v = joined(in[4], c.past, c.b * c.n * c.past * c.h,
                         taken(rows, Heads(c.b, c.n, c.s, c.hv), w, 2 * nh, c.hv, in[2], 2 * nh));
  const Attended expected = attend(q, k, v, c.past, c.rules);
  std::vector<double> present = k.x;
  present.insert(present.end(), v.x.begin(), v.x.end());
  for (const size_t outputs : {size_t{1}, size_t{2}}) {
    if (outputs == 2 && c.h != c.hv) continue;
    const auto check = [&](const std::vector<Tensor>& found) {
      check_close(found[0], {c.b, c.s, c.n * c.hv}, expected.y,
                  kAttentionRtol * tolerance_of(c.rules), kAttentionAtol * tolerance_of(c.rules));
      if (outputs == 2) {
        check_close(found[1], {2, c.b, c.n, c.total(), c.h}, present, kAttentionRtol,
                    kAttentionAtol);
      }
    };
    run_everywhere(c.node(outputs), in, check);
    NodeCase behind = c.node(outputs);
    behind.op = "ProjectedAttention";
    behind.domain = std::string(kInternalDomain);
    behind.opset = 0;
    run_everywhere(behind, projected(in, project(in)), check);
  }
}

TEST(packed_attention, projects_and_attends_with_and_without_bias_and_past) {
  for (const bool has_bias : {true, false}) {
    for (const int64_t past : {0, 3}) {
      PackedCase c;
      c.has_bias = has_bias;
      c.past = past;
      check_packed(c);
    }
  }
  PackedCase wide;
  wide.s = 37, wide.d = 70, wide.n = 2, wide.h = wide.hv = 33;
  check_packed(wide);
  PackedCase one;
  one.b = one.s = one.n = one.h = one.hv = one.d = 1;
  check_packed(one);
}

TEST(packed_attention, takes_values_of_another_size_a_scale_and_one_direction) {
  PackedCase c;
  c.hv = 7;
  c.rules.scale = 0.3;
  c.attributes = {Attribute::of_float("scale", 0.3f)};
  check_packed(c);
  PackedCase ordered;
  ordered.past = 2;
  ordered.rules.unidirectional = true;
  ordered.attributes = {Attribute::of_int("unidirectional", 1)};
  check_packed(ordered);
  ordered.s = 1;
  check_packed(ordered);
}

// All masks of the document, with and without one direction.
TEST(packed_attention, understands_every_form_of_mask) {
  for (const int64_t past : {0, 3}) {
    for (const float filter : {-10000.0f, -2.5f, std::numeric_limits<float>::lowest()}) {
      PackedCase c;
      c.past = past;
      c.rules.filter = filter;
      c.attributes = {Attribute::of_float("mask_filter_value", filter)};
      const int64_t total = c.total();
      const auto with = [&](Tensor mask, std::function<bool(int64_t, int64_t, int64_t)> counts) {
        c.mask = std::move(mask);
        c.rules.counts = std::move(counts);
        check_packed(c);
        if (c.mask.dims().size() == 4) return;
        PackedCase ordered = c;
        ordered.rules.unidirectional = true;
        ordered.attributes.push_back(Attribute::of_int("unidirectional", 1));
        check_packed(ordered);
      };
      const int64_t ends[] = {2, total + 3}, starts[] = {1, -4};
      with(int32s_by({2}, [&](int64_t i) { return static_cast<int32_t>(ends[i]); }),
           [&](int64_t b, int64_t, int64_t t) { return t < ends[b]; });
      with(int32s_by(
               {4},
               [&](int64_t i) { return static_cast<int32_t>(i < 2 ? ends[i] : starts[i - 2]); }),
           [&](int64_t b, int64_t, int64_t t) { return t < ends[b] && t >= starts[b]; });
      const int64_t sequences[] = {2, 4, 0, c.s, 2 * c.s, 0, total, 2 * total};
      with(int32s_by({8}, [&](int64_t i) { return static_cast<int32_t>(sequences[i]); }),
           [&](int64_t b, int64_t, int64_t t) { return t < sequences[b]; });
      with(int32s_by({2, total}, mask_bit),
           [&](int64_t b, int64_t, int64_t t) { return mask_bit(b * total + t) != 0; });
      with(int32s_by({2, c.s, total}, mask_bit), [&](int64_t b, int64_t s, int64_t t) {
        return mask_bit((b * c.s + s) * total + t) != 0;
      });
      const int64_t m = total + 2;
      with(int32s_by({2, 1, m, m}, mask_bit), [&](int64_t b, int64_t s, int64_t t) {
        return mask_bit((b * m + past + s) * m + t) != 0;
      });
      with(int32s_by({2, 1}, [](int64_t) { return 0; }), {});
      with(int32s_by({1, 1}, [](int64_t) { return 0; }), {});
    }
  }
}

TEST(packed_attention, weighs_all_keys_of_a_query_that_sees_none_as_if_there_were_no_mask) {
  PackedCase c;
  c.mask = int32s_by({2, c.s}, [](int64_t) { return 0; });
  c.rules.counts = {};
  c.rules.filter = 0;
  const auto in = c.inputs();
  PackedCase plain;
  const auto expected = testing::evaluate(plain.node(1), plain.inputs(), 1, host_isa());
  const auto found = testing::evaluate(c.node(1), in, 1, host_isa());
  CHECK_OK(expected);
  CHECK_OK(found);
  for (size_t i = 0; i < (*found)[0].elements<float>().size(); ++i) {
    // Scores beside -10000 keep three decimals.
    CHECK_NEAR((*found)[0].elements<float>()[i], (*expected)[0].elements<float>()[i], 1e-2, 1e-2);
  }
}

TEST(packed_attention, adds_a_bias_that_may_repeat_for_batch_and_heads) {
  for (const int64_t batch : {1, 2}) {
    for (const int64_t heads : {1, 3}) {
      PackedCase c;
      c.past = 2;
      c.rules.bias = random_tensor({batch, heads, c.s, c.total()}, 9, -3, 3);
      check_packed(c);
    }
  }
}

TEST(packed_attention, gives_empty_results_for_empty_batches_sequences_and_heads) {
  for (const auto& [b, s, h] : {std::array<int64_t, 3>{0, 5, 4}, {2, 0, 4}, {2, 5, 0}}) {
    PackedCase c;
    c.b = b, c.s = s, c.h = c.hv = h;
    check_packed(c);
  }
  PackedCase no_inputs;
  no_inputs.d = 0;
  check_packed(no_inputs);
}

TEST(packed_attention, behind_its_projection_takes_neither_weights_nor_bias) {
  const NodeCase node{
      "ProjectedAttention", std::string(kInternalDomain), 0, {Attribute::of_int("num_heads", 2)}};
  const Tensor rows = random_tensor({1, 3, 12}, 1);
  CHECK_OK(testing::evaluate(node, {rows}, 2, host_isa()));
  expect_failure(node, {rows, random_tensor({12, 12}, 2)}, Code::kInvalidGraph,
                 "a projected input with weights");
  expect_failure(node, {rows, Tensor(), random_tensor({12}, 2)}, Code::kInvalidGraph,
                 "a projected input with weights");
  expect_failure(node, {random_tensor({1, 3, 13}, 1)}, Code::kInvalidArgument,
                 "expected a multiple of 3");
  expect_failure(node, {random_tensor({3, 12}, 1)}, Code::kInvalidArgument, "expected rank 3");
}

TEST(packed_attention, refuses_what_it_does_not_understand_by_name) {
  const auto fails = [](const std::function<void(PackedCase&, std::vector<Tensor>&)>& change,
                        Code code, std::string_view text) {
    PackedCase c;
    auto in = c.inputs();
    change(c, in);
    expect_failure(c.node(1), in, code, text);
  };
  constexpr auto kBad = Code::kInvalidArgument;
  using Inputs = std::vector<Tensor>;
  fails([](PackedCase& c, Inputs&) { c.attributes = {Attribute::of_int("do_rotary", 1)}; },
        Code::kNotImplemented, "do_rotary");
  fails([](PackedCase& c,
           Inputs&) { c.attributes = {Attribute::of_int("past_present_share_buffer", 1)}; },
        kBad, "'past_present_share_buffer' needs past");
  fails([](PackedCase&, Inputs& in) { in[0] = random_tensor({10, 11}, 1); }, kBad, "input has");
  fails([](PackedCase&, Inputs& in) { in[1] = random_tensor({12, 36}, 1); }, kBad, "weights");
  fails([](PackedCase&, Inputs& in) { in[1] = random_tensor({11, 35}, 1); }, kBad, "35");
  fails([](PackedCase&, Inputs& in) { in[2] = random_tensor({35}, 1); }, kBad, "bias has");
  fails(
      [](PackedCase&, Inputs& in) {
        in[3] = int32s_by({2, 4}, mask_bit);
      },
      kBad, "a mask of shape [2,4]");
  fails(
      [](PackedCase&, Inputs& in) {
        in[3] = int32s_by({2, 1, 4, 4}, mask_bit);
      },
      kBad, "[2,1,4,4]");
  fails([](PackedCase&, Inputs& in) { in[3] = int32s_by({8}, mask_bit); }, Code::kNotImplemented,
        "gaps");
  fails(
      [](PackedCase&, Inputs& in) {
        in[4] = random_tensor({2, 2, 3, 1, 5}, 1);
      },
      kBad, "past has");
  fails(
      [](PackedCase&, Inputs& in) {
        in[5] = random_tensor({2, 3, 5, 6}, 1);
      },
      kBad, "attention_bias has");
  fails(
      [](PackedCase& c, Inputs&) {
        c.attributes = {Attribute::of_ints("qkv_hidden_sizes", {12, 11, 13})};
      },
      kBad, "do not divide");
  fails(
      [](PackedCase& c, Inputs& in) {
        c.attributes = {Attribute::of_int("unidirectional", 1)};
        in[3] = int32s_by({2, 1, 5, 5}, mask_bit);
      },
      kBad, "unidirectional");
}

}  // namespace
}  // namespace ortc::cpu
