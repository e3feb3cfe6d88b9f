// SPDX-License-Identifier: MIT
// float16 and bfloat16 operators give the float32 operator's result, rounded once; the first forms
// of binary operators; seeded random numbers.
#include <cmath>

#include "tests/providers/cpu/kernels/half_tensors.h"
#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

using cpu::testing::narrowed;
using cpu::testing::widened;

template <typename T>
void check_type(const Op& op, const std::vector<Tensor>& floats) {
  std::vector<Tensor> narrow, wide;
  for (const Tensor& x : floats) {
    const bool is_float = x.is_defined() && x.dtype() == DType::kFloat32;
    narrow.push_back(is_float ? narrowed<T>(x) : x);
    wide.push_back(is_float ? widened<T>(narrow.back()) : x);
  }
  const auto found = run_op(op, narrow);
  const auto expected = run_op(op, wide);
  CHECK_OK(found);
  CHECK_OK(expected);
  for (size_t i = 0; i < found->size(); ++i) {
    const bool is_narrow = (*found)[i].dtype() == kDTypeOf<T>;
    CHECK(same_bits((*found)[i], is_narrow ? narrowed<T>((*expected)[i]) : (*expected)[i]));
    CHECK(i > 0 || is_narrow);
  }
}

void check_both_types(const Op& op, const std::vector<Tensor>& floats) {
  check_type<cpu::Float16>(op, floats);
  check_type<cpu::Bfloat16>(op, floats);
}

TEST(reduced_floats, are_the_float32_result_rounded_once) {
  Random random(101);
  const auto f = [&](const Dims& dims) { return random.floats(dims); };
  const Attribute kernel = Attribute::of_ints("kernel_shape", {3, 3});
  check_both_types({"MatMul"}, {f({2, 5, 40}), f({40, 7})});
  check_both_types({"Gemm", 13, {Attribute::of_int("transB", 1)}},
                   {f({5, 40}), f({9, 40}), f({9})});
  check_both_types({"Conv", 11, {kernel}}, {f({1, 4, 9, 9}), f({6, 4, 3, 3}), f({6})});
  check_both_types({"ConvTranspose", 11, {kernel}}, {f({1, 4, 5, 5}), f({4, 6, 3, 3})});
  check_both_types({"MaxPool", 12, {kernel}, 2}, {f({1, 4, 9, 9})});
  check_both_types({"AveragePool", 11, {kernel}}, {f({1, 4, 9, 9})});
  check_both_types({"GlobalAveragePool", 1}, {f({1, 4, 9, 9})});
  check_both_types({"Softmax", 13}, {f({5, 33})});
  check_both_types({"LayerNormalization", 17, {}, 3}, {f({5, 33}), f({33}), f({33})});
  check_both_types({"SkipLayerNormalization", 1, {}, 1, "com.microsoft"},
                   {f({5, 33}), f({5, 33}), f({33})});
  const Tensor ids = tensor<int32_t>({2, 3}, {4, 1, 0, 2, 2, 3});
  check_both_types({"EmbedLayerNormalization", 1, {}, 3, "com.microsoft"},
                   {ids, Tensor(), f({5, 33}), f({4, 33}), Tensor(), f({33}), f({33})});
  const std::vector<Attribute> two_heads = {Attribute::of_int("num_heads", 2)};
  check_both_types({"Attention", 1, two_heads, 2, "com.microsoft"},
                   {f({2, 3, 5}), f({5, 24}), f({24})});
  check_both_types({"MultiHeadAttention", 1, two_heads, 4, "com.microsoft"},
                   {f({2, 3, 8}), f({2, 4, 8}), f({2, 4, 8})});
  const std::vector<Attribute> groups = {Attribute::of_int("num_heads", 2),
                                         Attribute::of_int("kv_num_heads", 1)};
  check_both_types({"GroupQueryAttention", 1, groups, 3, "com.microsoft"},
                   {f({1, 2, 8}), f({1, 2, 4}), f({1, 2, 4}), f({1, 1, 3, 4}), f({1, 1, 3, 4}),
                    tensor<int32_t>({1}, {4}), tensor<int32_t>({1}, {5})});
  check_both_types({"RotaryEmbedding", 1, {}, 1, "com.microsoft"},
                   {f({1, 2, 8}), int64s({3}), f({7, 2}), f({7, 2})});
  check_both_types({"InstanceNormalization", 6}, {f({2, 3, 9}), f({3}), f({3})});
  check_both_types({"Einsum", 12, {Attribute::of_string("equation", "ij,kj->ik")}},
                   {f({5, 9}), f({4, 9})});
  check_both_types({"LSTM", 14, {}, 3}, {f({3, 2, 4}), f({1, 12, 4}), f({1, 12, 3})});
  check_both_types({"SoftmaxCrossEntropyLoss", 13, {}, 2}, {f({3, 5}), int64s({0, 4, 2})});
  check_both_types({"Attention", 23}, {f({1, 2, 4, 8}), f({1, 2, 6, 8}), f({1, 2, 6, 8})});
}

TEST(reduced_floats, rows_of_any_length_are_those_of_float32) {
  Random random(7);
  const auto f = [&](const Dims& dims) { return random.floats(dims); };
  std::vector<int64_t> sizes = {511, 512, 513, 2100};
  for (int64_t n = 1; n <= 67; ++n) sizes.push_back(n);
  for (const int64_t n : sizes) {
    for (const Dims& second : {Dims{3, n}, Dims{n}, Dims{3, 1}, Dims{1}}) {
      check_both_types({"PRelu", 16}, {f({3, n}), f(second)});
      for (const char* op : {"Max", "Min", "Sum", "Mean"}) {
        check_both_types({op, 13}, {f({3, n}), f(second), f({3, n})});
        check_both_types({op, 13}, {f(second), f({3, n})});
      }
    }
    for (const float exponent : {0.5f, 1.0f, 2.0f, 3.0f, -1.0f}) {
      check_both_types({"Pow", 15}, {f({n}), f32s({}, {exponent})});
      check_both_types({"Pow", 15}, {f32s({}, {exponent}), f({n})});
    }
    check_both_types({"Pow", 15}, {f({2, n}), f({n})});
  }
}

// Pairs of which either repeats, in rows of any length.
TEST(reduced_floats, short_rows_that_repeat_are_those_of_float32) {
  Random random(9);
  const auto f = [&](const Dims& dims) { return random.floats(dims); };
  for (int64_t n = 1; n <= 67; ++n) {
    const std::pair<Dims, Dims> shapes[] = {
        {{300, n}, {n}}, {{n, 1}, {n, 30}}, {{3, 1, n}, {1, 5, n}}, {{1, n}, {40, 1}}};
    for (const auto& [first, second] : shapes) {
      const Tensor a = f(first), b = f(second);
      for (const char* op : {"Add", "Sub", "Mul", "Div"}) check_both_types({op, 14}, {a, b});
      const Tensor narrow[] = {narrowed<cpu::Float16>(a), narrowed<cpu::Float16>(b)};
      const Tensor less = run_one({"Less", 13}, {narrow[0], narrow[1]});
      CHECK(same_bits(less, run_one({"Less", 13}, {widened<cpu::Float16>(narrow[0]),
                                                   widened<cpu::Float16>(narrow[1])})));
    }
  }
}

TEST(legacy_forms, align_b_at_the_axis) {
  const Tensor a = tensor<float>({2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const Attribute broadcast = Attribute::of_int("broadcast", 1);
  const Tensor b = tensor<float>({3}, {10, 20, 30});
  const Op at_axis{"Add", 6, {broadcast, Attribute::of_int("axis", 1)}};
  CHECK(holds<float>(run_one(at_axis, {a, b}), {2, 3, 2},
                     {10, 11, 22, 23, 34, 35, 16, 17, 28, 29, 40, 41}));
  CHECK_EQ(run_one({"Mul", 6, {broadcast}}, {a, tensor<float>({2}, {1, 2})}).dims(), a.dims());
  CHECK_EQ(run_one({"Sub", 6, {broadcast}}, {a, tensor<float>({}, {1})}).dims(), a.dims());
  CHECK_CODE(run_op({"Add", 6}, {a, b}), Code::kInvalidArgument);
  CHECK_CODE(run_op({"Add", 6, {broadcast}}, {a, b}), Code::kInvalidArgument);
  CHECK_CODE(run_op({"Add", 6, {broadcast, Attribute::of_int("axis", 3)}}, {a, b}),
             Code::kInvalidArgument);
  const Op prelu{"PRelu", 6};
  CHECK(
      holds<float>(run_one(prelu, {tensor<float>({1, 2, 1}, {-1, -1}), tensor<float>({2}, {2, 3})}),
                   {1, 2, 1}, {-2, -3}));
}

double mean_of(const Tensor& x) {
  double sum = 0;
  for (const float v : x.elements<float>()) sum += static_cast<double>(v);
  return sum / static_cast<double>(x.element_count());
}

TEST(random, numbers_follow_their_distribution_and_their_seed) {
  const Attribute shape = Attribute::of_ints("shape", {100, 100});
  const auto normal = [&](float seed) {
    return run_one({"RandomNormal",
                    1,
                    {shape, Attribute::of_float("seed", seed), Attribute::of_float("mean", 2),
                     Attribute::of_float("scale", 3)}},
                   {});
  };
  const Tensor x = normal(1);
  double square = 0;
  for (const float v : x.elements<float>()) square += std::pow(static_cast<double>(v) - 2, 2);
  CHECK_NEAR(mean_of(x), 2.0, 0, 0.15);
  CHECK_NEAR(square / 10000, 9.0, 0, 0.6);
  CHECK(same_bits(x, normal(1)));
  CHECK(!same_bits(x, normal(2)));
  const Tensor u = run_one(
      {"RandomUniform", 1, {shape, Attribute::of_float("low", -1), Attribute::of_float("high", 3)}},
      {});
  CHECK_NEAR(mean_of(u), 1.0, 0, 0.06);
  for (const float v : u.elements<float>()) CHECK(v >= -1 && v < 3);
}

TEST(random, draws_classes_and_drops_elements_as_often_as_told) {
  const Tensor logs = tensor<float>({1, 3}, {std::log(1.0f), std::log(2.0f), std::log(5.0f)});
  const Tensor drawn =
      run_one({"Multinomial", 7, {Attribute::of_int("sample_size", 8000)}}, {logs});
  std::array<int, 3> counts{};
  for (const int32_t c : drawn.elements<int32_t>()) ++counts.at(static_cast<size_t>(c));
  CHECK_NEAR(counts[0], 1000.0, 0, 150);
  CHECK_NEAR(counts[1], 2000.0, 0, 200);
  Tensor ones = Tensor::create(DType::kFloat32, {10000}).value();
  for (float& v : ones.mutable_elements<float>()) v = 1;
  Tensor yes = Tensor::create(DType::kBool, {}).value();
  yes.mutable_elements<bool>()[0] = true;
  auto dropped = run_op({"Dropout", 13, {}, 2}, {ones, tensor<float>({}, {0.75f}), yes});
  CHECK_OK(dropped);
  CHECK_NEAR(mean_of((*dropped)[0]), 1.0, 0, 0.1);
  for (size_t i = 0; i < 10000; ++i) {
    const bool stays = (*dropped)[1].elements<bool>()[i];
    CHECK_EQ((*dropped)[0].elements<float>()[i], stays ? 4.0f : 0.0f);
  }
  CHECK_CODE(run_op({"Dropout", 13}, {ones, tensor<float>({}, {1.5f}), yes}),
             Code::kInvalidArgument);
}

}  // namespace
}  // namespace ortc::test
