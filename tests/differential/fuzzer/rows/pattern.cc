// SPDX-License-Identifier: MIT
// What optimisers and fusions look for, spelt out by several nodes, and its near misses: a second
// reader of a value within, another axis, a constant that is not one, another order.
#include <cmath>

#include "tests/differential/fuzzer/drawing.h"

namespace ortc::fuzz {
namespace {

constexpr TypeMask kReal = mask_of(DType::kFloat32);
constexpr DType kT = DType::kFloat32;
const Fill kWeights{Fill::kReal, -0.5, 0.5};

// Somebody else reads the value, so that it must be there.
void maybe_read(Drawing& d, const std::string& x) {
  if (d.chance().one_in(4)) d.add(d.chance().one_in(2) ? "Neg" : "Abs", {x});
}

std::string activation(Drawing& d, const std::string& x) {
  switch (d.chance().between(0, 6)) {
    case 0:
      return d.add("Relu", {x});
    case 1:
      return d.add("Sigmoid", {x});
    case 2:
      return d.add("LeakyRelu", {x}, {of_float("alpha", 0.1)});
    case 3:
      return d.add("Clip", {x, d.scalar(kT, 0), d.scalar(kT, 6)});
    case 4:
      return d.add("HardSwish", {x});
    case 5:
      return d.add("Mul", {x, d.add("Sigmoid", {x})});
    default:
      return x;
  }
}

void conv_block(Drawing& d) {
  const int64_t in = d.chance().of(std::vector<int64_t>{1, 3, 4, 8, 16}),
                size = d.chance().between(3, 9);
  const bool is_depthwise = d.chance().one_in(4);
  const int64_t out = is_depthwise ? in : d.chance().of(std::vector<int64_t>{1, 4, 8, 16, 17, 32}),
                kernel = d.chance().of(std::vector<int64_t>{1, 3});
  const std::string x = d.like(kT, {d.chance().between(1, 2), in, size, size + 1});
  const int64_t pad = kernel / 2;
  std::string y =
      d.add("Conv",
            {x, d.constant(kT, {out, is_depthwise ? 1 : in, kernel, kernel}, kWeights),
             d.chance().one_in(2) ? d.constant(kT, {out}) : ""},
            {of_ints("pads", {pad, pad, pad, pad}), of_int("group", is_depthwise ? in : 1)});
  maybe_read(d, y);
  if (d.chance().one_in(2)) {
    const Fill positive{Fill::kReal, 0.5, 1.5};
    y = d.add("BatchNormalization", {y, d.constant(kT, {out}, positive), d.constant(kT, {out}),
                                     d.constant(kT, {out}), d.either(kT, {out}, positive)});
  } else if (d.chance().one_in(2)) {
    y = d.add(d.chance().one_in(2) ? "Mul" : "Add",
              {y, d.constant(kT, {d.chance().one_in(3) ? 1 : out, 1, 1})});
  }
  maybe_read(d, y);
  if (d.chance().one_in(2)) y = d.add("Add", {y, d.broadcasting(kT, d.dims_of(y))});
  activation(d, y);
}

void dense(Drawing& d) {
  const int64_t k = d.chance().between(1, 20),
                n = d.chance().of(std::vector<int64_t>{1, 4, 8, 15, 16, 33});
  const std::string x = d.like(kT, d.chance().one_in(2) ? Dims{d.chance().between(1, 7), k}
                                                        : Dims{2, d.chance().between(1, 4), k});
  std::string w = d.constant(kT, {k, n}, kWeights);
  if (d.chance().one_in(4))
    w = d.add("Transpose", {d.constant(kT, {n, k}, kWeights)}, {of_ints("perm", {1, 0})});
  std::string y = d.add("MatMul", {x, w});
  maybe_read(d, y);
  y = d.add("Add", {d.constant(kT, d.chance().one_in(4) ? Dims{1} : Dims{n}), y});
  y = activation(d, y);
  if (d.chance().one_in(2)) d.add("Add", {y, d.like(kT, d.dims_of(y))});
}

void layer_norm(Drawing& d) {
  const Dims dims{d.chance().between(1, 3), d.chance().between(1, 5), d.chance().between(2, 18)};
  std::string x = d.like(kT, dims);
  if (d.chance().one_in(2)) x = d.add("Add", {x, d.like(kT, dims)});
  const std::string axes = d.ints({d.chance().one_in(5) ? 1 : -1});
  const std::string mean = d.add("ReduceMean", {x, axes});
  const std::string apart = d.add("Sub", {x, mean});
  maybe_read(d, apart);
  const std::string squares =
      d.chance().one_in(2) ? d.add("Pow", {apart, d.scalar(kT, 2)}) : d.add("Mul", {apart, apart});
  const std::string variance =
      d.add("ReduceMean", {squares, d.chance().one_in(8) ? d.ints({1}) : axes});
  const std::string deviation = d.add("Sqrt", {d.add("Add", {variance, d.scalar(kT, 0.01)})});
  std::string y = d.add("Div", {apart, deviation});
  y = d.add("Mul", {y, d.constant(kT, d.chance().one_in(5) ? Dims{1} : Dims{dims[2]},
                                  {Fill::kReal, 0.5, 1.5})});
  d.add("Add", {y, d.either(kT, {dims[2]})});
}

void rms_norm(Drawing& d) {
  const Dims dims{d.chance().between(1, 3), d.chance().between(1, 5), d.chance().between(2, 18)};
  const std::string x = d.like(kT, dims);
  const std::string squares =
      d.chance().one_in(2) ? d.add("Pow", {x, d.scalar(kT, 2)}) : d.add("Mul", {x, x});
  const std::string mean = d.add("ReduceMean", {squares, d.ints({-1})});
  const std::string root = d.add("Sqrt", {d.add("Add", {mean, d.scalar(kT, 0.01)})});
  maybe_read(d, root);
  const std::string y = d.chance().one_in(2) ? d.add("Div", {x, root})
                                             : d.add("Mul", {x, d.add("Reciprocal", {root})});
  d.add("Mul", {y, d.constant(kT, {dims[2]}, {Fill::kReal, 0.5, 1.5})});
}

void gelu_exact(Drawing& d) {
  std::string x = d.any(kReal, 1, 3);
  const bool is_near = d.chance().one_in(4);
  const std::string erf =
      d.add("Erf", {d.add("Div", {x, d.scalar(kT, is_near ? 1.5 : std::sqrt(2.0))})});
  maybe_read(d, erf);
  const std::string plus = d.add("Add", {erf, d.scalar(kT, 1)});
  if (d.chance().one_in(2)) {
    d.add("Mul", {d.add("Mul", {x, plus}), d.scalar(kT, 0.5)});
  } else {
    d.add("Mul", {d.add("Mul", {x, d.scalar(kT, 0.5)}), plus});
  }
}

void gelu_tanh(Drawing& d) {
  const std::string x = d.any(kReal, 1, 3);
  const std::string cube = d.add("Pow", {x, d.scalar(kT, 3)});
  const std::string inner =
      d.add("Add", {x, d.add("Mul", {cube, d.scalar(kT, d.chance().one_in(4) ? 0.05 : 0.044715)})});
  const std::string tanh = d.add("Tanh", {d.add("Mul", {inner, d.scalar(kT, 0.7978845608)})});
  maybe_read(d, inner);
  d.add("Mul", {d.add("Mul", {x, d.scalar(kT, 0.5)}), d.add("Add", {tanh, d.scalar(kT, 1)})});
}

void attention_block(Drawing& d) {
  const int64_t batch = d.chance().between(1, 2), length = d.chance().between(1, 5),
                heads = d.chance().between(1, 3),
                size = d.chance().of(std::vector<int64_t>{1, 2, 4, 8});
  const int64_t width = heads * size;
  const std::string x = d.like(kT, {batch, length, width});
  const auto project = [&](const std::vector<int64_t>& order) {
    std::string y = d.add("MatMul", {x, d.constant(kT, {width, width}, kWeights)});
    if (d.chance().one_in(2)) y = d.add("Add", {y, d.constant(kT, {width})});
    y = d.add("Reshape", {y, d.ints({0, d.chance().one_in(2) ? -1 : length, heads, size})});
    return d.add("Transpose", {y}, {of_ints("perm", order)});
  };
  const std::string q = project({0, 2, 1, 3}), v = project({0, 2, 1, 3});
  const std::string k = project({0, 2, 3, 1});
  std::string scores = d.add("MatMul", {q, k});
  scores = d.chance().one_in(2) ? d.add("Div", {scores, d.scalar(kT, 2)})
                                : d.add("Mul", {scores, d.scalar(kT, 0.5)});
  if (d.chance().one_in(2)) scores = d.add("Add", {scores, d.either(kT, {batch, 1, 1, length})});
  maybe_read(d, scores);
  const std::string weights =
      d.add("Softmax", {scores}, {of_int("axis", d.chance().one_in(6) ? 2 : -1)});
  maybe_read(d, weights);
  std::string y =
      d.add("Transpose", {d.add("MatMul", {weights, v})}, {of_ints("perm", {0, 2, 1, 3})});
  y = d.add("Reshape", {y, d.ints({0, 0, width})});
  d.add("MatMul", {y, d.constant(kT, {width, width}, kWeights)});
}

void transposes(Drawing& d) {
  std::string x = d.any(kReal, 3, 3);
  if (d.dims_of(x).size() != 3) return d.fail();
  static const std::vector<std::vector<int64_t>> kOrders = {
      {0, 2, 1}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}, {1, 0, 2}};
  x = d.add("Transpose", {x}, {of_ints("perm", d.chance().of(kOrders))});
  maybe_read(d, x);
  switch (d.chance().between(0, 4)) {
    case 0:
      x = activation(d, x);
      break;
    case 1:
      x = d.add("Add", {x, d.broadcasting(kT, d.dims_of(x))});
      break;
    case 2:
      x = d.add("ReduceMean", {x, d.ints({1})});
      break;
    case 3:
      x = d.add("Softmax", {x}, {of_int("axis", d.axis_of(d.dims_of(x)))});
      break;
    default:
      x = d.add("Concat", {x, d.like(kT, d.dims_of(x))}, {of_int("axis", 1)});
      break;
  }
  d.add("Transpose", {x}, {of_ints("perm", d.chance().of(kOrders))});
}

struct Quantised {
  std::string scale, zero;
};

Quantised grid(Drawing& d, DType t, double size = 0.05) {
  return {d.scalar(kT, d.chance().real(size / 2, size)),
          d.scalar(t, t == DType::kUint8 ? static_cast<double>(d.chance().between(100, 150))
                                         : static_cast<double>(d.chance().between(-10, 10)))};
}

std::string to_and_fro(Drawing& d, const std::string& x, DType t, double size = 0.05) {
  const Quantised q = grid(d, t, size);
  const std::string y = d.add("QuantizeLinear", {x, q.scale, q.zero});
  return d.add("DequantizeLinear", {y, q.scale, q.zero});
}

void quantised_conv(Drawing& d) {
  const DType t = d.chance().one_in(2) ? DType::kUint8 : DType::kInt8;
  const int64_t in = d.chance().of(std::vector<int64_t>{1, 3, 4, 16}),
                out = d.chance().of(std::vector<int64_t>{1, 4, 16, 17}),
                kernel = d.chance().of(std::vector<int64_t>{1, 3});
  const std::string x =
      to_and_fro(d, d.input(kT, {1, in, d.chance().between(3, 7), d.chance().between(3, 7)}), t);
  const std::string scales = d.constant(kT, {out}, {Fill::kReal, 0.002, 0.02});
  const std::string zeros = d.constant(DType::kInt8, {out}, {Fill::kWhole, 0, 0});
  const std::string w =
      d.add("DequantizeLinear",
            {d.constant(DType::kInt8, {out, in, kernel, kernel}, {Fill::kWhole, -127, 127}), scales,
             zeros},
            {of_int("axis", 0)});
  std::string y = d.add("Conv", {x, w, d.chance().one_in(2) ? d.constant(kT, {out}) : ""},
                        {of_ints("pads", {1, 1, 1, 1})});
  maybe_read(d, y);
  if (d.chance().one_in(2)) y = d.add("Relu", {y});
  to_and_fro(d, y, t, 0.1);
}

void quantised_dense(Drawing& d) {
  const DType t = d.chance().one_in(2) ? DType::kUint8 : DType::kInt8;
  const int64_t k = d.chance().between(1, 20),
                n = d.chance().of(std::vector<int64_t>{1, 4, 16, 17});
  const std::string x = to_and_fro(d, d.input(kT, {d.chance().between(1, 5), k}), t);
  const DType wt = t == DType::kInt8 ? t : d.chance().one_in(2) ? DType::kInt8 : DType::kUint8;
  const Quantised wq = grid(d, wt, 0.01);
  const Fill bytes{Fill::kWhole, wt == DType::kUint8 ? 0.0 : -128.0,
                   wt == DType::kUint8 ? 255.0 : 127.0};
  const std::string w =
      d.add("DequantizeLinear", {d.constant(wt, {k, n}, bytes), wq.scale, wq.zero});
  to_and_fro(d, d.add("MatMul", {x, w}), t, 0.1);
}

// Neither operand is constant, as in attention.
void quantised_pair(Drawing& d) {
  const DType t = d.chance().one_in(2) ? DType::kUint8 : DType::kInt8;
  const int64_t k = d.chance().between(1, 20);
  Dims left{d.chance().between(1, 5), k}, right{k, d.chance().between(1, 18)};
  if (d.chance().one_in(2)) {
    left.insert(left.begin(), 2);
    right.insert(right.begin(), 2);
  }
  const std::string a = to_and_fro(d, d.input(kT, left), t),
                    b = to_and_fro(d, d.input(kT, right), t);
  std::string y = d.add("MatMul", {a, b});
  if (d.chance().one_in(2)) y = d.add("Mul", {y, d.scalar(kT, 0.5)});
  if (d.chance().one_in(2)) to_and_fro(d, y, t, 0.2);
}

void quantised_binary(Drawing& d) {
  const DType t = d.chance().one_in(2) ? DType::kUint8 : DType::kInt8;
  const Dims dims = d.dims(1, 4);
  const std::string a = to_and_fro(d, d.input(kT, dims), t);
  maybe_read(d, a);
  const std::string b = to_and_fro(d, d.input(kT, dims), t);
  to_and_fro(d, d.add(d.chance().one_in(2) ? "Add" : "Mul", {a, b}), t, 0.1);
}

void dynamic_product(Drawing& d) {
  const int64_t k = d.chance().between(1, 20),
                n = d.chance().of(std::vector<int64_t>{1, 4, 16, 17});
  const Names q =
      d.add_many("DynamicQuantizeLinear", {d.input(kT, {d.chance().between(1, 5), k})}, {}, 3);
  const DType t = d.chance().one_in(2) ? DType::kUint8 : DType::kInt8;
  const Fill bytes{Fill::kWhole, t == DType::kUint8 ? 0.0 : -128.0,
                   t == DType::kUint8 ? 255.0 : 127.0};
  const std::string sums = d.add("MatMulInteger", {q[0], d.constant(t, {k, n}, bytes), q[2],
                                                   d.chance().one_in(2) ? d.scalar(t, 3) : ""});
  const std::string scale = d.add(
      "Mul",
      {q[1], d.constant(kT, d.chance().one_in(2) ? Dims{} : Dims{n}, {Fill::kReal, 0.005, 0.02})});
  const std::string y = d.add("Mul", {d.add("Cast", {sums}, {of_int("to", 1)}), scale});
  if (d.chance().one_in(2)) d.add("Add", {y, d.constant(kT, {n})});
}

// The size of an axis, through the arithmetic that exporters write, into a Reshape.
void shape_arithmetic(Drawing& d) {
  const std::string x = d.any(kReal, 2, 4);
  if (d.dims_of(x).size() < 2) return d.fail();
  const std::string shape = d.add("Shape", {x});
  const std::string first =
      d.add("Gather", {shape, d.scalar(DType::kInt64, 0)}, {of_int("axis", 0)});
  maybe_read(d, shape);
  const std::string vector = d.add("Unsqueeze", {first, d.ints({0})});
  const std::string dims = d.add("Concat", {vector, d.ints({-1})}, {of_int("axis", 0)});
  if (count_of(d.dims_of(x)) == 0) return;
  d.add("Reshape", {x, dims});
}

void shared_weights(Drawing& d) {
  const int64_t k = d.chance().between(2, 9);
  const std::string w = d.constant(kT, {k, k}, kWeights),
                    x = d.like(kT, {d.chance().between(1, 4), k});
  const std::string y = d.add("MatMul", {x, w});
  d.add("Gemm", {y, w}, {of_int("transB", d.chance().between(0, 1))});
  d.add("Add", {w, d.like(kT, {k})});
}

constexpr void (*kPatterns[])(Drawing&) = {
    conv_block,       dense,           layer_norm,       rms_norm,       gelu_exact,
    gelu_tanh,        attention_block, transposes,       quantised_conv, quantised_dense,
    quantised_binary, dynamic_product, shape_arithmetic, shared_weights, quantised_pair};

template <int kind>
void pattern(Drawing& d) {
  kPatterns[kind](d);
}

}  // namespace

// Rows of no operator.
std::vector<OperatorRow> pattern_rows() {
  return {
      {"convolution block", "pattern", 1, kPlain, 0, pattern<0>},
      {"dense layer", "pattern", 1, kPlain, 0, pattern<1>},
      {"layer norm", "pattern", 1, kPlain, 0, pattern<2>},
      {"root mean square norm", "pattern", 1, kPlain, 0, pattern<3>},
      {"gelu of erf", "pattern", 1, kPlain, 0, pattern<4>},
      {"gelu of tanh", "pattern", 1, kPlain, 0, pattern<5>},
      {"attention", "pattern", 1, kPlain, 0, pattern<6>},
      {"transposes", "pattern", 1, kPlain, 0, pattern<7>},
      {"quantised convolution", "pattern", 1, kPlain, 0, pattern<8>},
      {"quantised product", "pattern", 1, kPlain, 0, pattern<9>},
      {"quantised sum", "pattern", 1, kPlain, 0, pattern<10>},
      {"dynamically quantised product", "pattern", 1, kPlain, 0, pattern<11>},
      {"shape arithmetic", "pattern", 1, kPlain, 0, pattern<12>},
      {"shared weights", "pattern", 1, kPlain, 0, pattern<13>},
      {"quantised product of two", "pattern", 1, kPlain, 0, pattern<14>},
  };
}

}  // namespace ortc::fuzz
