// SPDX-License-Identifier: MIT
// Caches of com.microsoft's GroupQueryAttention: of integers, that slide, that are past and present
// in one buffer, that another node has filled. Their numbers are compared with numpy's by
// microsoft_models.
#include <algorithm>

#include "providers/cpu/arith/int_rows/int_rows.h"
#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu {
namespace {

using testing::check_close;
using testing::int32s;
using testing::NodeCase;
using testing::random_tensor;
using testing::run_everywhere;
using testing::same_bytes;

constexpr int64_t kEntries = 2, kHeads = 4, kKeyHeads = 2, kSize = 9;

void set(NodeCase& node, const char* name, int64_t value) {
  node.attributes.push_back(Attribute::of_int(name, value));
}

NodeCase group_node(size_t outputs = 3) {
  NodeCase node{"GroupQueryAttention", "com.microsoft", 1, {}, outputs};
  set(node, "num_heads", kHeads);
  set(node, "kv_num_heads", kKeyHeads);
  return node;
}

// Keys with one scale, values with one for each column.
void quantise(NodeCase& node, int64_t bits) {
  node.attributes.push_back(Attribute::of_string("k_quant_type", "PER_TENSOR"));
  node.attributes.push_back(Attribute::of_string("v_quant_type", "PER_CHANNEL"));
  set(node, "kv_cache_bit_width", bits);
}

struct Step {
  int64_t queries, past;
  std::vector<int32_t> keys;
  int64_t bits = 32;
  int64_t window = 0;  // of a cache that slides
};

Tensor cache_of(const Step& step, uint64_t seed) {
  if (step.bits == 32) return random_tensor({kEntries, kKeyHeads, step.past, kSize}, seed);
  const auto width = static_cast<int64_t>(int_row_bytes(static_cast<int>(step.bits), kSize));
  Tensor cache = Tensor::create(step.bits == 8 ? DType::kInt8 : DType::kUint8,
                                {kEntries, kKeyHeads, step.past, width})
                     .value();
  auto* bytes = static_cast<uint8_t*>(cache.mutable_data());
  for (size_t i = 0; i < cache.byte_size(); ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    bytes[i] = static_cast<uint8_t>(seed >> 40);
  }
  return cache;
}

NodeCase step_node(const Step& step) {
  NodeCase node = group_node();
  if (step.bits != 32) quantise(node, step.bits);
  if (step.window > 0) {
    set(node, "local_window_size", step.window);
    set(node, "sliding_window_cache", 1);
  }
  return node;
}

std::vector<Tensor> step_inputs(const Step& step) {
  std::vector<Tensor> in(16);
  in[0] = random_tensor({kEntries, step.queries, kHeads * kSize}, 1, -2, 2);
  in[1] = random_tensor({kEntries, step.queries, kKeyHeads * kSize}, 2, -2, 2);
  in[2] = random_tensor({kEntries, step.queries, kKeyHeads * kSize}, 3);
  if (step.past > 0) in[3] = cache_of(step, 4);
  if (step.past > 0) in[4] = cache_of(step, 5);
  std::vector<int32_t> lengths;
  for (const int32_t n : step.keys) lengths.push_back(n - 1);
  in[5] = int32s({kEntries}, lengths);
  in[6] = int32s({1}, {*std::max_element(step.keys.begin(), step.keys.end())});
  if (step.bits != 32) {
    const float unit = step.bits == 8 ? 0.02f : 0.3f;
    in[12] = random_tensor({1}, 6, unit, 2 * unit);
    in[13] = random_tensor({1, kKeyHeads, 1, kSize}, 7, unit / 2, unit);
  }
  return in;
}

// Prompts, tokens, several tokens, in pasts with and without room.
std::vector<Step> all_steps() {
  return {{5, 0, {5, 3}}, {1, 5, {6, 6}}, {1, 9, {7, 4}}, {3, 8, {8, 6}}, {12, 12, {12, 12}}};
}

// --- Integers.

Tensor floats_of(const Tensor& cache, int bits, const Tensor& scale) {
  Dims dims = cache.dims();
  dims[3] = kSize;
  Tensor wide = Tensor::create(DType::kFloat32, dims).value();
  const IntRowKernels& ints = int_row_kernels(Isa::kGeneric, bits);
  const auto* bytes = static_cast<const uint8_t*>(cache.data());
  float* to = wide.mutable_elements<float>().data();
  for (int64_t i = 0; i < dims[0] * dims[1] * dims[2]; ++i, to += kSize) {
    ints.widen(bytes + static_cast<size_t>(i) * int_row_bytes(bits, kSize), kSize, to);
    const int64_t head = i / dims[2] % kKeyHeads;
    for (int64_t c = 0; c < kSize; ++c) {
      to[c] *= scale.elements<float>()[static_cast<size_t>(
          scale.element_count() == 1 ? 0 : head * kSize + c)];
    }
  }
  return wide;
}

TEST(group_cache, integers_give_what_attention_over_their_numbers_gives) {
  for (const int64_t bits : {8, 4}) {
    for (Step step : all_steps()) {
      step.bits = bits;
      const std::vector<Tensor> in = step_inputs(step);
      run_everywhere(step_node(step), in, [&](const std::vector<Tensor>& found) {
        std::vector<Tensor> wide = in;
        wide.resize(7);
        wide[1] = wide[2] = random_tensor({kEntries, 0, kKeyHeads * kSize}, 1);
        wide[3] = floats_of(found[1], static_cast<int>(bits), in[12]);
        wide[4] = floats_of(found[2], static_cast<int>(bits), in[13]);
        const auto expected = testing::evaluate(group_node(1), wide, 1, host_isa());
        CHECK_OK(expected);
        const auto y = (*expected)[0].elements<float>();
        check_close(found[0], (*expected)[0].dims(), {y.begin(), y.end()}, 1e-4, 2e-5);
      });
    }
  }
}

TEST(group_cache, many_heads_of_a_token_give_the_same_bits_on_any_number_of_threads) {
  constexpr int64_t kMany = 23;
  Step step{1, 9, {7, 4}, 8};
  std::vector<Tensor> in = step_inputs(step);
  NodeCase node{"GroupQueryAttention", "com.microsoft", 1, {}, 1};
  set(node, "num_heads", kMany);
  set(node, "kv_num_heads", 1);
  quantise(node, 8);
  in[0] = random_tensor({kEntries, 1, kMany * kSize}, 1, -2, 2);
  in[1] = in[2] = random_tensor({kEntries, 1, kSize}, 2, -2, 2);
  in[3] = in[4] = Tensor::create(DType::kInt8, {kEntries, 1, 9, kSize}).value();
  for (size_t i = 0; i < in[3].byte_size(); ++i) {
    in[3].mutable_elements<int8_t>()[i] = static_cast<int8_t>(i * 37);
  }
  in[13] = random_tensor({kSize}, 7, 0.01f, 0.02f);
  run_everywhere(node, in, [&](const std::vector<Tensor>& found) {
    // Each head by itself: so few that it is one part.
    for (const int64_t h : {0, 7, 8, 22}) {
      std::vector<Tensor> one = in;
      one[0] = Tensor::create(DType::kFloat32, {kEntries, 1, kSize}).value();
      std::vector<double> expected;
      for (int64_t b = 0; b < kEntries; ++b) {
        for (int64_t c = 0; c < kSize; ++c) {
          one[0].mutable_elements<float>()[static_cast<size_t>(b * kSize + c)] =
              in[0].elements<float>()[static_cast<size_t>((b * kMany + h) * kSize + c)];
          expected.push_back(
              found[0].elements<float>()[static_cast<size_t>((b * kMany + h) * kSize + c)]);
        }
      }
      NodeCase single = node;
      single.attributes[0] = Attribute::of_int("num_heads", 1);
      const auto alone = testing::evaluate(single, one, 1, host_isa());
      CHECK_OK(alone);
      check_close((*alone)[0], {kEntries, 1, kSize}, expected, 1e-4, 1e-5);
    }
  });
}

TEST(group_cache, integers_are_rounded_floats_behind_those_of_the_past) {
  Step step{3, 9, {8, 6}, 8};
  const std::vector<Tensor> in = step_inputs(step);
  const auto found = testing::evaluate(step_node(step), in, 1, host_isa());
  CHECK_OK(found);
  const float scale = in[12].elements<float>()[0];
  for (int64_t i = 0; i < (*found)[1].element_count(); ++i) {
    const int64_t b = i / (kKeyHeads * step.past * kSize), c = i % kSize;
    const int64_t h = i / (step.past * kSize) % kKeyHeads, row = i / kSize % step.past;
    const int64_t before = step.keys[static_cast<size_t>(b)] - step.queries, t = row - before;
    int expected = 0;
    if (t < 0) expected = in[3].elements<int8_t>()[static_cast<size_t>(i)];
    if (t >= 0 && t < step.queries) {
      const auto at = ((b * step.queries + t) * kKeyHeads + h) * kSize + c;
      const float x = in[1].elements<float>()[static_cast<size_t>(at)] * (1.0f / scale);
      expected = static_cast<int>(std::clamp(std::nearbyint(x), -128.0f, 127.0f));
    }
    CHECK_EQ(int{(*found)[1].elements<int8_t>()[static_cast<size_t>(i)]}, expected);
  }
}

// --- One buffer as past and present, as programs bind it that keep a cache.

class RecordPrepare final : public PrepareContext {
 public:
  explicit RecordPrepare(const Node& node) : node_(node) {}
  const Node& node() const override { return node_; }
  int64_t opset() const override { return 1; }
  const Type& input_type(size_t) const override { return none_; }
  const Type& output_type(size_t) const override { return none_; }
  const Tensor* constant(size_t) const override { return nullptr; }
  void set_params_bytes(Bytes bytes) override { record.assign(bytes.begin(), bytes.end()); }
  void replace_input(size_t, Tensor, Layout) override {}
  void drop_input(size_t) override {}

  std::vector<std::byte> record;

 private:
  const Node& node_;
  Type none_;
};

// Runs the node with the past as the present; gives y.
Tensor run_in_place(const NodeCase& node, const std::vector<Tensor>& in) {
  testing::SingleNode single(node, in);
  const KernelRow* row = kernel_registry().find(single.node());
  RecordPrepare prepare(single.node());
  CHECK_OK(row->prepare(prepare));
  std::vector<ValueRef> refs;
  for (const Tensor& t : in) refs.push_back(ref_to(t));
  std::vector<BindContext::Output> shapes(3);
  for (auto& shape : shapes) shape.wanted = true;
  BindContext bind(row->id, prepare.record, refs, shapes, 1, host_isa());
  CHECK_OK(row->bind(bind));
  CHECK_EQ(shapes[1].dims, in[3].dims());
  Tensor y = Tensor::create(DType::kFloat32, shapes[0].dims).value();
  std::vector<ValueRef> outputs = {ref_to(y), refs[3], refs[4]};
  std::vector<float> scratch(bind.scratch() / sizeof(float) + 16);
  const RunContext::Host host{nullptr, host_isa()};
  RunContext run(prepare.record, refs, outputs, reinterpret_cast<std::byte*>(scratch.data()), host);
  CHECK_OK(row->run(run));
  return y;
}

// Rows of a cache in use after the step.
int64_t rows_in_use(const Step& step, size_t b) {
  const int64_t length = step.keys[b];
  if (step.window == 0 || length <= step.past) return length;
  const int64_t gap = step.past - step.window + 1;
  return length - (length - step.past + gap - 1) / gap * gap;
}

void check_in_place(const Step& step) {
  const auto expected = testing::evaluate(step_node(step), step_inputs(step), 1, host_isa());
  CHECK_OK(expected);
  const std::vector<Tensor> in = step_inputs(step);
  CHECK(same_bytes(run_in_place(step_node(step), in), (*expected)[0]));
  const std::vector<Tensor> before = step_inputs(step);
  for (const size_t part : {size_t{1}, size_t{2}}) {
    const Tensor& cache = in[2 + part];
    const size_t head = cache.byte_size() / (kEntries * kKeyHeads);
    const size_t row = head / static_cast<size_t>(step.past);
    const auto at = [&](const Tensor& t, size_t i) {
      return static_cast<const std::byte*>(t.data()) + i * head;
    };
    for (size_t i = 0; i < kEntries * kKeyHeads; ++i) {
      const size_t used = static_cast<size_t>(rows_in_use(step, i / kKeyHeads)) * row;
      CHECK(std::memcmp(at(cache, i), at((*expected)[part], i), used) == 0);
      if (step.window > 0) continue;
      CHECK(std::memcmp(at(cache, i) + used, at(before[2 + part], i) + used, head - used) == 0);
    }
  }
}

TEST(group_cache, adds_to_the_past_where_that_is_the_present) {
  for (const int64_t bits : {32, 8, 4}) {
    check_in_place({1, 11, {6, 3}, bits});
    check_in_place({1, 11, {11, 11}, bits});
    check_in_place({4, 11, {9, 5}, bits});
  }
}

TEST(group_cache, slides_in_place_as_it_does_into_another_buffer) {
  for (const int64_t bits : {32, 8, 4}) {
    for (const int32_t length : {3, 6, 7, 8, 9, 10, 11})
      check_in_place({1, 6, {length, 9}, bits, 4});
    check_in_place({1, 4, {9, 5}, bits, 4});
    check_in_place({4, 6, {9, 6}, bits, 4});
    check_in_place({9, 6, {9, 9}, bits, 4});
  }
}

// A cache that slides gives the queries what the whole cache gives them, token by token.
TEST(group_cache, slides_without_a_trace_in_the_results) {
  constexpr int64_t kTokens = 30, kWindow = 4;
  std::vector<Tensor> whole(2), window(2);
  for (Tensor& t : whole) t = random_tensor({kEntries, kKeyHeads, kTokens, kSize}, 1);
  for (Tensor& t : window) t = random_tensor({kEntries, kKeyHeads, 6, kSize}, 1);
  NodeCase all = group_node(), some = group_node();
  for (NodeCase* node : {&all, &some}) set(*node, "local_window_size", kWindow);
  set(some, "sliding_window_cache", 1);
  for (int32_t first = 0, n = 1; first + n <= kTokens; first += n, n = first % 5 == 0 ? 3 : 1) {
    Step step{n, kTokens, {first + n, first + n}};
    std::vector<Tensor> in = step_inputs(step);
    for (size_t i = 0; i < 3; ++i) in[i] = random_tensor(in[i].dims(), 100 + uint64_t(first) + i);
    const auto run = [&](const NodeCase& node, const std::vector<Tensor>& cache) {
      in[3] = cache[0], in[4] = cache[1];
      return run_in_place(node, in);
    };
    const Tensor y = run(all, whole);
    const auto expected = y.elements<float>();
    check_close(run(some, window), y.dims(), {expected.begin(), expected.end()}, 1e-5, 1e-6);
  }
}

// --- What is refused.

TEST(group_cache, refuses_caches_that_do_not_fit_their_attributes) {
  using Inputs = std::vector<Tensor>;
  const auto fails = [](const std::function<void(NodeCase&, Inputs&)>& change, Code code,
                        std::string_view text) {
    const Step step{1, 5, {6, 6}};
    NodeCase node = group_node();
    Inputs in = step_inputs(step);
    change(node, in);
    const auto found = testing::evaluate(node, in, 1, host_isa());
    CHECK_CODE(found, code);
    CHECK(std::string(found.status().message()).find(text) != std::string::npos);
  };
  constexpr auto kBad = Code::kInvalidArgument, kGraph = Code::kInvalidGraph;
  fails([&](NodeCase& n, Inputs&) { set(n, "sliding_window_cache", 1); }, kGraph,
        "'local_window_size' of -1");
  fails([&](NodeCase& n, Inputs&) { set(n, "qk_output", 3); }, kGraph, "expected 0, 1 or 2");
  fails([&](NodeCase& n, Inputs&) { set(n, "qk_output", 1); }, kGraph, "without output 3");
  fails([&](NodeCase& n, Inputs&) { n.outputs = 4; }, kGraph, "beside output 3");
  fails([&](NodeCase& n, Inputs&) { quantise(n, 5); }, kGraph, "is 5, expected 8 or 4");
  fails([&](NodeCase& n, Inputs&) { set(n, "kv_cache_bit_width", 8); }, kGraph,
        "without 'k_quant_type'");
  fails([](NodeCase& n,
           Inputs&) { n.attributes.push_back(Attribute::of_string("k_quant_type", "PER_TENSOR")); },
        kGraph, "two types");
  fails([](NodeCase& n,
           Inputs&) { n.attributes.push_back(Attribute::of_string("v_quant_type", "X")); },
        kGraph, "'v_quant_type' is X");
  const auto integers = [](Inputs& in, int64_t width, DType dtype) {
    in[3] = in[4] = Tensor::create(dtype, {kEntries, kKeyHeads, 5, width}).value();
    in[12] = random_tensor({1}, 1);
    in[13] = random_tensor({1, kKeyHeads, 1, kSize}, 2);
  };
  fails([&](NodeCase& n, Inputs&) { quantise(n, 8); }, kGraph, "float32");
  const auto breaks = [&](int64_t bits, int64_t width, DType dtype,
                          const std::function<void(Inputs&)>& change, Code code,
                          std::string_view text) {
    fails(
        [&](NodeCase& n, Inputs& in) {
          quantise(n, bits);
          integers(in, width, dtype);
          change(in);
        },
        code, text);
  };
  const auto nothing = [](Inputs&) {};
  breaks(8, 9, DType::kUint8, nothing, kGraph, "uint8");
  breaks(4, 9, DType::kUint8, nothing, kBad, "past_key has shape [2,2,5,9]");
  breaks(8, 9, DType::kFloat8E4M3Fn, nothing, Code::kNotImplemented, "float8e4m3fn");
  breaks(
      8, 9, DType::kInt8, [](Inputs& in) { in[12] = Tensor(); }, kBad, "k_scale is missing");
  breaks(
      8, 9, DType::kInt8, [](Inputs& in) { in[12] = in[13]; }, kBad, "expected 1 numbers");
  breaks(
      8, 9, DType::kInt8, [](Inputs& in) { in[13] = in[12]; }, kBad, "expected 18 numbers");
  fails([](NodeCase&, Inputs& in) { in[12] = random_tensor({1}, 1); }, kBad, "k_scale beside");
  fails([](NodeCase&, Inputs& in) { in[14] = random_tensor({9}, 1); }, kBad, "q_norm_weight and");
  fails([](NodeCase&, Inputs& in) { in[14] = in[15] = random_tensor({5}, 1); }, kBad,
        "q_norm_weight has");
  const auto slides = [&](NodeCase& n, int64_t window) {
    set(n, "sliding_window_cache", 1);
    set(n, "local_window_size", window);
  };
  fails([&](NodeCase& n, Inputs&) { slides(n, 6); }, kBad, "past_key has 5 rows for a window of 6");
  fails(
      [&](NodeCase& n, Inputs& in) {
        slides(n, 2);
        in[3] = in[4] = Tensor();
      },
      kBad, "needs past_key");
  const auto without_rows = [](Inputs& in) {
    in[1] = in[2] = random_tensor({kEntries, 0, kKeyHeads * kSize}, 1);
  };
  fails(
      [&](NodeCase& n, Inputs& in) {
        slides(n, 2);
        without_rows(in);
        in[6] = int32s({1}, {5});
        in[5] = int32s({2}, {4, 4});
      },
      kBad, "needs new keys");
  fails([&](NodeCase&, Inputs& in) { without_rows(in); }, kBad, "is 6 without new keys");
}

}  // namespace
}  // namespace ortc::cpu
