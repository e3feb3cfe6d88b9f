// SPDX-License-Identifier: MIT
// Cast, QuantizeLinear and DequantizeLinear of the types of 8, 4 and 2 bits: every code, and every
// border between two of them, against the types' definitions.
#include <algorithm>
#include <cmath>
#include <map>

#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

// --- The definitions: sign, exponent and mantissa, and which codes are special.

struct Format {
  DType dtype;
  int exponent_bits, mantissa_bits, bias;
  std::vector<int> nans;
  int infinity;  // -1: none
  int nan;       // what a NaN becomes
  bool has_minus_zero;
};

std::vector<Format> formats() {
  return {{DType::kFloat8E4M3Fn, 4, 3, 7, {0x7f, 0xff}, -1, 0x7f, true},
          {DType::kFloat8E4M3FnUz, 4, 3, 8, {0x80}, -1, 0x80, false},
          {DType::kFloat8E5M2, 5, 2, 15, {0x7d, 0x7e, 0x7f, 0xfd, 0xfe, 0xff}, 0x7c, 0x7e, true},
          {DType::kFloat8E5M2FnUz, 5, 2, 16, {0x80}, -1, 0x80, false},
          {DType::kFloat4E2M1, 2, 1, 1, {}, -1, 0x8, true}};
}

int sign_bit(const Format& format) { return 1 << (format.exponent_bits + format.mantissa_bits); }

double value_of(const Format& format, int code) {
  const int sign = sign_bit(format);
  if (std::count(format.nans.begin(), format.nans.end(), code) != 0) return std::nan("");
  const double factor = (code & sign) != 0 ? -1 : 1;
  if (format.infinity >= 0 && (code & (sign - 1)) == format.infinity) return factor * INFINITY;
  const int exponent = (code & (sign - 1)) >> format.mantissa_bits;
  const double mantissa = code & ((1 << format.mantissa_bits) - 1);
  const double fraction = std::ldexp(mantissa, -format.mantissa_bits);
  return factor * (exponent == 0 ? std::ldexp(fraction, 1 - format.bias)
                                 : std::ldexp(1 + fraction, exponent - format.bias));
}

// The nearest number by trying them all; of two equally near ones that with an even code. What
// would be rounded beyond the largest, were there more, is too large.
int nearest_code(const Format& format, double x, bool saturate) {
  const int sign = sign_bit(format);
  const int minus = std::signbit(x) ? sign : 0;
  if (std::isnan(x)) return format.has_minus_zero ? format.nan | minus : format.nan;
  int largest = 0, best = 0;
  for (int code = 0; code < sign; ++code) {
    if (std::isfinite(value_of(format, code))) largest = code;
  }
  const double step = value_of(format, largest) - value_of(format, largest - 1);
  const double beyond = value_of(format, largest) + step / 2;
  const double size = std::fabs(x);
  if (size > beyond || (size == beyond && largest % 2 == 1)) {
    if (saturate || format.dtype == DType::kFloat4E2M1) return largest | minus;
    if (!format.has_minus_zero) return format.nan;
    return (format.infinity >= 0 ? format.infinity : format.nan) | minus;
  }
  for (int code = 1; code <= largest; ++code) {
    const double distance = std::fabs(value_of(format, code) - size);
    const double least = std::fabs(value_of(format, best) - size);
    if (distance < least || (distance == least && code % 2 == 0)) best = code;
  }
  return best == 0 && !format.has_minus_zero ? 0 : best | minus;
}

// --- Tensors.

Tensor doubles(const std::vector<double>& values) {
  return Tensor::from<double>({static_cast<int64_t>(values.size())}, values);
}

Tensor packed_codes(DType dtype, const std::vector<int>& codes) {
  Tensor tensor = Tensor::create(dtype, {static_cast<int64_t>(codes.size())}).value();
  const auto bits = static_cast<size_t>(dtype_bits(dtype)), each = 8 / bits;
  auto* bytes = static_cast<uint8_t*>(tensor.mutable_data());
  for (size_t i = 0; i < codes.size(); ++i) {
    const int code = codes[i] & ((1 << bits) - 1);
    bytes[i / each] = static_cast<uint8_t>(bytes[i / each] | code << (i % each * bits));
  }
  return tensor;
}

Op cast_to(DType dtype, int64_t saturate = 1, int64_t opset = 25, const char* round = nullptr) {
  Op op{"Cast", opset, {Attribute::of_int("to", static_cast<int64_t>(dtype))}};
  op.attributes.push_back(Attribute::of_int("saturate", saturate));
  if (round != nullptr) op.attributes.push_back(Attribute::of_string("round_mode", round));
  return op;
}

std::vector<int> all_codes(int bits) {
  std::vector<int> codes;
  for (int code = 0; code < 1 << bits; ++code) codes.push_back(code);
  return codes;
}

// Every number of the format, the middle between it and the next, and both sides of that.
std::vector<double> borders(const Format& format) {
  std::vector<double> values = {0.0, -0.0, 1e6, -1e6, 1e300, -1e300, 1e-300, 5e-324, std::nan("")};
  double before = 0;
  for (int code = 0; code < sign_bit(format); ++code) {
    double value = value_of(format, code);
    if (!std::isfinite(value)) value = before * 1.5;
    const double middle = before + (value - before) / 2;
    for (const double x : {value, middle, std::nextafter(middle, 1e9), std::nextafter(middle, 0)}) {
      values.push_back(x);
      values.push_back(-x);
    }
    before = value;
  }
  const double largest = before, step = largest - value_of(format, sign_bit(format) - 2);
  for (const double x : {largest + step / 2, std::nextafter(largest + step / 2, 1e9)}) {
    values.push_back(x);
    values.push_back(-x);
  }
  return values;
}

TEST(small_floats, every_code_has_the_value_of_its_definition) {
  for (const Format& format : formats()) {
    const auto codes = all_codes(dtype_bits(format.dtype));
    const Tensor y = run_one(cast_to(DType::kFloat32), {packed_codes(format.dtype, codes)});
    for (size_t i = 0; i < codes.size(); ++i) {
      const auto expected = static_cast<float>(value_of(format, codes[i]));
      const float found = y.elements<float>()[i];
      CHECK(std::isnan(expected)
                ? std::isnan(found)
                : found == expected && std::signbit(found) == std::signbit(expected));
    }
  }
}

TEST(small_floats, every_border_is_rounded_to_the_even_neighbour) {
  for (const Format& format : formats()) {
    const auto values = borders(format);
    for (const int64_t saturate : {0, 1}) {
      const Tensor y = run_one(cast_to(format.dtype, saturate), {doubles(values)});
      for (size_t i = 0; i < values.size(); ++i) {
        CHECK_EQ(code_at(y, i), nearest_code(format, values[i], saturate != 0));
      }
    }
  }
}

TEST(small_floats, are_the_same_from_floats_halves_and_integers) {
  std::vector<double> values;
  for (int i = -600; i <= 600; ++i) values.push_back(i * 0.25);
  const Tensor x = doubles(values);
  for (const Format& format : formats()) {
    for (const DType from : {DType::kFloat32, DType::kFloat16, DType::kInt16, DType::kInt64}) {
      const Tensor source = run_one(cast_to(from), {x});
      const Tensor exact = run_one(cast_to(DType::kFloat64), {source});
      const Tensor y = run_one(cast_to(format.dtype), {source});
      for (size_t i = 0; i < values.size(); ++i) {
        CHECK_EQ(code_at(y, i), nearest_code(format, exact.elements<double>()[i], true));
      }
    }
  }
}

TEST(small_floats, infinities_go_where_opset_and_saturate_say) {
  const Tensor x = doubles({INFINITY, -INFINITY});
  const auto codes = [&](DType dtype, int64_t saturate, int64_t opset) {
    const Tensor y = run_one(cast_to(dtype, saturate, opset), {x});
    return std::pair(code_at(y, 0), code_at(y, 1));
  };
  CHECK(codes(DType::kFloat8E4M3Fn, 1, 19) == std::pair(0x7e, 0xfe));
  CHECK(codes(DType::kFloat8E4M3Fn, 0, 19) == std::pair(0x7f, 0xff));
  CHECK(codes(DType::kFloat8E5M2, 1, 23) == std::pair(0x7b, 0xfb));
  CHECK(codes(DType::kFloat8E5M2, 0, 25) == std::pair(0x7c, 0xfc));
  for (const DType dtype : {DType::kFloat8E4M3FnUz, DType::kFloat8E5M2FnUz}) {
    CHECK(codes(dtype, 1, 23) == std::pair(0x80, 0x80));
    CHECK(codes(dtype, 1, 24) == std::pair(0x7f, 0xff));
    CHECK(codes(dtype, 0, 24) == std::pair(0x80, 0x80));
  }
  CHECK(codes(DType::kFloat4E2M1, 0, 25) == std::pair(0x7, 0xf));
}

TEST(float8e8m0, is_a_power_of_two_and_knows_three_ways_of_rounding) {
  const Tensor all =
      run_one(cast_to(DType::kFloat64), {packed_codes(DType::kFloat8E8M0, all_codes(8))});
  for (int code = 0; code < 255; ++code) {
    CHECK_EQ(all.elements<double>()[static_cast<size_t>(code)], std::ldexp(1.0, code - 127));
  }
  CHECK(std::isnan(all.elements<double>()[255]));
  const auto codes = [](double x, const char* round, int64_t saturate) {
    return code_at(run_one(cast_to(DType::kFloat8E8M0, saturate, 25, round), {doubles({x})}), 0);
  };
  for (int power = -127; power < 127; ++power) {
    for (const double x : {1.0, 1 + 0x1p-52, 1.5 - 0x1p-52, 1.5, 2 - 0x1p-52}) {
      const double value = std::ldexp(x, power);
      CHECK_EQ(codes(value, "up", 1), power + 127 + (x > 1 ? 1 : 0));
      CHECK_EQ(codes(value, "down", 1), power + 127);
      CHECK_EQ(codes(value, "nearest", 0), power + 127 + (x >= 1.5 ? 1 : 0));
    }
  }
  for (const double x : {0.0, 0x1p-128, 1e-300}) {
    CHECK_EQ(codes(x, "up", 1), 0);
    CHECK_EQ(codes(x, "nearest", 0), 0xff);
  }
  for (const double x : {double{INFINITY}, 0x1.8p127, 1e300}) {
    CHECK_EQ(codes(x, "up", 1), 0xfe);
    CHECK_EQ(codes(x, "nearest", 0), 0xff);
  }
  CHECK_EQ(codes(std::nan(""), "up", 1), 0xff);
  CHECK_EQ(codes(-1, "up", 1), 0xff);
  CHECK_CODE(run_op(cast_to(DType::kFloat8E8M0, 1, 25, "sideways"), {doubles({1})}),
             Code::kInvalidGraph);
}

TEST(float8e8m0, rounds_64_bit_integers_as_they_are) {
  const Tensor x = int64s({(int64_t{1} << 60) + 1, int64_t{1} << 60, INT64_MAX, 3});
  const Tensor y = run_one(cast_to(DType::kFloat8E8M0), {x});
  CHECK(code_at(y, 0) == 127 + 61 && code_at(y, 1) == 127 + 60 && code_at(y, 2) == 127 + 63 &&
        code_at(y, 3) == 127 + 2);
}

constexpr DType kSmallIntegers[] = {DType::kInt4, DType::kUint4, DType::kInt2, DType::kUint2};

int integer_of(DType dtype, int code) {
  const int bits = dtype_bits(dtype);
  const bool is_signed = dtype == DType::kInt4 || dtype == DType::kInt2;
  return is_signed && code >= 1 << (bits - 1) ? code - (1 << bits) : code;
}

TEST(small_integers, are_unpacked_exactly_whatever_their_number) {
  for (const DType dtype : kSmallIntegers) {
    for (const size_t count : {1u, 2u, 3u, 5u, 16u, 601u}) {
      std::vector<int> codes;
      for (size_t i = 0; i < count; ++i) codes.push_back(int(i * 7 + 3) % (1 << dtype_bits(dtype)));
      const Tensor x = packed_codes(dtype, codes);
      const Tensor floats = run_one(cast_to(DType::kFloat32), {x});
      const Tensor integers = run_one(cast_to(DType::kInt64), {x});
      const Tensor texts = run_one(cast_to(DType::kString), {x});
      for (size_t i = 0; i < count; ++i) {
        const int expected = integer_of(dtype, codes[i]);
        CHECK_EQ(floats.elements<float>()[i], static_cast<float>(expected));
        CHECK_EQ(integers.elements<int64_t>()[i], expected);
        CHECK_EQ(texts.string_elements()[i], std::to_string(expected));
      }
      CHECK(same_bits(run_one(cast_to(dtype), {integers}), x));
      CHECK(same_bits(run_one(cast_to(dtype), {floats}), x));
      CHECK(same_bits(run_one(cast_to(dtype), {texts}), x));
    }
  }
}

TEST(small_integers, round_floats_to_even_and_keep_the_low_bits) {
  const std::vector<double> values = {0.5, 1.5, 2.5, -0.5, -1.5, 0.49, -2.6, 9, -9, 100, 3.5};
  const std::vector<int> rounded = {0, 2, 2, 0, -2, 0, -3, 9, -9, 100, 4};
  const Tensor integers = int64s({0, 2, 2, 0, -2, 0, -3, 9, -9, 100, 4});
  for (const DType dtype : kSmallIntegers) {
    const Tensor y = run_one(cast_to(dtype), {doubles(values)});
    CHECK(same_bits(y, packed_codes(dtype, rounded)));
    CHECK(same_bits(y, run_one(cast_to(dtype), {integers})));
  }
}

TEST(small_types, go_from_one_to_another_and_from_texts) {
  const Tensor x = packed_codes(DType::kInt4, {-8, -3, 0, 7, 5});
  const Tensor y = run_one(cast_to(DType::kFloat8E4M3Fn), {x});
  CHECK(same_bits(run_one(cast_to(DType::kInt4), {y}), x));
  const Tensor four =
      run_one(cast_to(DType::kFloat4E2M1), {Tensor::strings({3}, {"1.5", "-inf", "5"})});
  CHECK(code_at(four, 0) == 3 && code_at(four, 1) == 0xf && code_at(four, 2) == 6);
  CHECK_CODE(run_op(cast_to(DType::kInt4), {Tensor::strings({1}, {"x"})}), Code::kInvalidArgument);
  const Tensor bools = run_one(cast_to(DType::kBool), {x});
  CHECK(!bools.elements<bool>()[2] && bools.elements<bool>()[0]);
  const Tensor like = run_one({"CastLike", 25}, {doubles({448, 1e9}), y});
  CHECK(code_at(like, 0) == 0x7e && code_at(like, 1) == 0x7e);
  const Op no_limit{"CastLike", 25, {Attribute::of_int("saturate", 0)}};
  CHECK_EQ(code_at(run_one(no_limit, {doubles({1e9}), y}), 0), 0x7f);
}

// --- Quantising.

TEST(quantise_linear, small_floats_are_rounded_once) {
  std::vector<float> values;
  for (int i = -400; i < 401; ++i) values.push_back(static_cast<float>(i) * 0.37f);
  const Tensor x = Tensor::from<float>({801}, values);
  const float scale = 0.7f;
  for (const Format& format : formats()) {
    const auto type = Attribute::of_int("output_dtype", static_cast<int64_t>(format.dtype));
    const Tensor y = run_one({"QuantizeLinear", 25, {type}}, {x, Tensor::scalar(scale)});
    const Tensor back = run_one({"DequantizeLinear", 25}, {y, Tensor::scalar(scale)});
    for (size_t i = 0; i < values.size(); ++i) {
      const int code = nearest_code(format, double{values[i] / scale}, true);
      CHECK_EQ(code_at(y, i), code);
      CHECK_EQ(back.elements<float>()[i], static_cast<float>(value_of(format, code)) * scale);
    }
  }
}

TEST(quantise_linear, small_floats_have_scales_by_axis_and_block) {
  const Tensor x = tensor<float>({2, 3}, {1, 2, 3, 4, 5, 600});
  const Tensor zero = packed_codes(DType::kFloat8E4M3Fn, {0, 0, 0});
  const Tensor scale = tensor<float>({3}, {1, 2, 0.5f});
  const Tensor y =
      run_one({"QuantizeLinear", 25, {Attribute::of_int("axis", 1)}}, {x, scale, zero});
  const Tensor back = run_one({"DequantizeLinear", 25, {Attribute::of_int("axis", 1)}}, {y, scale});
  CHECK(holds<float>(back, {2, 3}, {1, 2, 3, 4, 5, 224}));
  const std::vector<Attribute> blocks = {
      Attribute::of_int("axis", 1), Attribute::of_int("block_size", 2),
      Attribute::of_int("output_dtype", static_cast<int64_t>(DType::kFloat4E2M1))};
  const Tensor block_scale = tensor<float>({2, 2}, {0.5f, 1, 2, 100});
  const Tensor four = run_one({"QuantizeLinear", 25, blocks}, {x, block_scale});
  const Tensor wide =
      run_one({"DequantizeLinear", 25, {blocks[0], blocks[1]}}, {four, block_scale});
  CHECK(holds<float>(wide, {2, 3}, {1, 2, 3, 4, 4, 600}));
}

TEST(quantise_linear, scales_may_be_powers_of_two) {
  const Tensor x = tensor<float>({4}, {1, -3, 100, 0.5f});
  const Tensor scale = packed_codes(DType::kFloat8E8M0, {128});
  const auto type = Attribute::of_int("output_dtype", static_cast<int64_t>(DType::kInt8));
  const Tensor y = run_one({"QuantizeLinear", 25, {type}}, {x, scale});
  CHECK(holds<int8_t>(y, {4}, {0, -2, 50, 0}));
  const auto wide = Attribute::of_int("output_dtype", static_cast<int64_t>(DType::kFloat32));
  CHECK(holds<float>(run_one({"DequantizeLinear", 25, {wide}}, {y, scale}), {4}, {0, -4, 100, 0}));
  CHECK_CODE(run_op({"DequantizeLinear", 25}, {y, scale}), Code::kNotImplemented);
}

TEST(quantise_linear, a_zero_point_that_is_not_zero_counts) {
  const Tensor x = tensor<float>({2}, {1, 3}),
               zero = packed_codes(DType::kFloat8E5M2, {0x3c});  // 1
  const Tensor y = run_one({"QuantizeLinear", 25}, {x, Tensor::scalar(1.0f), zero});
  CHECK(code_at(y, 0) == 0x40 && code_at(y, 1) == 0x44);  // 2, 4
  const Tensor back = run_one({"DequantizeLinear", 25}, {y, Tensor::scalar(1.0f), zero});
  CHECK(holds<float>(back, {2}, {1, 3}));
}

// 3.4999 is 3.5 in float16, and then 4.
TEST(quantise_linear, the_division_has_the_precision_that_is_asked_for) {
  const Tensor x = tensor<float>({1}, {3.4999f}), one = Tensor::scalar(1.0f);
  const Tensor half = run_one(cast_to(DType::kFloat16), {one});
  CHECK(holds<uint8_t>(run_one({"QuantizeLinear", 25}, {x, one}), {1}, {3}));
  CHECK(holds<uint8_t>(run_one({"QuantizeLinear", 25}, {x, half}), {1}, {4}));
  const auto precision = [](DType dtype) {
    return Attribute::of_int("precision", static_cast<int64_t>(dtype));
  };
  CHECK(holds<uint8_t>(run_one({"QuantizeLinear", 25, {precision(DType::kFloat32)}}, {x, half}),
                       {1}, {3}));
  CHECK(holds<uint8_t>(run_one({"QuantizeLinear", 25, {precision(DType::kBfloat16)}}, {x, one}),
                       {1}, {4}));
  CHECK_CODE(run_op({"QuantizeLinear", 25, {precision(DType::kFloat64)}}, {x, one}),
             Code::kNotImplemented);
}

}  // namespace
}  // namespace ortc::test
