// SPDX-License-Identifier: MIT
// Quantised operators. Scales are powers of two where a quotient would otherwise stand between two
// steps; results may be one step off.
#include "tests/differential/fuzzer/rows/parts.h"

namespace ortc::fuzz {
namespace {

constexpr TypeMask kBytes = mask_of(DType::kUint8, DType::kInt8);

std::string bytes(Drawing& d, DType dtype, const Dims& dims) {
  return d.like(dtype, dims, byte_steps(dtype));
}

void quantize(Drawing& d) {
  const std::string x = d.any(mask_of(DType::kFloat32), 1, 4);
  const DType to = byte_type(d);
  const int64_t axis = d.axis_of(d.dims_of(x));
  if (d.dims_of(x).empty()) return d.fail();
  const bool per_axis = d.chance().one_in(3);
  const Dims dims = per_axis ? Dims{d.dims_of(x)[Drawing::front(axis, d.dims_of(x))]} : Dims{};
  d.add("QuantizeLinear", {x, byte_scale(d, 0.1, dims), byte_point(d, to, dims)},
        {of_int("axis", axis)});
}

void dequantize(Drawing& d) {
  const std::string x = d.any(kBytes, 1, 4, {Fill::kWhole, 0, 120});
  const int64_t axis = d.axis_of(d.dims_of(x));
  if (d.dims_of(x).empty()) return d.fail();
  const bool per_axis = d.chance().one_in(3);
  const Dims dims = per_axis ? Dims{d.dims_of(x)[Drawing::front(axis, d.dims_of(x))]} : Dims{};
  d.add(
      "DequantizeLinear",
      {x, byte_scale(d, 0.05, dims), d.chance().one_in(4) ? "" : byte_point(d, d.type_of(x), dims)},
      {of_int("axis", axis)});
}

void dynamic_quantize(Drawing& d) {
  d.add_many("DynamicQuantizeLinear", {d.any(mask_of(DType::kFloat32), 1, 4)}, {}, 3);
}

void mat_mul_integer(Drawing& d) {
  const DType a = byte_type(d), b = byte_type(d);
  const int64_t k = d.chance().of(std::vector<int64_t>{1, 3, 4, 7, 16, 33}),
                n = d.chance().of(std::vector<int64_t>{1, 2, 5, 16, 17, 33});
  Dims left{d.chance().between(1, 5), k};
  if (d.chance().one_in(3)) left.insert(left.begin(), d.chance().between(1, 3));
  const bool has_points = d.chance().percent(70);
  const std::string az = has_points ? byte_point(d, a) : "";
  const std::string bz = has_points && d.chance().one_in(2)
                             ? byte_point(d, b, d.chance().one_in(2) ? Dims{n} : Dims{})
                             : "";
  d.add("MatMulInteger", {bytes(d, a, left), d.either(b, {k, n}, byte_steps(b)), az, bz});
}

struct Picture {
  Dims x, w;
  Attributes attributes;
};

Picture picture(Drawing& d) {
  Picture p;
  const int64_t channels = d.chance().of(std::vector<int64_t>{1, 2, 3, 4, 8, 16}),
                kernel = d.chance().between(1, 3);
  const bool is_depthwise = d.chance().one_in(3);
  const int64_t out = is_depthwise ? channels : d.chance().of(std::vector<int64_t>{1, 2, 5, 8, 17});
  p.x = {d.chance().between(1, 2), channels, d.chance().between(3, 8), d.chance().between(3, 8)};
  p.w = {out, is_depthwise ? 1 : channels, kernel, kernel};
  const int64_t pad = d.chance().between(0, 1), stride = d.chance().between(1, 2);
  p.attributes = {of_ints("pads", {pad, pad, pad, pad}), of_ints("strides", {stride, stride}),
                  of_int("group", is_depthwise ? channels : 1)};
  return p;
}

void conv_integer(Drawing& d) {
  const Picture p = picture(d);
  const DType w = byte_type(d);
  d.add("ConvInteger",
        {bytes(d, DType::kUint8, p.x), d.either(w, p.w, byte_steps(w)),
         d.chance().one_in(2) ? byte_point(d, DType::kUint8) : ""},
        p.attributes);
}

void q_linear_conv(Drawing& d) {
  const Picture p = picture(d);
  const DType t = byte_type(d);
  const DType w = t == DType::kInt8 ? t : byte_type(d);
  const bool per_channel = w == DType::kInt8 && d.chance().one_in(2);
  const Dims each = per_channel ? Dims{p.w[0]} : Dims{};
  const std::string point =
      per_channel ? d.constant(w, each, {Fill::kWhole, 0, 0}) : byte_point(d, w);
  d.add(
      "QLinearConv",
      {bytes(d, t, p.x), byte_scale(d, 0.03), byte_point(d, t), d.constant(w, p.w, byte_steps(w)),
       byte_scale(d, 0.03, each), point, byte_scale(d, 0.2), byte_point(d, t),
       d.chance().one_in(2) ? d.constant(DType::kInt32, {p.w[0]}, {Fill::kWhole, -100, 100}) : ""},
      p.attributes);
}

void q_linear_mat_mul(Drawing& d) {
  const DType t = byte_type(d);
  const int64_t k = d.chance().between(1, 20), n = d.chance().between(1, 18);
  Dims left{d.chance().between(1, 5), k};
  if (d.chance().one_in(3)) left.insert(left.begin(), d.chance().between(1, 3));
  d.add("QLinearMatMul", {bytes(d, t, left), byte_scale(d, 0.03), byte_point(d, t),
                          d.either(t, {k, n}, byte_steps(t)), byte_scale(d, 0.03), byte_point(d, t),
                          byte_scale(d, 0.2), byte_point(d, t)});
}

template <bool is_add>
void q_linear_binary(Drawing& d) {
  const DType t = byte_type(d);
  const std::string a = bytes(d, t, d.dims(1, 4));
  d.add(is_add ? "QLinearAdd" : "QLinearMul",
        {a, byte_scale(d), byte_point(d, t), d.broadcasting(t, d.dims_of(a), byte_steps(t)),
         byte_scale(d), byte_point(d, t), byte_scale(d, 0.3), byte_point(d, t)},
        {}, "com.microsoft");
}

}  // namespace

std::vector<OperatorRow> quantised_rows() {
  return {
      {"QuantizeLinear", "", 21, kOneStep, 0, quantize},
      {"DequantizeLinear", "", 21, kPlain, 2, dequantize},
      {"DynamicQuantizeLinear", "", 11, kOneStep, 4, dynamic_quantize},
      {"MatMulInteger", "", 10, kExact, 0, mat_mul_integer},
      {"ConvInteger", "", 10, kExact, 0, conv_integer},
      {"QLinearConv", "", 10, kOneStep, 0, q_linear_conv},
      {"QLinearMatMul", "", 21, kOneStep, 0, q_linear_mat_mul},
      {"QLinearAdd", "com.microsoft", 1, kOneStep, 0, q_linear_binary<true>},
      {"QLinearMul", "com.microsoft", 1, kOneStep, 0, q_linear_binary<false>},
  };
}

}  // namespace ortc::fuzz
