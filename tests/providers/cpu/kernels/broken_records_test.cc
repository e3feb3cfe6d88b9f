// SPDX-License-Identifier: MIT
// Records of kernels with some of their numbers changed: bind refuses them, or the run stays inside
// buffers that are exactly as large as they must be (a sanitizer sees every byte too many).
#include <memory>

#include "providers/cpu/kernels/search/score_rules.h"
#include "tests/providers/cpu/kernels/node_case.h"
#include "tests/providers/cpu/kernels/search_testing.h"

namespace ortc::cpu {
namespace {

using testing::NodeCase;
using testing::random_tensor;

constexpr int kRounds = 3000;
constexpr uint64_t kBytesMax = 1 << 18;

class Prepare final : public PrepareContext {
 public:
  Prepare(const Node& node, std::vector<Tensor> tensors) : inputs(std::move(tensors)), node_(node) {
    for (const Tensor& t : inputs) types_.push_back(t.is_defined() ? Type::tensor_of(t) : Type{});
  }
  const Node& node() const override { return node_; }
  int64_t opset() const override { return node_.opset(); }
  const Type& input_type(size_t i) const override { return i < types_.size() ? types_[i] : none_; }
  const Type& output_type(size_t) const override { return none_; }
  const Tensor* constant(size_t i) const override {
    return i < inputs.size() && inputs[i].is_defined() ? &inputs[i] : nullptr;
  }
  void set_params_bytes(Bytes bytes) override { record.assign(bytes.begin(), bytes.end()); }
  void replace_input(size_t i, Tensor packed, Layout) override { inputs[i] = std::move(packed); }
  void drop_input(size_t i) override { inputs[i] = Tensor(); }

  std::vector<Tensor> inputs;
  std::vector<std::byte> record;

 private:
  const Node& node_;
  std::vector<Type> types_;
  Type none_;
};

struct Random {
  uint64_t state = 7;
  uint32_t next(uint32_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state >> 33) % bound;
  }
};

// A small number, one near to what is there, or a wild one.
int32_t other_value(const std::byte* word, Random& random) {
  constexpr int32_t kWild[] = {-1, INT32_MIN, INT32_MAX, 1 << 20, 1000, 64};
  const uint32_t kind = random.next(5);
  if (kind == 0) return kWild[random.next(6)];
  if (kind < 3) return static_cast<int32_t>(random.next(6));
  uint32_t near = 0;
  std::memcpy(&near, word, sizeof near);
  return static_cast<int32_t>(near + random.next(33) - 16);
}

void change(std::vector<std::byte>& record, Random& random) {
  const uint32_t words = static_cast<uint32_t>(record.size() / 4);
  for (uint32_t i = 0; i <= random.next(3); ++i) {
    std::byte* const word = record.data() + 4 * random.next(words);
    const int32_t value = other_value(word, random);
    std::memcpy(word, &value, sizeof value);
  }
}

// An own copy of exactly the tensor's size.
struct Exact {
  std::unique_ptr<std::byte[]> bytes;
  ValueRef ref;
  explicit Exact(const Tensor& t) : bytes(std::make_unique<std::byte[]>(t.byte_size())) {
    if (!t.is_defined()) return;
    if (t.byte_size() > 0) std::memcpy(bytes.get(), t.data(), t.byte_size());
    ref = {t.dtype(), static_cast<uint32_t>(t.dims().size()), t.dims().data(), bytes.get()};
  }
};

// True when the step was run.
bool try_record(const KernelRow& row, Bytes record, const std::vector<ValueRef>& inputs,
                size_t output_count, ThreadPool& pool) {
  std::vector<BindContext::Output> shapes(output_count);
  for (auto& shape : shapes) shape.wanted = true;
  BindContext bind(row.id, record, inputs, shapes, pool.thread_count(), host_isa());
  if (!row.bind(bind).is_ok() || bind.scratch() > 16 * kBytesMax) return false;
  std::vector<Exact> outputs;
  for (const auto& shape : shapes) {
    const auto count = static_cast<uint64_t>(*checked_element_count(shape.dims));
    if (!shape.is_set || *dtype_bytes(shape.dtype, count) > kBytesMax) return false;
  }
  std::vector<Tensor> tensors;  // strings stay where they are
  std::vector<ValueRef> refs;
  for (const auto& shape : shapes) {
    tensors.push_back(Tensor::create(shape.dtype, shape.dims).value());
    outputs.emplace_back(tensors.back());
    refs.push_back(shape.dtype == DType::kString ? ref_to(tensors.back()) : outputs.back().ref);
    refs.back().dim_data = shape.dims.data();
  }
  Tensor scratch = Tensor::create(DType::kUint8, {static_cast<int64_t>(bind.scratch())}).value();
  const RunContext::Host host{&pool, host_isa(), nullptr, nullptr};
  RunContext run(record, inputs, refs, static_cast<std::byte*>(scratch.mutable_data()), host);
  (void)row.run(run).is_ok();
  return true;
}

void check_changes(const NodeCase& what, const std::vector<Tensor>& inputs) {
  testing::SingleNode single(what, inputs);
  const KernelRow* row = kernel_registry().find(single.node());
  CHECK(row != nullptr);
  Prepare prepare(single.node(), inputs);
  CHECK_OK(row->prepare(prepare));
  std::vector<Exact> exact;
  std::vector<ValueRef> refs;
  for (const Tensor& input : prepare.inputs) exact.emplace_back(input);
  for (const Exact& input : exact) refs.push_back(input.ref);
  ThreadPool pool({.thread_count = 2});
  CHECK(try_record(*row, prepare.record, refs, what.outputs, pool));
  Random random;
  for (int i = 0; i < kRounds; ++i) {
    std::vector<std::byte> record = prepare.record;
    change(record, random);
    if (random.next(20) == 0) record.resize(random.next(static_cast<uint32_t>(record.size())));
    (void)try_record(*row, record, refs, what.outputs, pool);
  }
}

const std::string kOwn(kInternalDomain);

TEST(broken_records, of_products_stay_inside_their_buffers) {
  const Tensor a = random_tensor({7, 9}, 1), b = random_tensor({9, 40}, 2);
  check_changes({"Gemm", kOwn, 0}, {a, b, random_tensor({40}, 3), random_tensor({7, 40}, 4)});
  check_changes({"MatMul", "", 13}, {a, b});
  check_changes({"BatchedMatMul", kOwn, 0},
                {random_tensor({2, 9, 9}, 1), random_tensor({9, 9}, 2)});
  check_changes({"Gemm", "", 13}, {a, b, random_tensor({40}, 3)});
}

TEST(broken_records, of_convolutions_stay_inside_their_buffers) {
  const auto pads = Attribute::of_ints("pads", {1, 1, 1, 1});
  const Tensor x = random_tensor({1, 6, 7, 8}, 1);
  check_changes({"Conv", kOwn, 0, {pads}}, {x, random_tensor({4, 8, 3, 3}, 2)});
  check_changes({"Conv", kOwn, 0, {pads, Attribute::of_int("group", 8)}},
                {x, random_tensor({8, 1, 3, 3}, 2), random_tensor({8}, 3)});
  const Tensor y = random_tensor({1, 4, 6, 7}, 1);
  check_changes({"Conv", "", 11, {pads}}, {y, random_tensor({6, 4, 3, 3}, 2)});
  check_changes({"ConvTranspose", "", 11, {pads, Attribute::of_ints("strides", {2, 2})}},
                {y, random_tensor({4, 6, 3, 3}, 2)});
}

TEST(broken_records, of_pools_stay_inside_their_buffers) {
  const auto kernel = Attribute::of_ints("kernel_shape", {3, 2});
  const Tensor x = random_tensor({2, 6, 7, 5}, 1);
  for (const std::string& domain : {kOwn, std::string()}) {
    check_changes({"MaxPool", domain, 22, {kernel}}, {x});
    check_changes({"AveragePool", domain, 22, {kernel, Attribute::of_int("count_include_pad", 1)}},
                  {x});
  }
  check_changes({"MaxPool", "", 22, {kernel}, 2}, {x});
  check_changes({"LpPool", "", 22, {kernel}}, {x});
  check_changes({"GlobalLpPool", "", 22}, {x});
}

TEST(broken_records, of_normalisations_stay_inside_their_buffers) {
  const Tensor x = random_tensor({2, 6, 4, 4}, 1), c = random_tensor({6}, 2);
  check_changes({"Softmax", "", 13, {Attribute::of_int("axis", 1)}}, {x});
  check_changes({"MaskedSoftmax", kOwn, 0}, {x, random_tensor({4, 4}, 2)});
  check_changes({"LayerNormalization", "", 17, {Attribute::of_int("axis", -1)}, 3},
                {x, random_tensor({4}, 1), random_tensor({4}, 1)});
  check_changes({"SkipLayerNormalization", "com.microsoft", 1, {}, 4},
                {x, random_tensor({4, 4}, 1), random_tensor({4}, 1), random_tensor({4}, 1)});
  check_changes({"BatchNormalization", "", 15}, {x, c, c, c, c});
  check_changes({"InstanceNormalization", "", 6}, {x, c, c});
  check_changes({"GroupNormalization", "", 21, {Attribute::of_int("num_groups", 2)}}, {x, c, c});
  check_changes({"LRN", "", 13, {Attribute::of_int("size", 3)}}, {x});
  check_changes({"MeanVarianceNormalization", "", 13}, {x});
  check_changes({"LpNormalization", "", 13}, {x});
}

TEST(broken_records, of_transformers_stay_inside_their_buffers) {
  const std::string ms = "com.microsoft";
  const std::vector<Attribute> heads = {Attribute::of_int("num_heads", 2)};
  const Tensor ids = Tensor::from<int32_t>({2, 3}, std::vector<int32_t>{4, 1, 0, 2, 2, 3});
  const Tensor mask = Tensor::from<int32_t>({2}, std::vector<int32_t>{3, 2});
  const Tensor x = random_tensor({2, 3, 8}, 1);
  check_changes({"EmbedLayerNormalization", ms, 1, {}, 3},
                {ids, ids, random_tensor({5, 8}, 1), random_tensor({3, 8}, 2),
                 random_tensor({5, 8}, 3), random_tensor({8}, 4), random_tensor({8}, 5), ids});
  check_changes({"Attention", ms, 1, heads, 2},
                {x, random_tensor({8, 24}, 2), random_tensor({24}, 3), mask,
                 random_tensor({2, 2, 2, 3, 4}, 4)});
  check_changes(
      {"MultiHeadAttention", ms, 1, heads, 4},
      {x, random_tensor({2, 5, 8}, 2), random_tensor({2, 5, 8}, 3), random_tensor({24}, 4), mask});
}

Tensor random_bytes(DType dtype, Dims dims, uint32_t seed) {
  Tensor tensor = Tensor::create(dtype, std::move(dims)).value();
  Random random{seed};
  for (size_t i = 0; i < tensor.byte_size(); ++i) {
    static_cast<uint8_t*>(tensor.mutable_data())[i] = static_cast<uint8_t>(random.next(256));
  }
  return tensor;
}

TEST(broken_records, of_quantised_products_stay_inside_their_buffers) {
  const Tensor scale = Tensor::scalar(0.01f), zero = random_bytes(DType::kUint8, {}, 1);
  const auto y_scale = Attribute::of_float("y_scale", 0.5f);
  for (const DType dtype : {DType::kUint8, DType::kInt8}) {
    const Tensor a = random_bytes(dtype, {7, 9}, 2), b = random_bytes(dtype, {9, 40}, 3);
    check_changes({"QGemm", kOwn, 1, {y_scale}},
                  {a, b, {}, {}, scale, {}, {}, random_tensor({40}, 3), {}, zero});
    check_changes({"QGemm", kOwn, 1},
                  {a, b, {}, {}, scale, scale, {}, {}, random_tensor({7, 40}, 1)});
    check_changes({"QMatMul", kOwn, 1},
                  {random_bytes(dtype, {2, 9, 9}, 1), random_bytes(dtype, {9, 9}, 2)});
    const auto pads = Attribute::of_ints("pads", {1, 1, 1, 1});
    const Tensor x = random_bytes(dtype, {1, 6, 7, 8}, 1);
    check_changes({"QConv", kOwn, 1, {pads, y_scale}},
                  {x, random_bytes(dtype, {4, 8, 3, 3}, 2), {}, {}, scale, {}, {}, {}, {}, zero});
    check_changes({"QConv", kOwn, 1, {pads}},
                  {random_bytes(dtype, {1, 6, 7, 3}, 1), random_bytes(dtype, {4, 3, 3, 3}, 2)});
    check_changes({"QConv", kOwn, 1, {pads, Attribute::of_int("group", 8)}},
                  {x, random_bytes(DType::kInt8, {8, 1, 3, 3}, 2)});
    check_changes({"ConvInteger", "", 10, {pads}},
                  {random_bytes(dtype, {1, 4, 6, 7}, 1), random_bytes(dtype, {6, 4, 3, 3}, 2)});
    check_changes({"MaxPool", kOwn, 1, {Attribute::of_ints("kernel_shape", {3, 2})}}, {x});
  }
}

// Without an activation or a residual the factor in front of rounding is in the columns' scales.
TEST(broken_records, of_plain_8_bit_products_that_multiply_before_rounding_are_refused) {
  const Tensor zero = random_bytes(DType::kUint8, {}, 5);
  const std::vector<Tensor> inputs = {random_bytes(DType::kUint8, {7, 9}, 2),
                                      random_bytes(DType::kInt8, {9, 40}, 3),
                                      {},
                                      {},
                                      random_tensor({40}, 1, 0.01f, 0.02f),
                                      {},
                                      {},
                                      {},
                                      {},
                                      zero};
  testing::SingleNode single({"QGemm", kOwn, 1, {Attribute::of_float("y_scale", 0.5f)}}, inputs);
  const KernelRow* row = kernel_registry().find(single.node());
  CHECK(row != nullptr);
  Prepare prepare(single.node(), inputs);
  CHECK_OK(row->prepare(prepare));
  std::vector<Exact> exact;
  std::vector<ValueRef> refs;
  for (const Tensor& input : prepare.inputs) exact.emplace_back(input);
  for (const Exact& input : exact) refs.push_back(input.ref);
  ThreadPool pool({.thread_count = 1});
  CHECK(try_record(*row, prepare.record, refs, 1, pool));
  const float factor = 2.0f;  // the last number of the record
  std::memcpy(prepare.record.data() + prepare.record.size() - 4, &factor, 4);
  CHECK(!try_record(*row, prepare.record, refs, 1, pool));
}

// A step of Sampling, which draws of the likeliest tokens.
struct DrawnTokens {
  NodeCase what;
  std::vector<Tensor> inputs;

  explicit DrawnTokens(bool sorts_down) {
    test::Random random(3);
    test::StepState s = test::StepState::random(random, 2, 1, 7);
    s.attributes = {Attribute::of_int("samples", 1), Attribute::of_int("custom", sorts_down),
                    Attribute::of_float("top_p", 0.5f), Attribute::of_int("min_tokens_to_keep", 1)};
    what = {"NextTokens", kOwn, 1, s.all_attributes(), NextTokens::kOutputCount};
    inputs = s.common_inputs();
    inputs.push_back(Tensor::create(DType::kBool, {2}).value());
    inputs.push_back(Tensor::scalar<int64_t>(5));
  }
};

TEST(broken_records, of_searches_stay_inside_their_buffers) {
  for (const bool sorts_down : {false, true}) {
    const DrawnTokens drawn(sorts_down);
    check_changes(drawn.what, drawn.inputs);
  }
}

TEST(broken_records, of_draws_that_keep_less_than_no_token_are_refused) {
  const DrawnTokens drawn(false);
  testing::SingleNode single(drawn.what, drawn.inputs);
  Prepare prepare(single.node(), drawn.inputs);
  CHECK_OK(kernel_registry().find(single.node())->prepare(prepare));
  SearchParams params;
  std::memcpy(&params, prepare.record.data(), sizeof params);
  testing::RawBind raw{"next_tokens", {}, prepare.inputs, drawn.what.outputs};
  raw.set_params(params);
  CHECK_OK(raw.bind());
  params.kept_tokens = -1000000;
  raw.set_params(params);
  CHECK_EQ(raw.bind().code(), Code::kInvalidGraph);
}

TEST(broken_records, of_quantisation_and_weights_of_few_bits_stay_inside_their_buffers) {
  const Tensor x = random_tensor({3, 10, 4}, 1), scale = random_tensor({3, 3, 4}, 2, 0.1f, 1.0f);
  const std::vector<Attribute> blocks = {Attribute::of_int("block_size", 4)};
  check_changes({"QuantizeLinear", "", 21, blocks},
                {x, scale, random_bytes(DType::kInt4, {3, 3, 4}, 1)});
  check_changes({"DequantizeLinear", "", 21, blocks},
                {random_bytes(DType::kUint4, {3, 10, 4}, 1), scale,
                 random_bytes(DType::kUint4, {3, 3, 4}, 1)});
  for (const int64_t rows : {1, 9}) {
    check_changes({"MatMulNBits",
                   "com.microsoft",
                   1,
                   {Attribute::of_int("K", 70), Attribute::of_int("N", 20),
                    Attribute::of_int("block_size", 32)}},
                  {random_tensor({rows, 70}, 1), random_bytes(DType::kUint8, {20, 3, 16}, 2),
                   random_tensor({60}, 3), random_bytes(DType::kUint8, {40}, 4)});
    check_changes(
        {"GatherBlockQuantized",
         "com.microsoft",
         1,
         {Attribute::of_int("bits", rows == 1 ? 4 : 8), Attribute::of_int("block_size", 32)}},
        {random_bytes(DType::kUint8, {5, rows == 1 ? 32 : 64}, 1),
         Tensor::from<int64_t>({2}, std::vector<int64_t>{3, 1}), random_tensor({5, 2}, 3)});
    // By groups, of 8 bits, with the longer record.
    std::vector<int32_t> groups(70);
    for (size_t i = 0; i < groups.size(); ++i) groups[i] = static_cast<int32_t>(i % 3);
    check_changes({"MatMulNBits",
                   "com.microsoft",
                   1,
                   {Attribute::of_int("K", 70), Attribute::of_int("N", 20),
                    Attribute::of_int("bits", 8), Attribute::of_int("block_size", 32)}},
                  {random_tensor({rows, 70}, 1),
                   random_bytes(DType::kUint8, {20, 3, 32}, 2),
                   random_tensor({60}, 3),
                   {},
                   Tensor::from<int32_t>({70}, groups)});
  }
}

Attribute texts(const std::string& name, std::initializer_list<const char*> elements) {
  Attribute attribute;
  attribute.name = name;
  attribute.kind = AttributeKind::kStrings;
  for (const char* element : elements) attribute.strings.push_back(Blob::from_string(element));
  return attribute;
}

// Two trees of three nodes.
std::vector<Attribute> two_trees(const std::string& votes, const char* mode) {
  return {Attribute::of_ints("nodes_treeids", {0, 0, 0, 1, 1, 1}),
          Attribute::of_ints("nodes_nodeids", {0, 1, 2, 0, 1, 2}),
          Attribute::of_ints("nodes_featureids", {0, 0, 0, 2, 0, 0}),
          Attribute::of_floats("nodes_values", {0.1f, 0, 0, -0.1f, 0, 0}),
          texts("nodes_modes", {mode, "LEAF", "LEAF", "BRANCH_LEQ", "LEAF", "LEAF"}),
          Attribute::of_ints("nodes_truenodeids", {1, 0, 0, 2, 0, 0}),
          Attribute::of_ints("nodes_falsenodeids", {2, 0, 0, 1, 0, 0}),
          Attribute::of_ints(votes + "_treeids", {0, 0, 0, 1, 1}),
          Attribute::of_ints(votes + "_nodeids", {1, 2, 2, 1, 2}),
          Attribute::of_ints(votes + "_ids", {0, 1, 2, 1, 0}),
          Attribute::of_floats(votes + "_weights", {1, 2, 3, 4, 5})};
}

TEST(broken_records, of_predictors_stay_inside_their_buffers) {
  const std::string ml = "ai.onnx.ml";
  const Tensor x = random_tensor({19, 3}, 1);
  const auto three = Attribute::of_ints("classlabels_int64s", {1, 2, 3});
  for (const char* mode : {"BRANCH_LEQ", "BRANCH_EQ", "BRANCH_GTE"}) {
    auto attributes = two_trees("target", mode);
    attributes.push_back(Attribute::of_int("n_targets", 3));
    check_changes({"TreeEnsembleRegressor", ml, 3, attributes}, {x});
    attributes = two_trees("class", mode);
    attributes.push_back(three);
    check_changes({"TreeEnsembleClassifier", ml, 3, attributes, 2}, {x});
  }
  const auto floats = [](const char* name, size_t count) {
    return Attribute::of_floats(name, std::vector<float>(count, 0.5f));
  };
  const auto labels = Attribute::of_ints("classlabels_ints", {1, 2, 3});
  check_changes({"LinearClassifier", ml, 1, {floats("coefficients", 9), labels}, 2}, {x});
  check_changes({"LinearRegressor", ml, 1, {floats("coefficients", 3), floats("intercepts", 1)}},
                {x});
  const std::vector<Attribute> svm = {floats("coefficients", 8),
                                      floats("support_vectors", 12),
                                      floats("rho", 3),
                                      floats("prob_a", 3),
                                      floats("prob_b", 3),
                                      labels,
                                      Attribute::of_ints("vectors_per_class", {1, 2, 1})};
  check_changes({"SVMClassifier", ml, 1, svm, 2}, {x});
  check_changes({"SVMRegressor",
                 ml,
                 1,
                 {floats("coefficients", 2), floats("support_vectors", 6), floats("rho", 1),
                  Attribute::of_int("n_supports", 2)}},
                {x});
}

TEST(broken_records, of_features_stay_inside_their_buffers) {
  const std::string ml = "ai.onnx.ml";
  const Tensor x = random_tensor({19, 3}, 1);
  const auto three = [](const char* name) { return Attribute::of_floats(name, {1, 2, 3}); };
  check_changes({"Scaler", ml, 1, {three("offset"), three("scale")}}, {x});
  check_changes({"Imputer", ml, 1, {three("imputed_value_floats")}}, {x});
  check_changes({"Normalizer", ml, 1}, {x});
  check_changes({"OneHotEncoder", ml, 1, {Attribute::of_ints("cats_int64s", {1, 0, 2})}}, {x});
  check_changes({"FeatureVectorizer", ml, 1, {Attribute::of_ints("inputdimensions", {2, 5})}},
                {x, x});
  check_changes(
      {"TfIdfVectorizer",
       "",
       9,
       {Attribute::of_string("mode", "TFIDF"), Attribute::of_int("max_gram_length", 2),
        Attribute::of_int("max_skip_count", 1), Attribute::of_ints("ngram_counts", {0, 3}),
        Attribute::of_ints("pool_int64s", {1, 2, 3, 1, 3, 2, 2}),
        Attribute::of_ints("ngram_indexes", {0, 1, 2, 4, 3})}},
      {Tensor::from<int64_t>({2, 5}, std::vector<int64_t>{1, 2, 2, 3, 4, 1, 3, 2, 2, 1})});
  check_changes({"Cast", "", 25, {Attribute::of_int("to", 17)}}, {x});
  check_changes({"QuantizeLinear", "", 25, {Attribute::of_int("output_dtype", 23)}},
                {x, Tensor::scalar(0.5f)});
}

}  // namespace
}  // namespace ortc::cpu
