// SPDX-License-Identifier: MIT
// com.microsoft's MultiHeadAttention against plain loops: packed and separate queries, keys and
// values, with every form of mask.
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

enum class Form { kApart, kKeysWithValues, kTogether, kHeads };

struct MultiHeadCase {
  Form form = Form::kApart;
  int64_t b = 2, s = 5, l = 6, n = 3, h = 4, hv = 4, past = 0;
  bool has_bias = true;
  std::vector<Attribute> attributes = {};
  Tensor mask = {};
  Rules rules = {};

  int64_t added() const { return form == Form::kTogether ? s : l; }
  int64_t total() const { return past + added(); }
  NodeCase node(size_t outputs) const {
    NodeCase node{"MultiHeadAttention", "com.microsoft", 1, attributes, outputs};
    node.attributes.push_back(Attribute::of_int("num_heads", n));
    return node;
  }
  std::vector<Tensor> inputs() const {
    std::vector<Tensor> in(8);
    in[0] = form == Form::kTogether ? random_tensor({b, s, n, 3, h}, 1)
                                    : random_tensor({b, s, n * h}, 1);
    if (form == Form::kApart) in[1] = random_tensor({b, l, n * h}, 2);
    if (form == Form::kApart) in[2] = random_tensor({b, l, n * hv}, 3);
    if (form == Form::kKeysWithValues) in[1] = random_tensor({b, l, n, 2, h}, 2);
    if (form == Form::kHeads) in[1] = random_tensor({b, n, l, h}, 2);
    if (form == Form::kHeads) in[2] = random_tensor({b, n, l, hv}, 3);
    if (has_bias) in[3] = random_tensor({n * (2 * h + hv)}, 4);
    in[4] = mask;
    in[5] = rules.bias;
    if (past > 0) in[6] = random_tensor({b, n, past, h}, 5);
    if (past > 0) in[7] = random_tensor({b, n, past, hv}, 6);
    return in;
  }
};

// Queries (0), keys (1) or values (2) without the past.
Heads part_of(const MultiHeadCase& c, const std::vector<Tensor>& in, int64_t part) {
  const int64_t size = part == 2 ? c.hv : c.h;
  const Heads to(c.b, c.n, part == 0 ? c.s : c.added(), size);
  const int64_t bias = part * c.n * c.h, nh = c.n * size;
  if (c.form == Form::kTogether) {
    return taken(in[0], to, 3 * nh, part * size, 3 * size, in[3], bias);
  }
  if (c.form == Form::kKeysWithValues && part > 0) {
    return taken(in[1], to, 2 * nh, (part - 1) * size, 2 * size, in[3], bias);
  }
  const Tensor& rows = in[static_cast<size_t>(part)];
  if (c.form == Form::kHeads && part > 0) {
    return joined(rows, c.l, 0, Heads(c.b, c.n, 0, size));
  }
  return taken(rows, to, nh, 0, size, in[3], bias);
}

void check_multi_head(const MultiHeadCase& c) {
  const auto in = c.inputs();
  const Heads q = part_of(c, in, 0), k = joined(in[6], c.past, 0, part_of(c, in, 1)),
              v = joined(in[7], c.past, 0, part_of(c, in, 2));
  const Attended expected = attend(q, k, v, c.past, c.rules);
  const bool is_finite = !c.rules.unidirectional && c.rules.filter > -1e30;
  for (const size_t outputs : {size_t{1}, size_t{3}, size_t{4}}) {
    run_everywhere(c.node(outputs), in, [&](const std::vector<Tensor>& found) {
      check_close(found[0], {c.b, c.s, c.n * c.hv}, expected.y,
                  kAttentionRtol * tolerance_of(c.rules), kAttentionAtol * tolerance_of(c.rules));
      if (outputs >= 3) check_close(found[1], k.dims(), k.x, kAttentionRtol, kAttentionAtol);
      if (outputs >= 3) check_close(found[2], v.dims(), v.x, kAttentionRtol, kAttentionAtol);
      if (outputs < 4) return;
      CHECK_EQ(found[3].dims(), (Dims{c.b, c.n, c.s, c.total()}));
      if (is_finite) check_close(found[3], found[3].dims(), expected.scores, kAttentionRtol, 1e-4);
    });
  }
}

TEST(multi_head_attention, takes_queries_keys_and_values_in_every_form) {
  for (const Form form : {Form::kApart, Form::kKeysWithValues, Form::kTogether, Form::kHeads}) {
    for (const bool has_bias : {false, true}) {
      for (const int64_t past : {0, 3}) {
        if (form == Form::kHeads && past > 0) continue;
        MultiHeadCase c;
        c.form = form;
        c.has_bias = has_bias;
        c.past = past;
        check_multi_head(c);
      }
    }
  }
}

TEST(multi_head_attention, takes_values_of_another_size_a_scale_and_one_direction) {
  for (const Form form : {Form::kApart, Form::kHeads}) {
    MultiHeadCase c;
    c.form = form;
    c.hv = 7;
    c.rules.scale = 0.3;
    c.attributes = {Attribute::of_float("scale", 0.3f)};
    check_multi_head(c);
  }
  for (const int64_t s : {1, 4, 6, 9}) {
    MultiHeadCase c;
    c.s = s;
    c.past = 2;
    c.rules.unidirectional = true;
    c.attributes = {Attribute::of_int("unidirectional", 1)};
    check_multi_head(c);
  }
  MultiHeadCase wide;
  wide.s = 33, wide.l = 70, wide.n = 2, wide.h = 40, wide.hv = 17;
  check_multi_head(wide);
}

TEST(multi_head_attention, understands_every_form_of_mask) {
  for (const int64_t past : {0, 3}) {
    MultiHeadCase c;
    c.past = past;
    const int64_t total = c.total();
    const auto with = [&](Tensor mask, std::function<bool(int64_t, int64_t, int64_t)> counts) {
      c.mask = std::move(mask);
      c.rules.counts = std::move(counts);
      check_multi_head(c);
    };
    const int64_t ends[] = {2, total};
    with(int32s_by({2}, [&](int64_t i) { return static_cast<int32_t>(ends[i]); }),
         [&](int64_t b, int64_t, int64_t t) { return t < ends[b]; });
    const int64_t sequences[] = {1, 4, 0, c.s, 2 * c.s, 0, total, 2 * total};
    with(int32s_by({8}, [&](int64_t i) { return static_cast<int32_t>(sequences[i]); }),
         [&](int64_t b, int64_t, int64_t t) { return t < sequences[b]; });
    with(int32s_by({2, total}, mask_bit),
         [&](int64_t b, int64_t, int64_t t) { return mask_bit(b * total + t) != 0; });
    with(int32s_by({2, c.s, total}, mask_bit),
         [&](int64_t b, int64_t s, int64_t t) { return mask_bit((b * c.s + s) * total + t) != 0; });
    c.rules.bias = random_tensor({1, 3, c.s, total}, 8, -2, 2);
    c.attributes = {Attribute::of_float("mask_filter_value", -3.0f)};
    c.rules.filter = -3;
    check_multi_head(c);
  }
}

TEST(multi_head_attention, gives_empty_results_for_empty_shapes) {
  for (const auto& [b, s, l, h] :
       {std::array<int64_t, 4>{0, 5, 6, 4}, {2, 0, 6, 4}, {2, 5, 0, 4}, {2, 5, 6, 0}}) {
    MultiHeadCase c;
    c.b = b, c.s = s, c.l = l, c.h = c.hv = h;
    check_multi_head(c);
  }
}

TEST(multi_head_attention, refuses_what_it_does_not_understand_by_name) {
  const auto fails = [](Form form, size_t input, Tensor tensor, std::string_view text,
                        Code code = Code::kInvalidArgument) {
    MultiHeadCase c;
    c.form = form;
    c.has_bias = false;
    auto in = c.inputs();
    in.resize(10);
    in[input] = std::move(tensor);
    expect_failure(c.node(1), in, code, text);
  };
  fails(Form::kApart, 0, random_tensor({2, 5, 13}, 1), "query has shape [2,5,13]");
  fails(Form::kApart, 0, random_tensor({2, 5}, 1), "query has");
  fails(Form::kApart, 1, random_tensor({2, 6, 13}, 1), "key has");
  fails(Form::kApart, 1, Tensor(), "needs a key");
  fails(Form::kApart, 2, random_tensor({2, 7, 12}, 1), "value has");
  fails(Form::kApart, 2, Tensor(), "without value");
  fails(Form::kApart, 3, random_tensor({35}, 1), "bias has");
  fails(Form::kApart, 4, int32s_by({2, 7}, mask_bit), "a mask of shape [2,7]");
  fails(Form::kApart, 4, int32s_by({4}, mask_bit), "key_padding_mask has");
  fails(Form::kApart, 5, random_tensor({2, 2, 5, 6}, 1), "attention_bias has");
  fails(Form::kApart, 6, random_tensor({2, 3, 1, 4}, 1), "come together");
  fails(Form::kApart, 9, int32s_by({2, 1, 9}, mask_bit), "needs past_key");
  fails(Form::kHeads, 2, random_tensor({2, 6, 12}, 1), "value has");
  fails(Form::kTogether, 0, random_tensor({2, 5, 3, 2, 4}, 1), "query has");
  fails(Form::kTogether, 1, random_tensor({2, 6, 12}, 1), "beside a query of rank 5");
  fails(Form::kKeysWithValues, 2, random_tensor({2, 6, 12}, 1), "beside a value");
  MultiHeadCase partial;
  partial.past = 2;
  partial.mask = int32s_by({2, 6}, mask_bit);
  expect_failure(partial.node(1), partial.inputs(), Code::kNotImplemented, "leaves out the past");
}

// microsoft_models compares them with numpy.
TEST(multi_head_attention, refuses_shared_buffers_that_are_full_and_beams_that_are_none) {
  MultiHeadCase c;
  c.past = 9;
  const auto fails = [&](int64_t used, Tensor beams, std::string_view text) {
    auto in = c.inputs();
    in.resize(10);
    in[8] = int32s_by({1}, [used](int64_t) { return static_cast<int32_t>(used); });
    in[9] = std::move(beams);
    expect_failure(c.node(3), in, Code::kInvalidArgument, text);
  };
  const auto beam = [](int32_t value) { return [value](int64_t i) { return i == 4 ? value : 0; }; };
  fails(4, Tensor(), "past_sequence_length is 4 with 6 new keys in a buffer of 9");
  fails(-1, Tensor(), "past_sequence_length is -1");
  fails(2, int32s_by({1, 3, 9}, beam(0)), "cache_indirection has shape [1,3,9]");
  fails(2, int32s_by({2, 9}, beam(0)), "cache_indirection has shape [2,9]");
  fails(2, int32s_by({1, 2, 1}, beam(0)), "cache_indirection has shape [1,2,1]");
  fails(2, int32s_by({1, 2, 3}, beam(2)), "cache_indirection has beam 2 of 2");
  fails(2, int32s_by({1, 2, 3}, beam(-1)), "cache_indirection has beam -1 of 2");
}

}  // namespace
}  // namespace ortc::cpu
