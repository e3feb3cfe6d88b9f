// SPDX-License-Identifier: MIT
// Operators that compute each element from one element of each input.
#include "tests/differential/fuzzer/drawing.h"

namespace ortc::fuzz {
namespace {

// One row per operator: the functions below know their operator's name through a template argument.
template <size_t N>
struct Name {
  char text[N];
  constexpr Name(const char (&from)[N]) {  // NOLINT: a literal is a name
    for (size_t i = 0; i < N; ++i) text[i] = from[i];
  }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

template <Name op, TypeMask types>
void unary(Drawing& d) {
  d.add(op.view(), {d.any(types)});
}

// Of numbers in a range: a new input where the operator is not defined everywhere.
template <Name op, int low_tenths, int high_tenths>
void ranged(Drawing& d) {
  const Fill fill{Fill::kReal, low_tenths / 10.0, high_tenths / 10.0};
  const DType dtype = d.type(mask_of(DType::kFloat32, DType::kFloat64, DType::kFloat16));
  d.add(op.view(), {d.chance().one_in(3) ? d.any(kFloats) : d.input(dtype, d.dims(0, 4), fill)});
}

template <Name op, Name attribute, int low_tenths, int high_tenths>
void with_number(Drawing& d) {
  Attributes attributes;
  if (!d.chance().one_in(3)) {
    attributes.push_back(
        of_float(attribute.text, d.chance().real(low_tenths / 10.0, high_tenths / 10.0)));
  }
  d.add(op.view(), {d.any(kFloats)}, attributes);
}

template <Name op, TypeMask types>
void binary(Drawing& d) {
  const std::string a = d.any(types);
  const std::string b = d.broadcasting(d.type_of(a), d.dims_of(a));
  const bool swap = d.chance().one_in(2);
  d.add(op.view(), {swap ? b : a, swap ? a : b});
}

void divide(Drawing& d) {
  const std::string a = d.any(kNumbers);
  const DType dtype = d.type_of(a);
  const Fill fill{is_float(dtype) ? Fill::kReal : Fill::kWhole, 1, 4};
  Dims dims = d.dims_of(a);
  for (int64_t& dim : dims) dim = d.chance().one_in(4) ? 1 : dim;
  d.add("Div", {a, d.either(dtype, dims, fill)});
}

void power(Drawing& d) {
  const DType dtype =
      d.type(mask_of(DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64));
  const Fill fill{is_float(dtype) ? Fill::kReal : Fill::kWhole, 0.3, 3};
  const std::string a =
      d.input(dtype, d.dims(0, 3), is_float(dtype) ? fill : Fill{Fill::kWhole, 1, 4});
  const double exponent =
      d.chance().of(std::vector<double>{0.5, 1, 2, 3, 2, is_float(dtype) ? -1.0 : 1.0});
  const bool is_whole = !is_float(dtype) && exponent == 0.5;
  d.add("Pow",
        {a, d.chance().one_in(2) ? d.scalar(dtype, is_whole ? 2 : exponent)
                                 : d.either(dtype, d.dims_of(a),
                                            {is_float(dtype) ? Fill::kReal : Fill::kWhole, 0, 3})});
}

void modulo(Drawing& d) {
  const std::string a = d.any(kNumbers);
  const DType dtype = d.type_of(a);
  const bool is_real = is_float(dtype);
  const Fill fill{is_real ? Fill::kReal : Fill::kWhole, is_real ? 0.5 : 1, 5};
  d.add("Mod", {a, d.either(dtype, d.dims_of(a), fill)},
        {of_int("fmod", is_real || d.chance().one_in(2) ? 1 : 0)});
}

template <Name op>
void variadic(Drawing& d) {
  constexpr bool kAny = op.view() == "Max" || op.view() == "Min";
  const std::string a = d.any(kAny ? kNumbers : kFloats);
  Names inputs{a};
  for (int64_t i = d.chance().between(0, 3); i > 0; --i) {
    inputs.push_back(d.broadcasting(d.type_of(a), d.dims_of(a)));
  }
  d.add(op.view(), inputs);
}

void clip(Drawing& d) {
  const std::string x = d.any(kNumbers);
  const DType dtype = d.type_of(x);
  const bool is_signed = is_float(dtype) || dtype == DType::kInt32 || dtype == DType::kInt64;
  const std::string low = d.chance().one_in(4) ? "" : d.scalar(dtype, is_signed ? -1 : 0);
  const std::string high =
      d.chance().one_in(4) ? "" : d.scalar(dtype, d.chance().one_in(3) ? 6 : 1);
  d.add("Clip", {x, low, high});
}

void leaky_slopes(Drawing& d) {
  const std::string x = d.any(kFloats, 1, 4);
  Dims dims = d.dims_of(x);
  if (d.chance().one_in(2)) {
    for (size_t i = 0; i < dims.size(); ++i) dims[i] = i == 1 ? dims[i] : 1;
  }
  d.add("PRelu", {x, d.either(d.type_of(x), dims, {Fill::kReal, 0.1, 0.5})});
}

void shift(Drawing& d) {
  const DType dtype =
      d.type(mask_of(DType::kUint8, DType::kUint16, DType::kUint32, DType::kUint64));
  const Dims dims = d.dims(0, 3);
  d.add("BitShift",
        {d.input(dtype, dims, {Fill::kWhole, 0, 100}), d.either(dtype, dims, {Fill::kWhole, 0, 6})},
        {of_text("direction", d.chance().one_in(2) ? "LEFT" : "RIGHT")});
}

void choose(Drawing& d) {
  const std::string a = d.any(kNumbers | kFlags | kTexts);
  const std::string b = d.broadcasting(d.type_of(a), d.dims_of(a));
  d.add("Where", {d.broadcasting(DType::kBool, d.dims_of(a)), a, b});
}

void cast(Drawing& d) {
  const std::string x = d.any(kNumbers | kFlags);
  const DType to = d.type(kNumbers | kFlags);
  d.add("Cast", {x}, {of_int("to", static_cast<int64_t>(to))});
}

void cast_like(Drawing& d) {
  const std::string x = d.any(kNumbers | kFlags);
  d.add("CastLike", {x, d.any(kNumbers | kFlags)});
}

void bit_cast(Drawing& d) {
  const DType from = d.type(mask_of(DType::kFloat32, DType::kInt32, DType::kUint32));
  d.add(
      "BitCast", {d.input(from, d.dims(0, 3), {Fill::kWhole, 0, 100})},
      {of_int("to", static_cast<int64_t>(from == DType::kInt32 ? DType::kUint32 : DType::kInt32))});
}

void shrink(Drawing& d) {
  d.add("Shrink", {d.any(kFloats)},
        {of_float("lambd", 0.5), of_float("bias", d.chance().real(0, 0.5))});
}

void gelu(Drawing& d) {
  Attributes attributes;
  if (d.chance().one_in(2)) attributes.push_back(of_text("approximate", "tanh"));
  d.add("Gelu", {d.any(kFloats)}, attributes);
}

void hard_sigmoid(Drawing& d) {
  d.add(
      "HardSigmoid", {d.any(kFloats)},
      {of_float("alpha", d.chance().real(0.1, 0.4)), of_float("beta", d.chance().real(0.3, 0.6))});
}

void dropout(Drawing& d) {
  const std::string x = d.any(kFloats);
  d.add_many("Dropout", {x, d.chance().one_in(2) ? d.scalar(DType::kFloat32, 0.5) : ""}, {}, 2, "",
             d.chance().one_in(2) ? 3u : 1u);
}

template <Name op>
void infinities(Drawing& d) {
  d.add(op.view(), {d.any(mask_of(DType::kFloat32, DType::kFloat64))});
}

}  // namespace

std::vector<OperatorRow> elementwise_rows() {
  constexpr TypeMask kComparable = kNumbers;
  return {
      // operator   domain since flags ulps draw
      {"Abs", "", 13, kExact, 0, unary<"Abs", kNumbers>},
      {"Neg", "", 13, kExact, 0,
       unary<"Neg", kFloats | mask_of(DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64)>},
      {"Identity", "", 16, kExact, 0, unary<"Identity", kNumbers | kFlags | kTexts>},
      {"Relu", "", 14, kExact, 0, unary<"Relu", kFloats | mask_of(DType::kInt8, DType::kInt32)>},
      {"Floor", "", 13, kExact, 0, unary<"Floor", kFloats>},
      {"Ceil", "", 13, kExact, 0, unary<"Ceil", kFloats>},
      {"Round", "", 13, kExact, 0, unary<"Round", kFloats>},
      {"Sign", "", 13, kExact, 0, unary<"Sign", kNumbers>},
      {"Not", "", 1, kExact, 0, unary<"Not", kFlags>},
      {"BitwiseNot", "", 18, kExact, 0, unary<"BitwiseNot", kIntegers>},
      {"IsNaN", "", 20, kExact, 0, infinities<"IsNaN">},
      {"IsInf", "", 20, kExact, 0, infinities<"IsInf">},
      {"Exp", "", 13, kPlain, 4, unary<"Exp", kFloats>},
      {"Sin", "", 22, kPlain, 8, unary<"Sin", kFloats>},
      {"Cos", "", 22, kPlain, 8, unary<"Cos", kFloats>},
      {"Tan", "", 22, kPlain, 8, ranged<"Tan", -10, 10>},
      {"Asin", "", 22, kPlain, 8, ranged<"Asin", -9, 9>},
      {"Acos", "", 22, kPlain, 8, ranged<"Acos", -9, 9>},
      {"Atan", "", 22, kPlain, 8, unary<"Atan", kFloats>},
      {"Sinh", "", 22, kPlain, 8, unary<"Sinh", kFloats>},
      {"Cosh", "", 22, kPlain, 8, unary<"Cosh", kFloats>},
      {"Asinh", "", 22, kPlain, 8, unary<"Asinh", kFloats>},
      {"Acosh", "", 22, kPlain, 8, ranged<"Acosh", 12, 40>},
      {"Atanh", "", 22, kPlain, 8, ranged<"Atanh", -9, 9>},
      {"Sqrt", "", 13, kPlain, 2, ranged<"Sqrt", 1, 40>},
      {"Log", "", 13, kPlain, 4, ranged<"Log", 2, 40>},
      {"Reciprocal", "", 13, kPlain, 4, ranged<"Reciprocal", 3, 40>},
      {"Sigmoid", "", 13, kPlain, 8, unary<"Sigmoid", kFloats>},
      {"Tanh", "", 13, kPlain, 8, unary<"Tanh", kFloats>},
      {"Erf", "", 13, kPlain, 8, unary<"Erf", kFloats>},
      {"Softplus", "", 22, kPlain, 8, unary<"Softplus", kFloats>},
      {"Softsign", "", 22, kPlain, 4, unary<"Softsign", kFloats>},
      {"HardSwish", "", 22, kPlain, 4, unary<"HardSwish", kFloats>},
      {"Mish", "", 22, kPlain, 16, unary<"Mish", kFloats>},
      {"Elu", "", 22, kPlain, 8, with_number<"Elu", "alpha", 5, 20>},
      {"Celu", "", 12, kPlain, 8, with_number<"Celu", "alpha", 5, 20>},
      {"Selu", "", 22, kPlain, 8, with_number<"Selu", "alpha", 10, 20>},
      {"LeakyRelu", "", 16, kPlain, 4, with_number<"LeakyRelu", "alpha", 0, 5>},
      {"ThresholdedRelu", "", 22, kExact, 0, with_number<"ThresholdedRelu", "alpha", 0, 10>},
      {"Swish", "", 24, kPlain, 8, with_number<"Swish", "alpha", 5, 20>},
      {"HardSigmoid", "", 22, kPlain, 4, hard_sigmoid},
      {"Gelu", "", 20, kPlain, 32, gelu},
      {"Shrink", "", 9, kPlain, 2, shrink},
      {"Dropout", "", 13, kExact, 0, dropout},
      {"Add", "", 14, kPlain, 2, binary<"Add", kNumbers>},
      {"Sub", "", 14, kPlain, 2, binary<"Sub", kNumbers>},
      {"Mul", "", 14, kPlain, 2, binary<"Mul", kNumbers>},
      {"Div", "", 14, kPlain, 4, divide},
      {"Pow", "", 15, kPlain, 16, power},
      {"Mod", "", 13, kPlain, 4, modulo},
      {"PRelu", "", 16, kPlain, 2, leaky_slopes},
      {"Max", "", 13, kExact, 0, variadic<"Max">},
      {"Min", "", 13, kExact, 0, variadic<"Min">},
      {"Sum", "", 13, kPlain, 4, variadic<"Sum">},
      {"Mean", "", 13, kPlain, 4, variadic<"Mean">},
      {"And", "", 7, kExact, 0, binary<"And", kFlags>},
      {"Or", "", 7, kExact, 0, binary<"Or", kFlags>},
      {"Xor", "", 7, kExact, 0, binary<"Xor", kFlags>},
      {"BitwiseAnd", "", 18, kExact, 0, binary<"BitwiseAnd", kIntegers>},
      {"BitwiseOr", "", 18, kExact, 0, binary<"BitwiseOr", kIntegers>},
      {"BitwiseXor", "", 18, kExact, 0, binary<"BitwiseXor", kIntegers>},
      {"BitShift", "", 11, kExact, 0, shift},
      {"Equal", "", 19, kExact, 0, binary<"Equal", kComparable | kFlags | kTexts>},
      {"Greater", "", 13, kExact, 0, binary<"Greater", kComparable>},
      {"Less", "", 13, kExact, 0, binary<"Less", kComparable>},
      {"GreaterOrEqual", "", 16, kExact, 0, binary<"GreaterOrEqual", kComparable>},
      {"LessOrEqual", "", 16, kExact, 0, binary<"LessOrEqual", kComparable>},
      {"Where", "", 16, kExact, 0, choose},
      {"Clip", "", 13, kExact, 0, clip},
      {"Cast", "", 19, kPlain, 1, cast},
      {"CastLike", "", 19, kPlain, 1, cast_like},
      {"BitCast", "", 26, kExact | kOwnRules, 0, bit_cast},
  };
}

}  // namespace ortc::fuzz
