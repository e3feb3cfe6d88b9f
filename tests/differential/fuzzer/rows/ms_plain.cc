// SPDX-License-Identifier: MIT
// com.microsoft: elements, matrices and movement.
#include "tests/differential/fuzzer/rows/parts.h"

namespace ortc::fuzz {
namespace {

void sample(Drawing& d) { d.add("SampleOp", {d.any(kFloat)}, {}, kMs); }

void all_finite(Drawing& d) { d.add("IsAllFinite", {d.any(kFloat), d.any(kFloat)}, {}, kMs); }

void expand_dims(Drawing& d) {
  const std::string x = d.any(kFloat, 0, 3);
  const auto rank = static_cast<double>(d.dims_of(x).size());
  d.add("ExpandDims", {x, d.constant(DType::kInt32, {}, {Fill::kWhole, -rank - 1, rank})}, {}, kMs);
}

void gather_nd(Drawing& d) {
  const Dims dims{d.chance().between(1, 4), d.chance().between(1, 4), d.chance().between(1, 5)};
  const int64_t depth = d.chance().between(1, 3);
  int64_t least = dims[0];
  for (int64_t i = 0; i < depth; ++i) least = std::min(least, dims[static_cast<size_t>(i)]);
  const DType index = d.chance().one_in(2) ? DType::kInt32 : DType::kInt64;
  d.add("GatherND",
        {d.like(kT, dims),
         d.either(index, {d.chance().between(1, 4), depth}, whole_up_to(least - 1))},
        {}, kMs);
}

void range(Drawing& d) {
  const DType t = d.type(mask_of(DType::kFloat32, DType::kInt32, DType::kInt64));
  const auto start = static_cast<double>(d.chance().between(-3, 3));
  Names inputs{d.scalar(t, start),
               d.scalar(t, start + static_cast<double>(d.chance().between(1, 12)))};
  if (d.chance().one_in(2)) inputs.push_back(d.scalar(t, d.chance().one_in(2) ? 2 : 1));
  d.add("Range", inputs, {}, kMs);
}

void pad(Drawing& d) {
  const std::string x = d.any(kFloat, 1, 3);
  const auto rank = static_cast<int64_t>(d.dims_of(x).size());
  std::vector<int64_t> pads;
  for (int64_t i = 0; i < 2 * rank; ++i) pads.push_back(d.chance().between(0, 2));
  const std::string mode = pick(d, std::vector<std::string>{"constant", "edge", "reflect"});
  d.add("Pad", {x, d.ints(pads), mode == "constant" ? maybe(d, d.constant(kT, {1})) : ""},
        {of_text("mode", mode)}, kMs);
}

void mul_integer(Drawing& d) {
  const DType t = byte_type(d);
  const std::string a = d.like(t, d.dims(1, 3), byte_steps(t));
  d.add("MulInteger",
        {a, maybe(d, byte_point(d, t)), d.broadcasting(t, d.dims_of(a), byte_steps(t)),
         maybe(d, byte_point(d, t))},
        {}, kMs);
}

void sum_integer(Drawing& d) {
  const DType t = byte_type(d);
  const std::string x = d.like(t, d.dims(1, 4), byte_steps(t));
  d.add("ReduceSumInteger", {x},
        {of_ints("axes", {d.axis_of(d.dims_of(x))}), of_int("keepdims", d.chance().between(0, 1))},
        kMs);
}

void product_of_16_bits(Drawing& d) {
  const DType a = d.chance().one_in(2) ? DType::kUint16 : DType::kInt16,
              b = d.chance().one_in(2) ? a : DType::kInt16;
  const auto fill = [](DType t, double high) {
    return Fill{Fill::kWhole, t == DType::kUint16 ? 0 : -high, high};
  };
  const int64_t k = d.chance().between(1, 9);
  d.add("MatMulInteger16",
        {d.like(a, {d.chance().between(1, 5), k}, fill(a, 30000)),
         d.either(b, {k, d.chance().between(1, 18)}, fill(b, 900))},
        {}, kMs);
}

template <bool is_conjugate>
void complex_product(Drawing& d) {
  Dims dims{d.chance().between(1, 3), d.chance().between(1, 5), 2};
  const std::string a = d.like(kT, dims);
  if (d.chance().one_in(2)) dims[0] = 1;
  d.add(is_conjugate ? "ComplexMulConj" : "ComplexMul", {a, d.either(kT, dims)}, {}, kMs);
}

void activated_product(Drawing& d) {
  const bool turn_a = d.chance().one_in(2), turn_b = d.chance().one_in(2);
  const int64_t m = d.chance().between(1, 5), k = d.chance().between(1, 9),
                n = d.chance().between(1, 18);
  d.add("FusedMatMulActivation",
        {d.like(kT, turn_a ? Dims{k, m} : Dims{m, k}),
         d.either(kT, turn_b ? Dims{n, k} : Dims{k, n}, kWeights)},
        {of_int("transA", turn_a), of_int("transB", turn_b), of_float("alpha", 0.5),
         of_text("activation",
                 pick(d, std::vector<std::string>{"Relu", "Tanh", "Sigmoid", "LeakyRelu"}))},
        kMs);
}

void gated_add(Drawing& d) {
  Dims dims{d.chance().between(1, 2), d.chance().between(1, 4), d.chance().between(1, 18)};
  const std::string x = d.like(kT, dims), y = d.like(kT, dims);
  if (d.chance().one_in(2)) dims[2] = 1;
  d.add("GatedAdd", {x, y, d.like(kT, dims)}, {}, kMs);
}

void gated_norm(Drawing& d) {
  const DType t = d.type(mask_of(DType::kFloat32, DType::kFloat16));
  const int64_t size = pick(d, {1, 2, 4, 8}), groups = d.chance().between(1, 3);
  const Dims dims{d.chance().between(1, 2), d.chance().between(1, 4), groups * size};
  d.add("GatedRMSNorm", {d.like(t, dims), d.constant(t, {size}, kAround1), d.like(t, dims)},
        {of_float("epsilon", 0.01)}, kMs);
}

template <int kind>
void dropout(Drawing& d) {
  constexpr const char* kNames[] = {"BiasDropout", "BitmaskBiasDropout", "BitmaskDropout"};
  const Dims dims{d.chance().between(1, 3), d.chance().between(1, 18)};
  Names inputs{d.like(kT, dims)};
  if (kind < 2) {
    inputs.push_back(d.either(kT, {dims[1]}));
    inputs.push_back(maybe(d, d.like(kT, dims)));
  }
  if (d.chance().one_in(2)) inputs.push_back(d.scalar(kT, 0.3));
  d.add_many(kNames[kind], inputs, {}, 2, kMs, d.chance().one_in(2) ? 3u : 1u);
}

void distances(Drawing& d) {
  const DType t = d.type(mask_of(DType::kFloat32, DType::kFloat64));
  const int64_t size = d.chance().between(1, 9);
  d.add("CDist",
        {d.like(t, {d.chance().between(1, 5), size}), d.like(t, {d.chance().between(1, 5), size})},
        {of_text("metric", d.chance().one_in(2) ? "euclidean" : "sqeuclidean")}, kMs);
}

void hash(Drawing& d) {
  const DType t = d.type(mask_of(DType::kInt32, DType::kUint32, DType::kInt64, DType::kUint64,
                                 DType::kFloat32, DType::kFloat64));
  d.add("MurmurHash3", {d.input(t, d.dims(1, 3), {Fill::kWhole, 0, 1000})},
        {of_int("positive", d.chance().between(0, 1)), of_int("seed", d.chance().between(0, 50))},
        kMs);
}

void unique(Drawing& d) {
  d.add_many("Unique", {d.input(kT, {d.chance().between(1, 12)}, {Fill::kWhole, 0, 4})}, {}, 3,
             kMs);
}

void unfold(Drawing& d) {
  const Dims dims{d.chance().between(4, 7), d.chance().between(4, 7), d.chance().between(4, 6)};
  const bool is_symbolic = dims[0] == d.graph().symbolic_size;  // its windows must be countable
  d.add("UnfoldTensor", {d.like(kT, dims)},
        {of_int("dim", is_symbolic ? d.chance().between(1, 2) : d.axis_of(dims)),
         of_int("size", d.chance().between(1, 4)), of_int("step", d.chance().between(1, 3))},
        kMs);
}

template <bool is_inverse>
void transform(Drawing& d) {
  const int64_t ndim = d.chance().between(1, 2), size = 2 * d.chance().between(1, 5);
  Dims dims{d.chance().between(1, 2), d.chance().between(1, 4), is_inverse ? size / 2 + 1 : size};
  if (is_inverse) dims.push_back(2);
  d.add(is_inverse ? "Irfft" : "Rfft", {d.like(kT, dims)},
        {of_int("normalized", 0), of_int("onesided", 1), of_int("signal_ndim", ndim)}, kMs);
}

}  // namespace

std::vector<OperatorRow> ms_plain_rows() {
  return {
      {"SampleOp", kMs, 1, kExact, 0, sample},
      {"IsAllFinite", kMs, 1, kExact | kOwnRules, 0, all_finite},
      {"ExpandDims", kMs, 1, kExact, 0, expand_dims},
      {"GatherND", kMs, 1, kExact, 0, gather_nd},
      {"Range", kMs, 1, kPlain, 4, range},
      {"Pad", kMs, 1, kExact, 0, pad},
      {"MulInteger", kMs, 1, kExact | kOwnRules, 0, mul_integer},
      {"ReduceSumInteger", kMs, 1, kExact | kOwnRules, 0, sum_integer},
      {"MatMulInteger16", kMs, 1, kExact | kOwnRules, 0, product_of_16_bits},
      {"ComplexMul", kMs, 1, kOwnRules, 4, complex_product<false>},
      {"ComplexMulConj", kMs, 1, kOwnRules, 4, complex_product<true>},
      {"FusedMatMulActivation", kMs, 1, kOwnRules, 8, activated_product},
      {"GatedAdd", kMs, 1, kOwnRules, 4, gated_add},
      {"GatedRMSNorm", kMs, 1, kOwnRules, 16, gated_norm},
      {"BiasDropout", kMs, 1, kOwnRules, 2, dropout<0>},
      {"BitmaskBiasDropout", kMs, 1, kOwnRules, 2, dropout<1>},
      {"BitmaskDropout", kMs, 1, kExact | kOwnRules, 0, dropout<2>},
      {"CDist", kMs, 1, kPlain, 16, distances},
      {"MurmurHash3", kMs, 1, kExact, 0, hash},
      {"Unique", kMs, 1, kExact, 0, unique},
      {"UnfoldTensor", kMs, 1, kExact, 0, unfold},
      {"Rfft", kMs, 1, kOwnRules, 16, transform<false>},
      {"Irfft", kMs, 1, kOwnRules, 16, transform<true>},
  };
}

}  // namespace ortc::fuzz
