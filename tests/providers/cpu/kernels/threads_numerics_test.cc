// SPDX-License-Identifier: MIT
// Operators with kernels that divide their work, at sizes that are worth dividing: 2, 3 and 5
// threads give the bits of one, at every instruction set level.
#include "providers/cpu/elements/float_rows.h"
#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu {
namespace {

using testing::NodeCase;
using testing::random_tensor;

constexpr std::string_view kMicrosoft = "com.microsoft";

void check_threads(const NodeCase& what, const std::vector<Tensor>& inputs) {
  for (int level = 0; level <= static_cast<int>(host_isa()); ++level) {
    const auto isa = static_cast<Isa>(level);
    const auto one = testing::evaluate(what, inputs, 1, isa);
    CHECK_OK(one);
    for (const int threads : {2, 3, 5}) {
      const auto more = testing::evaluate(what, inputs, threads, isa);
      CHECK_OK(more);
      for (size_t i = 0; i < one->size(); ++i) {
        if (!testing::same_bytes((*one)[i], (*more)[i])) {
          test::check_failed(
              __FILE__, __LINE__,
              str_cat(what.op, ", output ", i, ", ", threads, " threads, level ", level));
        }
      }
    }
  }
}

Attribute ints(const char* name, std::vector<int64_t> values) {
  return Attribute::of_ints(name, std::move(values));
}
Attribute integer(const char* name, int64_t value) { return Attribute::of_int(name, value); }

Tensor int64s(const std::vector<int64_t>& values) {
  return Tensor::from<int64_t>({static_cast<int64_t>(values.size())}, values);
}
Tensor scalar(float value) { return Tensor::from<float>({}, std::vector<float>{value}); }

Tensor byte_tensor(DType dtype, const Dims& dims, uint64_t seed) {
  const Tensor floats = random_tensor(dims, seed, 0, 255);
  Tensor tensor = Tensor::create(dtype, dims).value();
  auto* to = static_cast<uint8_t*>(tensor.mutable_data());
  for (const float v : floats.elements<float>()) *to++ = static_cast<uint8_t>(v);
  return tensor;
}

Tensor halves(const Dims& dims, uint64_t seed) {
  const Tensor floats = random_tensor(dims, seed);
  Tensor tensor = Tensor::create(DType::kFloat16, dims).value();
  narrow(floats.elements<float>().data(), floats.element_count(),
         static_cast<Float16*>(tensor.mutable_data()));
  return tensor;
}

TEST(threads, give_products_the_same_bits) {
  const Tensor a = random_tensor({67, 301}, 1), b = random_tensor({301, 133}, 2);
  check_threads({"MatMul", ""}, {a, b});
  check_threads({"MatMul", ""}, {random_tensor({1, 901}, 1), random_tensor({901, 533}, 2)});
  check_threads({"MatMul", ""}, {random_tensor({7, 33, 65}, 1), random_tensor({7, 65, 35}, 2)});
  check_threads({"MatMul", ""}, {testing::as_doubles(a), testing::as_doubles(b)});
  check_threads({"MatMul", ""}, {halves({67, 301}, 1), halves({301, 133}, 2)});
  check_threads(
      {"Gemm", "", 13, {integer("transA", 1), integer("transB", 1)}},
      {random_tensor({301, 67}, 1), random_tensor({133, 301}, 2), random_tensor({133}, 3)});
  check_threads({"Einsum", "", 12, {Attribute::of_string("equation", "bij,bjk->bik")}},
                {random_tensor({3, 65, 67}, 1), random_tensor({3, 67, 61}, 2)});
  check_threads({"MatMulInteger", "", 10}, {byte_tensor(DType::kUint8, {67, 301}, 1),
                                            byte_tensor(DType::kInt8, {301, 133}, 2)});
  check_threads(
      {"MatMulNBits",
       std::string(kMicrosoft),
       1,
       {integer("K", 320), integer("N", 131), integer("bits", 4), integer("block_size", 32)}},
      {random_tensor({19, 320}, 1), byte_tensor(DType::kUint8, {131, 10, 16}, 2),
       random_tensor({131 * 10}, 3)});
  // Experts that one, a few and many tokens choose.
  for (const int64_t tokens : {1, 19, 350}) {
    check_threads({"MoE",
                   std::string(kMicrosoft),
                   1,
                   {integer("k", 2), Attribute::of_string("activation_type", "silu")}},
                  {random_tensor({tokens, 67}, 1), random_tensor({tokens, 5}, 2),
                   random_tensor({5, 131, 67}, 3), random_tensor({5, 131}, 4),
                   random_tensor({5, 67, 131}, 5), random_tensor({5, 67}, 6)});
  }
}

TEST(threads, give_convolutions_the_same_bits) {
  const Tensor x = random_tensor({2, 18, 37, 41}, 1);
  const std::vector<Attribute> same = {ints("pads", {1, 1, 1, 1})};
  check_threads({"Conv", "", 11, same},
                {x, random_tensor({35, 18, 3, 3}, 2), random_tensor({35}, 3)});
  check_threads({"Conv", "", 11, {integer("group", 18)}}, {x, random_tensor({18, 1, 3, 3}, 2)});
  check_threads({"Conv", "", 11, {integer("group", 3)}}, {x, random_tensor({9, 6, 3, 3}, 2)});
  check_threads({"Conv", "", 11, same},
                {halves({2, 18, 37, 41}, 1), halves({35, 18, 3, 3}, 2), halves({35}, 3)});
  const Tensor wide = random_tensor({1, 3, 137, 201}, 1);
  check_threads({"Conv", "", 11, same}, {wide, random_tensor({67, 3, 3, 3}, 2)});
  check_threads({"Conv", "", 11, {integer("group", 3), ints("strides", {2, 2})}},
                {wide, random_tensor({3, 1, 5, 5}, 2), random_tensor({3}, 3)});
  check_threads({"Conv", "", 11},
                {random_tensor({2, 9, 11, 19, 23}, 1), random_tensor({35, 9, 3, 3, 3}, 2)});
  check_threads({"ConvTranspose", "", 11, {ints("strides", {2, 2})}},
                {x, random_tensor({18, 21, 3, 3}, 2), random_tensor({21}, 3)});
  check_threads({"ConvTranspose", "", 11, {ints("strides", {2, 2})}},
                {x, random_tensor({18, 9, 2, 2}, 2)});
  check_threads({"ConvInteger", "", 10, same}, {byte_tensor(DType::kUint8, {2, 18, 37, 41}, 1),
                                                byte_tensor(DType::kInt8, {35, 18, 3, 3}, 2)});
}

TEST(threads, give_pools_and_images_the_same_bits) {
  const Tensor x = random_tensor({2, 18, 67, 61}, 1);
  const std::vector<Attribute> window = {ints("kernel_shape", {3, 3}), ints("strides", {2, 2}),
                                         ints("pads", {1, 1, 1, 1})};
  check_threads({"MaxPool", "", 12, window, 2}, {x});
  check_threads({"MaxPool", "", 12, window}, {x});
  check_threads({"AveragePool", "", 11, window}, {x});
  check_threads({"LpPool", "", 11, window}, {x});
  check_threads({"GlobalAveragePool", "", 1}, {x});
  check_threads({"GlobalMaxPool", "", 1}, {x});
  for (const char* mode : {"nearest", "linear", "cubic"}) {
    check_threads({"Resize", "", 13, {Attribute::of_string("mode", mode)}},
                  {x, Tensor(), Tensor::from<float>({4}, std::vector<float>{1, 1, 1.7f, 0.6f})});
  }
  check_threads({"GridSample", "", 16}, {x, random_tensor({2, 45, 47, 2}, 2)});
  check_threads(
      {"RoiAlign", "", 16, {integer("output_height", 7), integer("output_width", 7)}},
      {x, random_tensor({9, 4}, 2, 0, 60), Tensor::from<int64_t>({9}, std::vector<int64_t>(9))});
  check_threads({"DepthToSpace", "", 13, {integer("blocksize", 3)}}, {x});
}

TEST(threads, give_rows_the_same_bits) {
  const Tensor x = random_tensor({37, 19, 67}, 1);
  for (const int64_t axis : {0, 1, 2}) {
    for (const char* op : {"Softmax", "LogSoftmax", "Hardmax"}) {
      check_threads({op, "", 13, {integer("axis", axis)}}, {x});
    }
    for (const char* op :
         {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
          "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"}) {
      check_threads({op, "", 18}, {x, int64s({axis})});
      check_threads({op, "", 18}, {x, int64s({axis, (axis + 1) % 3})});
    }
    check_threads({"ArgMax", "", 13, {integer("axis", axis)}}, {x});
    check_threads({"CumSum", "", 14}, {x, int64s({axis})});
    check_threads({"TopK", "", 11, {integer("axis", axis)}, 2}, {x, int64s({5})});
    check_threads({"LpNormalization", "", 1, {integer("axis", axis)}}, {x});
  }
  const Tensor narrow = random_tensor({3000, 7}, 6);
  for (const char* op : {"Softmax", "LogSoftmax", "Hardmax", "LpNormalization"}) {
    check_threads({op, "", 13, {integer("axis", -1)}}, {narrow});
  }
  for (const char* norm : {"MAX", "L1", "L2"}) {
    check_threads({"Normalizer", "ai.onnx.ml", 1, {Attribute::of_string("norm", norm)}}, {narrow});
  }
  check_threads({"LayerNormalization", "", 17, {}, 3},
                {x, random_tensor({67}, 2), random_tensor({67}, 3)});
  check_threads({"SimplifiedLayerNormalization", "", 1}, {x, random_tensor({67}, 2)});
  check_threads(
      {"SkipLayerNormalization", std::string(kMicrosoft), 1},
      {x, random_tensor({37, 19, 67}, 4), random_tensor({67}, 2), random_tensor({67}, 3)});
  const Tensor image = random_tensor({3, 18, 31, 33}, 5);
  const Tensor scale = random_tensor({18}, 6), bias = random_tensor({18}, 7);
  check_threads({"InstanceNormalization", "", 6}, {image, scale, bias});
  check_threads({"GroupNormalization", "", 21, {integer("num_groups", 6)}}, {image, scale, bias});
  check_threads({"BatchNormalization", "", 15},
                {image, scale, bias, random_tensor({18}, 8), random_tensor({18}, 9, 0.5f, 2)});
  check_threads({"LRN", "", 13, {integer("size", 5)}}, {image});
  for (const auto& axes : std::vector<std::vector<int64_t>>{{0, 2, 3}, {1}, {0}, {0, 1}, {3}}) {
    check_threads({"MeanVarianceNormalization", "", 13, {ints("axes", axes)}}, {image});
  }
}

TEST(threads, give_elements_the_same_bits) {
  const Tensor x = random_tensor({67, 1031}, 1, 0.1f, 0.9f), y = random_tensor({67, 1031}, 2, 1, 2);
  const Tensor row = random_tensor({1031}, 3, 1, 2), column = random_tensor({67, 1}, 4, 1, 2);
  for (const char* op : {"Add", "Sub", "Mul", "Div", "Pow", "PRelu"}) {
    for (const Tensor& other : {y, row, column}) check_threads({op, "", 16}, {x, other});
  }
  check_threads({"Where", "", 16}, {byte_tensor(DType::kBool, {67, 1031}, 5), x, row});
  for (const char* op : {"Exp",         "Log",        "Erf", "Tanh", "Sigmoid",  "Sqrt",
                         "Sin",         "Cos",        "Tan", "Asin", "Acos",     "Atan",
                         "Floor",       "Round",      "Elu", "Selu", "Softplus", "Softsign",
                         "HardSigmoid", "Reciprocal", "Abs", "Neg",  "Relu",     "LeakyRelu"}) {
    check_threads({op, "", 16}, {x});
  }
  for (const char* op : {"Gelu", "Mish", "HardSwish"}) check_threads({op, "", 21}, {x});
  for (const DType to : {DType::kFloat16, DType::kBfloat16, DType::kFloat8E4M3Fn, DType::kInt64,
                         DType::kInt8, DType::kFloat64, DType::kBool}) {
    check_threads({"Cast", "", 19, {integer("to", static_cast<int64_t>(to))}}, {x});
  }
  check_threads({"Cast", "", 19, {integer("to", 1)}}, {halves({67, 1031}, 7)});
  const Tensor zero = byte_tensor(DType::kUint8, {}, 8);
  check_threads({"QuantizeLinear", "", 19}, {x, scalar(0.01f), zero});
  check_threads({"DequantizeLinear", "", 19},
                {byte_tensor(DType::kUint8, {67, 1031}, 9), scalar(0.01f), zero});
  check_threads({"DynamicQuantizeLinear", "", 11, {}, 3}, {x});
}

TEST(threads, give_sequences_the_same_bits) {
  const int64_t hidden = 67;
  for (const auto& [op, gates] : {std::pair{"RNN", 1}, std::pair{"GRU", 3}, std::pair{"LSTM", 4}}) {
    check_threads(
        {op,
         "",
         14,
         {integer("hidden_size", hidden), Attribute::of_string("direction", "bidirectional")},
         2},
        {random_tensor({7, 3, 45}, 1), random_tensor({2, gates * hidden, 45}, 2),
         random_tensor({2, gates * hidden, hidden}, 3), random_tensor({2, 2 * gates * hidden}, 4)});
  }
  check_threads({"Attention", "", 23},
                {random_tensor({2, 5, 33, 19}, 1), random_tensor({2, 5, 47, 19}, 2),
                 random_tensor({2, 5, 47, 19}, 3)});
  check_threads({"MultiHeadAttention", std::string(kMicrosoft), 1, {integer("num_heads", 5)}},
                {random_tensor({2, 33, 95}, 1), random_tensor({2, 47, 95}, 2),
                 random_tensor({2, 47, 95}, 3)});
  check_threads(
      {"Attention", std::string(kMicrosoft), 1, {integer("num_heads", 5)}},
      {random_tensor({2, 33, 51}, 1), random_tensor({51, 285}, 2), random_tensor({285}, 3)});
  check_threads({"RotaryEmbedding", "", 23},
                {random_tensor({2, 5, 65, 38}, 1), random_tensor({2, 65, 19}, 2),
                 random_tensor({2, 65, 19}, 3)});
  check_threads({"DFT", "", 17, {integer("axis", 1)}}, {random_tensor({19, 251, 1}, 1)});
}

}  // namespace
}  // namespace ortc::cpu
