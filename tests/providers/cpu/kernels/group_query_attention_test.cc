// SPDX-License-Identifier: MIT
// com.microsoft's GroupQueryAttention and RotaryEmbedding against plain loops.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu {
namespace {

using testing::check_close;
using testing::int32s;
using testing::NodeCase;
using testing::random_tensor;
using testing::run_everywhere;

using Numbers = std::vector<double>;

Numbers numbers_of(const Tensor& t) {
  return {t.elements<float>().begin(), t.elements<float>().end()};
}

// Turns the first 2 * half numbers of a head.
void turn(double* x, const float* cos, const float* sin, int64_t half, bool interleaved) {
  for (int64_t i = 0; i < half; ++i) {
    const int64_t a = interleaved ? 2 * i : i, b = interleaved ? 2 * i + 1 : i + half;
    const double p = x[a], q = x[b];
    x[a] = cos[i] * p - sin[i] * q;
    x[b] = sin[i] * p + cos[i] * q;
  }
}

struct GroupCase {
  int64_t batch = 2, queries = 5, heads = 4, kv_heads = 2, size = 6;
  int64_t past = 0, total = 5;  // length of the cache given, of the longest entry
  std::vector<int32_t> keys = {5, 5};
  bool is_packed = false, rotates = false, interleaved = false, causal = true;
  int64_t window = -1, half = 3;
  float scale = 0, softcap = 0;
  bool smooth = false;
  Tensor positions = {}, bias = {}, sink = {};
};

NodeCase attention_node(const GroupCase& c, size_t outputs) {
  NodeCase node{"GroupQueryAttention", "com.microsoft", 1, {}, outputs};
  const auto set = [&](const char* name, int64_t value) {
    node.attributes.push_back(Attribute::of_int(name, value));
  };
  set("num_heads", c.heads);
  set("kv_num_heads", c.kv_heads);
  if (c.rotates) set("do_rotary", 1);
  if (c.interleaved) set("rotary_interleaved", 1);
  if (!c.causal) set("causal", 0);
  if (c.window > 0) set("local_window_size", c.window);
  if (c.smooth) set("smooth_softmax", 1);
  if (c.scale != 0) node.attributes.push_back(Attribute::of_float("scale", c.scale));
  if (c.softcap != 0) node.attributes.push_back(Attribute::of_float("softcap", c.softcap));
  return node;
}

std::vector<Tensor> attention_inputs(const GroupCase& c) {
  std::vector<Tensor> in(12);
  const int64_t q = c.heads * c.size, k = c.kv_heads * c.size;
  in[0] = random_tensor({c.batch, c.queries, c.is_packed ? q + 2 * k : q}, 1, -2, 2);
  if (!c.is_packed) in[1] = random_tensor({c.batch, c.queries, k}, 2, -2, 2);
  if (!c.is_packed) in[2] = random_tensor({c.batch, c.queries, k}, 3);
  if (c.past > 0) in[3] = random_tensor({c.batch, c.kv_heads, c.past, c.size}, 4, -2, 2);
  if (c.past > 0) in[4] = random_tensor({c.batch, c.kv_heads, c.past, c.size}, 5);
  std::vector<int32_t> lengths;
  for (const int32_t n : c.keys) lengths.push_back(n - 1);
  in[5] = int32s({c.batch}, lengths);
  in[6] = int32s({1}, {static_cast<int32_t>(c.total)});
  if (c.rotates) in[7] = random_tensor({12, c.half}, 6);
  if (c.rotates) in[8] = random_tensor({12, c.half}, 7);
  in[9] = c.positions;
  in[10] = c.bias;
  in[11] = c.sink;
  return in;
}

struct ExpectedGroups {
  Numbers y, keys, values;
};

class Reference {
 public:
  explicit Reference(const GroupCase& c)
      : c_(c), in_(attention_inputs(c)), length_(std::max(c.past, c.total)) {}

  ExpectedGroups compute() {
    e_.keys = cache(1);
    e_.values = cache(2);
    for (int64_t b = 0; b < c_.batch; ++b)
      for (int64_t t = 0; t < c_.queries; ++t)
        for (int64_t h = 0; h < c_.heads; ++h) attend(b, t, h);
    return e_;
  }

 private:
  int64_t before(int64_t b) const {
    return c_.queries == c_.total ? 0 : c_.keys[static_cast<size_t>(b)] - c_.queries;
  }
  int64_t place(int64_t b, int64_t t) const {
    if (!c_.positions.is_defined()) return before(b) + t;
    const auto ids = c_.positions.elements<int64_t>();
    if (c_.queries == c_.total) return ids[0] + t;
    return ids[static_cast<size_t>(b * c_.queries + t)];
  }
  // Head h of the queries (part 0), new keys (1) or new values (2) of a token.
  Numbers head(int64_t part, int64_t b, int64_t t, int64_t h) const {
    const int64_t n = c_.size, heads = part == 0 ? c_.heads : c_.kv_heads;
    const int64_t first = c_.is_packed && part > 0 ? c_.heads + (part - 1) * c_.kv_heads : 0;
    const int64_t row = c_.is_packed ? (c_.heads + 2 * c_.kv_heads) * n : heads * n;
    const Tensor& rows = in_[c_.is_packed ? 0 : static_cast<size_t>(part)];
    const float* x = rows.elements<float>().data() + (b * c_.queries + t) * row + (first + h) * n;
    Numbers found(x, x + n);
    if (c_.rotates && part < 2) {
      const int64_t at = place(b, t) * c_.half;
      turn(found.data(), in_[7].elements<float>().data() + at, in_[8].elements<float>().data() + at,
           c_.half, c_.interleaved);
    }
    return found;
  }
  Numbers cache(int64_t part) const {
    Numbers all(static_cast<size_t>(c_.batch * c_.kv_heads * length_ * c_.size), 0.0);
    for (int64_t b = 0; b < c_.batch; ++b)
      for (int64_t h = 0; h < c_.kv_heads; ++h) {
        double* to = all.data() + (b * c_.kv_heads + h) * length_ * c_.size;
        for (int64_t i = 0; i < before(b) * c_.size; ++i) {
          to[i] = in_[static_cast<size_t>(2 + part)].elements<float>()[static_cast<size_t>(
              (b * c_.kv_heads + h) * c_.past * c_.size + i)];
        }
        for (int64_t t = 0; t < c_.queries; ++t) {
          const Numbers added = head(part, b, t, h);
          std::copy(added.begin(), added.end(), to + (before(b) + t) * c_.size);
        }
      }
    return all;
  }
  void attend(int64_t b, int64_t t, int64_t h) {
    const Numbers q = head(0, b, t, h);
    const int64_t kv = h / (c_.heads / c_.kv_heads), own = before(b) + t + 1;
    const int64_t at = (b * c_.kv_heads + kv) * length_ * c_.size;
    const int64_t used = c_.keys[static_cast<size_t>(b)];
    const double scale = c_.scale != 0 ? c_.scale : 1 / std::sqrt(static_cast<double>(c_.size));
    Numbers weights(static_cast<size_t>(used), -std::numeric_limits<double>::infinity());
    double top = c_.sink.is_defined() ? c_.sink.elements<float>()[static_cast<size_t>(h)]
                 : c_.smooth          ? 0.0
                                      : -std::numeric_limits<double>::infinity();
    const double sink = top;
    for (int64_t k = 0; k < used; ++k) {
      if (c_.causal && k >= own) continue;
      if (c_.window > 0 && k < own - c_.window) continue;
      double score = 0;
      for (int64_t i = 0; i < c_.size; ++i) {
        score +=
            scale * q[static_cast<size_t>(i)] * e_.keys[static_cast<size_t>(at + k * c_.size + i)];
      }
      if (c_.softcap > 0) score = c_.softcap * std::tanh(score / c_.softcap);
      if (c_.bias.is_defined()) {
        const Dims& d = c_.bias.dims();
        const int64_t row = ((d[0] == 1 ? 0 : b) * d[1] + (d[1] == 1 ? 0 : h)) * c_.queries + t;
        score += c_.bias.elements<float>()[static_cast<size_t>(row * c_.total + k)];
      }
      weights[static_cast<size_t>(k)] = score;
      top = std::max(top, score);
    }
    double sum = std::isinf(sink) ? 0 : std::exp(sink - top);
    for (double& w : weights) sum += w = std::exp(w - top);
    for (int64_t i = 0; i < c_.size; ++i) {
      double y = 0;
      for (int64_t k = 0; k < used; ++k) {
        y += weights[static_cast<size_t>(k)] / sum *
             e_.values[static_cast<size_t>(at + k * c_.size + i)];
      }
      e_.y.push_back(y);
    }
  }

  const GroupCase& c_;
  const std::vector<Tensor> in_;
  const int64_t length_;
  ExpectedGroups e_;
};

void check_attention(const GroupCase& c) {
  const ExpectedGroups e = Reference(c).compute();
  for (const size_t outputs : {size_t{1}, size_t{3}}) {
    run_everywhere(attention_node(c, outputs), attention_inputs(c),
                   [&](const std::vector<Tensor>& found) {
                     check_close(found[0], {c.batch, c.queries, c.heads * c.size}, e.y, 1e-4, 2e-5);
                     if (outputs < 3) return;
                     const Dims cache = {c.batch, c.kv_heads, std::max(c.past, c.total), c.size};
                     check_close(found[1], cache, e.keys, 1e-5, 1e-5);
                     check_close(found[2], cache, e.values, 1e-5, 1e-5);
                   });
  }
}

// A prompt, a token behind equal and unequal pasts, several tokens, a cache with room.
std::vector<GroupCase> situations() {
  std::vector<GroupCase> cases(6);
  cases[1].queries = 1, cases[1].past = 5, cases[1].total = 6, cases[1].keys = {6, 6};
  cases[2] = cases[1];
  cases[2].keys = {6, 4};
  cases[3].queries = 3, cases[3].past = 5, cases[3].total = 8, cases[3].keys = {8, 6};
  cases[4] = cases[1];
  cases[4].past = 11, cases[4].keys = {6, 3};
  cases[5].past = 9;
  return cases;
}

TEST(group_query_attention, attends_over_a_cache_in_every_situation) {
  for (const GroupCase& situation : situations()) {
    for (const int64_t kv_heads : {1, 2, 4}) {
      GroupCase c = situation;
      c.kv_heads = kv_heads;
      check_attention(c);
      c.is_packed = true;
      check_attention(c);
    }
  }
}

TEST(group_query_attention, turns_queries_and_new_keys_by_their_places) {
  for (const GroupCase& situation : situations()) {
    for (const bool interleaved : {false, true}) {
      GroupCase c = situation;
      c.rotates = true;
      c.interleaved = interleaved;
      check_attention(c);
      c.half = 2;
      c.is_packed = true;
      check_attention(c);
      Tensor ids = Tensor::create(DType::kInt64, {c.batch, c.queries}).value();
      for (int64_t i = 0; i < c.batch * c.queries; ++i) {
        ids.mutable_elements<int64_t>()[static_cast<size_t>(i)] = (i * 5 + 2) % 7;
      }
      c.positions = ids;
      check_attention(c);
    }
  }
}

TEST(group_query_attention, has_windows_caps_biases_and_sinks) {
  for (const GroupCase& situation : situations()) {
    GroupCase c = situation;
    for (const int64_t window : {1, 3, 20}) {
      c.window = window;
      check_attention(c);
    }
    c.softcap = 0.7f;
    c.scale = 0.9f;
    c.bias = random_tensor({1, c.heads, c.queries, c.total}, 8, -2, 2);
    check_attention(c);
    c.smooth = true;
    check_attention(c);
    c.sink = random_tensor({c.heads}, 9, -2, 2);
    check_attention(c);
    GroupCase both = situation;
    both.causal = false;
    both.bias = random_tensor({2, 1, c.queries, c.total}, 8, -2, 2);
    check_attention(both);
  }
}

TEST(group_query_attention, sees_no_key_through_a_window_of_none) {
  for (const GroupCase& situation : situations()) {
    NodeCase node = attention_node(situation, 3);
    node.attributes.push_back(Attribute::of_int("local_window_size", 0));
    testing::run_everywhere(node, attention_inputs(situation), [](const std::vector<Tensor>& out) {
      for (const float y : out[0].elements<float>()) CHECK_EQ(y, 0.0f);
    });
  }
}

TEST(group_query_attention, gives_empty_results_for_empty_batches) {
  GroupCase c;
  c.batch = 0;
  c.keys = {};
  check_attention(c);
}

TEST(group_query_attention, refuses_what_it_does_not_understand_by_name) {
  const auto fails = [](const std::function<void(NodeCase&, std::vector<Tensor>&)>& change,
                        Code code, std::string_view text) {
    GroupCase c = situations()[1];
    NodeCase node = attention_node(c, 3);
    auto in = attention_inputs(c);
    in.resize(16);
    change(node, in);
    const auto found = testing::evaluate(node, in, 1, host_isa());
    CHECK_CODE(found, code);
    CHECK(std::string(found.status().message()).find(text) != std::string::npos);
  };
  using Inputs = std::vector<Tensor>;
  constexpr auto kBad = Code::kInvalidArgument;
  fails([](NodeCase&, Inputs& in) { in[0] = random_tensor({2, 1, 23}, 1); }, kBad, "query has");
  fails([](NodeCase&, Inputs& in) { in[1] = random_tensor({2, 2, 12}, 1); }, kBad, "key has");
  fails([](NodeCase&, Inputs& in) { in[2] = Tensor(); }, kBad, "come together");
  fails(
      [](NodeCase&, Inputs& in) {
        in[3] = random_tensor({2, 2, 5, 7}, 1);
      },
      kBad, "past_key has");
  fails(
      [](NodeCase&, Inputs& in) {
        in[4] = random_tensor({2, 2, 4, 6}, 1);
      },
      kBad, "past_value has");
  fails([](NodeCase&, Inputs& in) { in[5] = int32s({3}, {1, 2, 3}); }, kBad, "seqlens_k has shape");
  fails([](NodeCase&, Inputs& in) { in[5] = int32s({2}, {5, 9}); }, kBad, "seqlens_k has 9");
  fails([](NodeCase&, Inputs& in) { in[5] = int32s({2}, {5, -1}); }, kBad, "seqlens_k has -1");
  fails([](NodeCase&, Inputs& in) { in[6] = int32s({1}, {0}); }, kBad,
        "total_sequence_length is 0");
  fails(
      [](NodeCase&, Inputs& in) {
        in[10] = random_tensor({2, 4, 1, 5}, 1);
      },
      kBad, "attention_bias has");
  fails([](NodeCase&, Inputs& in) { in[11] = random_tensor({3}, 1); }, kBad, "head_sink has");
  fails([](NodeCase& n, Inputs&) { n.attributes.push_back(Attribute::of_int("do_rotary", 1)); },
        kBad, "needs cos_cache");
  fails(
      [](NodeCase& n, Inputs& in) {
        n.attributes.push_back(Attribute::of_int("do_rotary", 1));
        in[7] = in[8] = random_tensor({4, 3}, 1);
      },
      kBad, "position 5 of 4");
}

// --- RotaryEmbedding.

void check_rotary(const Dims& dims, const Tensor& ids, int64_t heads, int64_t size, int64_t half,
                  bool interleaved, bool names_heads) {
  const Tensor x = random_tensor(dims, 1, -2, 2), cos = random_tensor({9, half}, 2),
               sin = random_tensor({9, half}, 3);
  NodeCase node{"RotaryEmbedding", "com.microsoft", 1};
  if (interleaved) node.attributes.push_back(Attribute::of_int("interleaved", 1));
  if (names_heads) node.attributes.push_back(Attribute::of_int("num_heads", heads));
  if (names_heads && 2 * half < size) {
    node.attributes.push_back(Attribute::of_int("rotary_embedding_dim", 2 * half));
  }
  Numbers y = numbers_of(x);
  const int64_t sequence = dims.size() == 3 ? dims[1] : dims[2];
  for (int64_t i = 0; i < dims[0] * heads * sequence; ++i) {
    const int64_t b = i / (heads * sequence);
    const int64_t t = dims.size() == 3 ? i / heads % sequence : i % sequence;
    const auto all = ids.elements<int64_t>();
    const int64_t place =
        ids.dims().size() == 1 ? all[0] + t : all[static_cast<size_t>(b * sequence + t)];
    turn(y.data() + i * size, cos.elements<float>().data() + place * half,
         sin.elements<float>().data() + place * half, half, interleaved);
  }
  run_everywhere(node, {x, ids, cos, sin}, [&](const std::vector<Tensor>& found) {
    check_close(found[0], dims, y, 1e-5, 1e-5);
  });
  if (ids.dims().size() != 2 || !names_heads) return;
  node.domain = "";
  node.opset = 23;
  run_everywhere(node, {x, cos, sin, ids}, [&](const std::vector<Tensor>& found) {
    check_close(found[0], dims, y, 1e-5, 1e-5);
  });
}

TEST(ms_rotary_embedding, turns_packed_and_separate_heads) {
  const Tensor each = Tensor::from<int64_t>({2, 3}, std::vector<int64_t>{8, 0, 3, 1, 1, 7});
  const Tensor first = Tensor::from<int64_t>({1}, std::vector<int64_t>{4});
  for (const Tensor& ids : {each, first}) {
    for (const bool interleaved : {false, true}) {
      check_rotary({2, 3, 24}, ids, 4, 6, 3, interleaved, false);
      check_rotary({2, 3, 24}, ids, 4, 6, 3, interleaved, true);
      check_rotary({2, 3, 24}, ids, 4, 6, 2, interleaved, true);
      check_rotary({2, 4, 3, 6}, ids, 4, 6, 3, interleaved, false);
      check_rotary({2, 4, 3, 6}, ids, 4, 6, 2, interleaved, true);
      check_rotary({2, 3, 160}, ids, 4, 40, 19, interleaved, true);
      check_rotary({2, 4, 3, 40}, ids, 4, 40, 20, interleaved, true);
    }
  }
  check_rotary({0, 3, 24}, first, 4, 6, 3, false, false);
}

TEST(rotary_embedding, names_the_positions_that_do_not_fit) {
  const Tensor cache = random_tensor({5, 2}, 2), x = random_tensor({2, 2, 3, 4}, 1);
  const Tensor ids = Tensor::from<int64_t>({1, 3}, std::vector<int64_t>{0, 1, 2});
  const auto found =
      testing::evaluate({"RotaryEmbedding", "", 23}, {x, cache, cache, ids}, 1, host_isa());
  CHECK_CODE(found, Code::kInvalidArgument);
  CHECK(std::string(found.status().message()).find("position_ids of shape [1,3]") !=
        std::string::npos);
}

TEST(ms_rotary_embedding, refuses_places_without_angles_and_odd_caches) {
  const Tensor x = random_tensor({2, 3, 24}, 1), cos = random_tensor({9, 3}, 2);
  const auto fails = [&](std::vector<Tensor> in, std::string_view text,
                         std::vector<Attribute> attributes = {}) {
    const auto found =
        testing::evaluate({"RotaryEmbedding", "com.microsoft", 1, attributes}, in, 1, host_isa());
    CHECK(!found.is_ok());
    CHECK(std::string(found.status().message()).find(text) != std::string::npos);
  };
  const auto ids = [](int64_t id) { return Tensor::from<int64_t>({1}, std::vector<int64_t>{id}); };
  fails({x, ids(7), cos, cos}, "position 9 of 9");
  fails({x, ids(-1), cos, cos}, "position -1 of 9");
  fails({x, Tensor::create(DType::kInt64, {3, 2}).value(), cos, cos}, "position_ids has");
  fails({x, ids(0), cos, random_tensor({8, 3}, 1)}, "sin_cache has");
  fails({random_tensor({2, 3, 25}, 1), ids(0), cos, cos}, "input has");
  fails({x, ids(0), cos, cos}, "is_packed_batching", {Attribute::of_int("is_packed_batching", 1)});
  fails({x, ids(0), cos, cos}, "scale", {Attribute::of_float("scale", 2)});
}

}  // namespace
}  // namespace ortc::cpu
