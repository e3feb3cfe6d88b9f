// SPDX-License-Identifier: MIT
// More of com.microsoft, ONNX's newest operators, and those of ai.onnx.ml that take numbers.
#include "tests/differential/fuzzer/rows/parts.h"

namespace ortc::fuzz {
namespace {

void bias_add(Drawing& d) {
  const Dims dims{d.chance().between(1, 2), d.chance().between(1, 4), d.chance().between(1, 18)};
  d.add("BiasAdd", {d.like(kT, dims), d.either(kT, {dims[2]}), d.like(kT, dims)}, {}, kMs);
}

void bias_softmax(Drawing& d) {
  const int64_t batch = d.chance().between(1, 3), rows = d.chance().between(1, 4),
                size = d.chance().between(1, 18);
  const bool is_inner = d.chance().one_in(2);
  const Dims dims{batch, 2, rows, size};
  d.add(
      "BiasSoftmax",
      {d.like(kT, dims), d.either(kT, is_inner ? Dims{batch, 1, 1, size} : Dims{1, 1, rows, size})},
      {of_int("axis", 3), of_int("is_inner_broadcast", is_inner)}, kMs);
}

void triangle(Drawing& d) {
  d.add("Trilu",
        {d.any(mask_of(kT), 2, 4),
         d.scalar(DType::kInt64, static_cast<double>(d.chance().between(-2, 2)))},
        {of_int("upper", d.chance().between(0, 1))}, kMs);
}

void transpose_mat_mul(Drawing& d) {
  const bool turn = d.chance().one_in(2);
  const int64_t k = d.chance().between(1, 9), n = d.chance().between(1, 18);
  const std::string a = d.like(kT, {d.chance().between(1, 5), k});
  d.add("TransposeMatMul", {a, d.either(kT, turn ? Dims{n, k} : Dims{k, n}, kWeights)},
        {of_int("transB", turn)}, kMs);
}

void rotary(Drawing& d) {
  const int64_t batch = d.chance().between(1, 2), length = d.chance().between(1, 5),
                size = 2 * d.chance().between(1, 4), heads = d.chance().between(1, 3);
  const Fill unit{Fill::kReal, -1, 1};
  d.add("RotaryEmbedding",
        {d.like(kT, {batch, heads, length, size}),
         d.either(DType::kInt64, {batch, length}, {Fill::kWhole, 0, 7}),
         d.constant(kT, {8, size / 2}, unit), d.constant(kT, {8, size / 2}, unit)},
        {of_int("interleaved", d.chance().between(0, 1))}, kMs);
}

void heads(Drawing& d) {
  const int64_t batch = d.chance().between(1, 2), queries = d.chance().between(1, 5),
                keys = d.chance().between(1, 6), count = d.chance().between(1, 3),
                size = d.chance().between(1, 8);
  const Dims q{batch, queries, count * size}, kv{batch, keys, count * size};
  const std::string bias = d.chance().one_in(3) ? d.constant(kT, {3 * count * size}) : "";
  d.add("MultiHeadAttention", {d.like(kT, q), d.like(kT, kv), d.like(kT, kv), bias},
        {of_int("num_heads", count)}, kMs);
}

void q_gemm(Drawing& d) {
  const DType t = byte_type(d);
  const int64_t k = d.chance().between(1, 20), n = d.chance().between(1, 18);
  const bool is_float = d.chance().one_in(3);
  Names inputs{
      d.like(t, {d.chance().between(1, 5), k}, byte_steps(t)),
      byte_scale(d, 0.03),
      byte_point(d, t),
      d.constant(t, {k, n}, byte_steps(t)),
      byte_scale(d, 0.03),
      byte_point(d, t),
      d.chance().one_in(2) ? d.constant(DType::kInt32, {n}, {Fill::kWhole, -100, 100}) : ""};
  if (!is_float) {
    inputs.push_back(byte_scale(d, 0.2));
    inputs.push_back(byte_point(d, t));
  }
  d.add("QGemm", inputs, {}, kMs);
}

void q_concat(Drawing& d) {
  const DType t = byte_type(d);
  const int64_t rows = d.chance().between(1, 4);
  Names inputs{byte_scale(d), byte_point(d, t)};
  for (int64_t i = d.chance().between(1, 3); i > 0; --i) {
    for (const std::string& name : {d.like(t, {rows, d.chance().between(1, 5)}, byte_steps(t)),
                                    byte_scale(d), byte_point(d, t)})
      inputs.push_back(name);
  }
  d.add("QLinearConcat", inputs, {of_int("axis", 1)}, kMs);
}

void q_where(Drawing& d) {
  const DType t = byte_type(d);
  const Dims dims = d.dims(1, 3);
  d.add("QLinearWhere",
        {d.like(DType::kBool, dims), d.like(t, dims, byte_steps(t)), byte_scale(d),
         byte_point(d, t), d.like(t, dims, byte_steps(t)), byte_scale(d), byte_point(d, t),
         byte_scale(d), byte_point(d, t)},
        {}, kMs);
}

void q_pool(Drawing& d) {
  const DType t = byte_type(d);
  const std::string x =
      d.like(t, {1, d.chance().between(1, 5), d.chance().between(2, 6), d.chance().between(2, 6)},
             byte_steps(t));
  const Names inputs{x, byte_scale(d), byte_point(d, t), byte_scale(d), byte_point(d, t)};
  if (d.chance().one_in(2)) {
    d.add("QLinearAveragePool", inputs, {of_ints("kernel_shape", {2, 2})}, kMs);
  } else {
    d.add("QLinearGlobalAveragePool", inputs, {of_int("channels_last", 0)}, kMs);
  }
}

void q_softmax(Drawing& d) {
  const DType t = byte_type(d);
  d.add("QLinearSoftmax",
        {d.like(t, {d.chance().between(1, 4), d.chance().between(1, 9)}, byte_steps(t)),
         byte_scale(d), byte_point(d, t), d.scalar(kT, 1.0 / 256),
         d.scalar(t, t == DType::kUint8 ? 0 : -128)},
        {of_int("axis", 1), of_int("opset", 13)}, kMs);
}

void dynamic_product(Drawing& d) {
  const DType t = byte_type(d);
  const int64_t k = d.chance().between(1, 20), n = d.chance().between(1, 18);
  d.add("DynamicQuantizeMatMul",
        {d.input(kT, {d.chance().between(1, 4), k}), d.constant(t, {k, n}, byte_steps(t)),
         byte_scale(d, 0.02), d.chance().one_in(2) ? byte_point(d, t) : "",
         d.chance().one_in(2) ? d.constant(kT, {n}) : ""},
        {}, kMs);
}

void to_and_fro(Drawing& d) {
  const DType t = byte_type(d);
  const std::string s = byte_scale(d, 0.05), z = byte_point(d, t);
  d.add("DequantizeLinear",
        {d.add("QuantizeLinear", {d.any(mask_of(kT), 1, 4), s, z}, {}, kMs), s, z}, {}, kMs);
}

void swiglu(Drawing& d) {
  const std::string a = d.any(mask_of(kT), 1, 3);
  d.add("SwiGLU", {a, d.like(kT, d.dims_of(a))});
}

void causal(Drawing& d) {
  const int64_t channels = d.chance().between(1, 4), kernel = d.chance().between(1, 4);
  d.add_many("CausalConvWithState",
             {d.like(kT, {d.chance().between(1, 2), channels, d.chance().between(1, 6)}),
              d.either(kT, {channels, 1, kernel}, kWeights),
              d.chance().one_in(2) ? d.either(kT, {channels}) : ""},
             {}, 2);
}

std::string features(Drawing& d) {
  return d.like(kT, {d.chance().between(1, 5), d.chance().between(1, 4)});
}

std::vector<float> some(Drawing& d, int64_t count) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<float>(d.chance().real(-1, 1)));
  return numbers;
}

void scaler(Drawing& d) {
  const std::string x = features(d);
  if (d.dims_of(x).size() != 2) return;
  d.add("Scaler", {x}, {{"offset", some(d, d.dims_of(x)[1])}, {"scale", some(d, d.dims_of(x)[1])}},
        kMl);
}

void normalizer(Drawing& d) {
  d.add("Normalizer", {features(d)}, {of_text("norm", d.chance().one_in(2) ? "L1" : "L2")}, kMl);
}

void binarizer(Drawing& d) {
  d.add("Binarizer", {features(d)}, {of_float("threshold", 0.25)}, kMl);
}

void imputer(Drawing& d) {
  d.add("Imputer", {features(d)},
        {{"imputed_value_floats", std::vector<float>{1.5f}}, of_float("replaced_value_float", 0)},
        kMl);
}

void regressor(Drawing& d) {
  const std::string x = features(d);
  if (d.dims_of(x).size() != 2) return;
  const int64_t targets = d.chance().between(1, 3);
  d.add("LinearRegressor", {x},
        {{"coefficients", some(d, targets * d.dims_of(x)[1])},
         {"intercepts", some(d, targets)},
         of_int("targets", targets)},
        kMl);
}

void extractor(Drawing& d) {
  const std::string x = features(d);
  if (d.dims_of(x).size() != 2) return;
  d.add("ArrayFeatureExtractor",
        {x, d.constant(DType::kInt64, {d.chance().between(1, 3)},
                       {Fill::kWhole, 0, static_cast<double>(d.dims_of(x)[1] - 1)})},
        {}, kMl);
}

}  // namespace

std::vector<OperatorRow> exporter_rows() {
  return {
      {"BiasAdd", kMs, 1, kOwnRules, 2, bias_add},
      {"BiasSoftmax", kMs, 1, kOwnRules, 8, bias_softmax},
      {"Trilu", kMs, 1, kExact, 0, triangle},
      {"TransposeMatMul", kMs, 1, kPlain, 4, transpose_mat_mul},
      {"RotaryEmbedding", kMs, 1, kPlain, 4, rotary},
      {"MultiHeadAttention", kMs, 1, kPlain, 16, heads},
      {"QGemm", kMs, 1, kOneStep, 4, q_gemm},
      {"QLinearConcat", kMs, 1, kOneStep, 0, q_concat},
      {"QLinearWhere", kMs, 1, kOneStep | kOwnRules, 0, q_where},
      {"QLinearAveragePool", kMs, 1, kOneStep, 0, q_pool},
      {"QLinearGlobalAveragePool", kMs, 1, kOneStep, 0, q_pool},
      {"QLinearSoftmax", kMs, 1, kOneStep | kOwnRules, 0, q_softmax},
      {"DynamicQuantizeMatMul", kMs, 1, kOwnRules, 8, dynamic_product},
      {"QuantizeLinear", kMs, 1, kOneStep, 0, to_and_fro},
      {"DequantizeLinear", kMs, 1, kPlain, 2, to_and_fro},
      {"SwiGLU", "", 28, kOwnRules, 8, swiglu},
      {"CausalConvWithState", "", 27, kOwnRules, 4, causal},
      {"Scaler", kMl, 1, kPlain, 4, scaler},
      {"Normalizer", kMl, 1, kPlain, 8, normalizer},
      {"Binarizer", kMl, 1, kExact, 0, binarizer},
      {"Imputer", kMl, 1, kExact, 0, imputer},
      {"LinearRegressor", kMl, 1, kPlain, 8, regressor},
      {"ArrayFeatureExtractor", kMl, 1, kExact, 0, extractor},
  };
}

}  // namespace ortc::fuzz
