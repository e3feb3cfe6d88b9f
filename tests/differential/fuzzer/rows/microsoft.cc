// SPDX-License-Identifier: MIT
// com.microsoft operators as exporters and ONNX Runtime's optimiser write them.
#include "tests/differential/fuzzer/rows/parts.h"

namespace ortc::fuzz {
namespace {

constexpr const char* kDomain = kMs;
constexpr TypeMask kReal = kFloat;

void bias_gelu(Drawing& d) {
  const std::string x = d.any(kReal, 1, 4);
  if (d.dims_of(x).empty()) return d.fail();
  d.add("BiasGelu", {x, d.either(DType::kFloat32, {d.dims_of(x).back()})}, {}, kDomain);
}

void fast_gelu(Drawing& d) {
  const std::string x = d.any(kReal, 1, 4);
  if (d.dims_of(x).empty()) return d.fail();
  d.add("FastGelu",
        {x, d.chance().one_in(2) ? d.either(DType::kFloat32, {d.dims_of(x).back()}) : ""}, {},
        kDomain);
}

void gelu(Drawing& d) { d.add("Gelu", {d.any(kReal, 0, 4)}, {}, kDomain); }

void quick_gelu(Drawing& d) {
  d.add("QuickGelu", {d.any(kReal, 0, 4)}, {of_float("alpha", d.chance().real(0.8, 1.8))}, kDomain);
}

void fused_mat_mul(Drawing& d) {
  const std::string a = d.any(kReal, 2, 4);
  const Dims dims = d.dims_of(a);
  if (dims.size() < 2) return d.fail();
  const bool turn_a = d.chance().one_in(2), turn_b = d.chance().one_in(2);
  const int64_t k = dims[dims.size() - (turn_a ? 2 : 1)], n = d.chance().between(1, 18);
  Dims other(dims.begin(), dims.end() - 2);
  if (d.chance().one_in(2)) other.clear();
  other.insert(other.end(), {turn_b ? n : k, turn_b ? k : n});
  d.add("FusedMatMul", {a, d.either(DType::kFloat32, other, kWeights)},
        {of_int("transA", turn_a), of_int("transB", turn_b),
         of_float("alpha", d.chance().one_in(2) ? 1 : 0.25)},
        kDomain);
}

void fused_gemm(Drawing& d) {
  const std::string a = d.any(kReal, 2, 2);
  if (d.dims_of(a).size() != 2) return d.fail();
  const int64_t n = d.chance().between(1, 18);
  d.add("FusedGemm",
        {a, d.either(DType::kFloat32, {d.dims_of(a)[1], n}, kWeights),
         d.either(DType::kFloat32, {n})},
        {of_text("activation", d.chance().of(std::vector<std::string>{"Relu", "Sigmoid", "Tanh"}))},
        kDomain);
}

void fused_conv(Drawing& d) {
  const int64_t channels = d.chance().between(1, 4), out = d.chance().between(1, 9),
                kernel = d.chance().between(1, 3);
  const std::string x =
      d.like(DType::kFloat32, {1, channels, d.chance().between(3, 8), d.chance().between(3, 8)});
  d.add("FusedConv",
        {x, d.constant(DType::kFloat32, {out, channels, kernel, kernel}, kWeights),
         d.constant(DType::kFloat32, {out})},
        {of_ints("kernel_shape", {kernel, kernel}),
         of_text("activation", d.chance().of(std::vector<std::string>{"Relu", "Sigmoid", "Tanh"}))},
        kDomain);
}

void skip_layer_norm(Drawing& d) {
  const Dims dims{d.chance().between(1, 2), d.chance().between(1, 4), d.chance().between(1, 20)};
  const std::string x = d.like(DType::kFloat32, dims), y = d.like(DType::kFloat32, dims);
  const Fill scale{Fill::kReal, 0.5, 1.5};
  const Dims last{dims[2]};
  const std::string bias = d.chance().one_in(2) ? d.constant(DType::kFloat32, last) : "";
  const unsigned keep = d.chance().one_in(2) ? 9u : 1u;
  if (d.chance().one_in(2)) {
    d.add_many("SkipLayerNormalization",
               {x, y, d.constant(DType::kFloat32, last, scale),
                d.chance().one_in(2) ? d.constant(DType::kFloat32, last) : "", bias},
               {of_float("epsilon", 0.01)}, 4, kDomain, keep);
  } else {
    d.add_many("SkipSimplifiedLayerNormalization",
               {x, y, d.constant(DType::kFloat32, last, scale), bias}, {of_float("epsilon", 0.01)},
               4, kDomain, keep);
  }
}

void mat_mul_nbits(Drawing& d) {
  const int64_t block = d.chance().of(std::vector<int64_t>{16, 32}),
                blocks = d.chance().between(1, 3),
                n = d.chance().of(std::vector<int64_t>{1, 3, 16, 17});
  const int64_t k = block * blocks - (d.chance().one_in(3) ? 5 : 0);
  const int64_t bits = d.chance().of(std::vector<int64_t>{2, 4, 4, 8});
  const Fill any_byte{Fill::kWhole, 0, 255};
  const int64_t points = (blocks * bits + 7) / 8;
  Dims left{d.chance().between(1, 4), k};
  if (d.chance().one_in(3)) left.insert(left.begin(), 2);
  d.add("MatMulNBits",
        {d.like(DType::kFloat32, left),
         d.constant(DType::kUint8, {n, blocks, block * bits / 8}, any_byte),
         d.constant(DType::kFloat32, {n, blocks},
                    {Fill::kReal, 0.005, 1.6 / static_cast<double>(1 << bits)}),
         d.chance().one_in(2) ? d.constant(DType::kUint8, {n, points}, any_byte) : "", "",
         d.chance().one_in(3) ? d.constant(DType::kFloat32, {n}) : ""},
        {of_int("K", k), of_int("N", n), of_int("bits", bits), of_int("block_size", block)},
        kDomain);
}

void to_float(Drawing& d) {
  const DType b = d.chance().one_in(2) ? DType::kUint8 : DType::kInt8;
  const int64_t k = d.chance().between(1, 20), n = d.chance().between(1, 18);
  const Fill bytes{Fill::kWhole, b == DType::kUint8 ? 0.0 : -128.0,
                   b == DType::kUint8 ? 255.0 : 127.0};
  const Fill scale{Fill::kReal, 0.001, 0.03};
  d.add("MatMulIntegerToFloat",
        {d.like(DType::kUint8, {d.chance().between(1, 4), k}, {Fill::kWhole, 0, 255}),
         d.constant(b, {k, n}, bytes), d.constant(DType::kFloat32, {}, scale),
         d.constant(DType::kFloat32, {}, scale),
         d.constant(DType::kUint8, {}, {Fill::kWhole, 100, 150}),
         d.chance().one_in(2) ? d.constant(b, {}, {Fill::kWhole, 0, 20}) : "",
         d.chance().one_in(2) ? d.constant(DType::kFloat32, {n}) : ""},
        {}, kDomain);
}

void bias_split_gelu(Drawing& d) {
  const int64_t size = 2 * d.chance().between(1, 10);
  d.add("BiasSplitGelu",
        {d.like(DType::kFloat32, {d.chance().between(1, 2), d.chance().between(1, 3), size}),
         d.either(DType::kFloat32, {size})},
        {}, kDomain);
}

void gemm_fast_gelu(Drawing& d) {
  const int64_t k = d.chance().between(1, 9), n = d.chance().between(1, 18);
  d.add("GemmFastGelu",
        {d.like(DType::kFloat32, {d.chance().between(1, 5), k}),
         d.either(DType::kFloat32, {k, n}, kWeights),
         d.chance().one_in(2) ? d.either(DType::kFloat32, {n}) : ""},
        {}, kDomain);
}

void inverse(Drawing& d) {
  // Strong on the diagonal, so that it can be inverted.
  const int64_t n = d.chance().between(1, 5);
  std::vector<double> numbers(static_cast<size_t>(n * n));
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = d.chance().real(-0.3, 0.3) + (i % static_cast<size_t>(n + 1) == 0 ? 2 : 0);
  const std::string a = d.add("Add", {d.constant(tensor_of(DType::kFloat32, {n, n}, numbers)),
                                      d.input(DType::kFloat32, {n, n}, {Fill::kReal, -0.1, 0.1})});
  d.add("Inverse", {a}, {}, kDomain);
}

void nhwc_conv(Drawing& d) {
  const int64_t channels = d.chance().between(1, 4), out = d.chance().between(1, 9),
                kernel = d.chance().between(1, 3);
  d.add("NhwcConv",
        {d.like(DType::kFloat32, {1, d.chance().between(3, 7), d.chance().between(3, 7), channels}),
         d.constant(DType::kFloat32, {out, channels, kernel, kernel}, kWeights)},
        {of_ints("kernel_shape", {kernel, kernel})}, kDomain);
}

template <bool is_sigmoid>
void q_unary(Drawing& d) {
  const DType t = d.chance().one_in(2) ? DType::kUint8 : DType::kInt8;
  const Fill points =
      t == DType::kUint8 ? Fill{Fill::kWhole, 100, 150} : Fill{Fill::kWhole, -20, 20};
  const Fill bytes =
      t == DType::kUint8 ? Fill{Fill::kWhole, 0, 255} : Fill{Fill::kWhole, -128, 127};
  Attributes attributes;
  if (!is_sigmoid) attributes.push_back(of_float("alpha", 0.2));
  d.add(is_sigmoid ? "QLinearSigmoid" : "QLinearLeakyRelu",
        {d.like(t, d.dims(1, 3), bytes), d.constant(DType::kFloat32, {}, {Fill::kReal, 0.01, 0.05}),
         d.constant(t, {}, points), d.constant(DType::kFloat32, {}, {Fill::kReal, 0.01, 0.05}),
         d.constant(t, {}, points)},
        attributes, kDomain);
}

}  // namespace

std::vector<OperatorRow> microsoft_rows() {
  return {
      {"BiasGelu", kDomain, 1, kPlain, 32, bias_gelu},
      {"FastGelu", kDomain, 1, kPlain, 16, fast_gelu},
      {"Gelu", kDomain, 1, kPlain, 32, gelu},
      {"QuickGelu", kDomain, 1, kPlain, 8, quick_gelu},
      {"FusedMatMul", kDomain, 1, kPlain, 4, fused_mat_mul},
      {"FusedGemm", kDomain, 1, kPlain, 8, fused_gemm},
      {"FusedConv", kDomain, 1, kPlain, 8, fused_conv},
      {"SkipLayerNormalization", kDomain, 1, kPlain, 16, skip_layer_norm},
      {"SkipSimplifiedLayerNormalization", kDomain, 1, kPlain, 16, skip_layer_norm},
      {"MatMulNBits", kDomain, 1, kPlain, 16, mat_mul_nbits},
      {"MatMulIntegerToFloat", kDomain, 1, kPlain, 8, to_float},
      {"BiasSplitGelu", kDomain, 1, kPlain | kOwnRules, 8, bias_split_gelu},
      {"GemmFastGelu", kDomain, 1, kPlain | kOwnRules, 16, gemm_fast_gelu},
      {"Inverse", kDomain, 1, kPlain, 32, inverse},
      {"NhwcConv", kDomain, 1, kPlain | kOwnRules, 4, nhwc_conv},
      {"QLinearSigmoid", kDomain, 1, kOneStep, 0, q_unary<true>},
      {"QLinearLeakyRelu", kDomain, 1, kOneStep, 0, q_unary<false>},
  };
}

}  // namespace ortc::fuzz
