// SPDX-License-Identifier: MIT
// Rows of float16 and bfloat16 as floats and back, for every number that 16 bits can hold, every
// border between two of them, and rows of 1 to 67.
#include <algorithm>

#include "providers/cpu/elements/convert.h"
#include "providers/cpu/elements/float_rows.h"
#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

struct Format {
  DType dtype;
  int fraction, bias;
};
constexpr Format kFormats[] = {{DType::kFloat16, 10, 15}, {DType::kBfloat16, 7, 127}};

// The value by the formats' definition.
double value_of(const Format& f, uint16_t bits) {
  const int exponent = (bits & 0x7FFF) >> f.fraction, fraction = bits & ((1 << f.fraction) - 1);
  const int special = (1 << (15 - f.fraction)) - 1;
  double size = std::ldexp(fraction, 1 - f.bias - f.fraction);
  if (exponent == special) size = fraction != 0 ? NAN : INFINITY;
  if (exponent > 0 && exponent < special) {
    size = std::ldexp(fraction + (1 << f.fraction), exponent - f.bias - f.fraction);
  }
  return bits & 0x8000 ? -size : size;
}

bool is_nan(const Format& f, uint16_t bits) { return std::isnan(value_of(f, bits)); }

TEST(half_rows_numerics, every_number_is_widened_exactly) {
  std::vector<uint16_t> all(1 << 16);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
  for (const Format& f : kFormats) {
    std::vector<float> wide(all.size());
    convert_row(f.dtype, DType::kFloat32)(all.data(), wide.data(), 1 << 16);
    std::vector<uint16_t> back(all.size());
    convert_row(DType::kFloat32, f.dtype)(wide.data(), back.data(), 1 << 16);
    for (size_t i = 0; i < all.size(); ++i) {
      CHECK_WITHIN(wide[i], value_of(f, all[i]), 0);
      CHECK_EQ(std::signbit(wide[i]), all[i] >= 0x8000);
      if (is_nan(f, all[i])) {
        CHECK(is_nan(f, back[i]));
      } else {
        CHECK_EQ(back[i], all[i]);
      }
    }
  }
}

// Between neighbours: the middle goes to the even one, what lies beside it to the nearer.
TEST(half_rows_numerics, every_border_is_rounded_to_the_even_neighbour) {
  for (const Format& f : kFormats) {
    const auto infinity = static_cast<uint16_t>(((1 << (15 - f.fraction)) - 1) << f.fraction);
    std::vector<float> x;
    std::vector<uint16_t> expected;
    for (uint16_t low = 0; low < infinity; ++low) {
      const uint16_t high = static_cast<uint16_t>(low + 1);
      const double step = value_of(f, low) - (low == 0 ? 0 : value_of(f, low - 1));
      const double top = high == infinity ? value_of(f, low) + step : value_of(f, high);
      const auto middle = static_cast<float>((value_of(f, low) + top) / 2);
      if (static_cast<double>(middle) != (value_of(f, low) + top) / 2) continue;  // no such float
      for (const uint16_t sign : {0, 0x8000}) {
        const float by = sign != 0 ? -1.0f : 1.0f;
        const uint16_t even = low % 2 == 0 ? low : high;
        x.insert(x.end(), {by * middle, by * std::nextafter(middle, 0.0f),
                           by * std::nextafter(middle, INFINITY)});
        for (const uint16_t code : {even, low, high}) {
          expected.push_back(static_cast<uint16_t>(code | sign));
        }
      }
    }
    CHECK(x.size() > 30000);
    std::vector<uint16_t> y(x.size());
    convert_row(DType::kFloat32, f.dtype)(x.data(), y.data(), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i) CHECK_EQ(y[i], expected[i]);
  }
}

TEST(half_rows_numerics, rows_of_every_length_convert_like_single_numbers) {
  std::vector<float> x = testing::Random(5).floats(80, -70000, 70000);
  std::copy_n(testing::special_floats().begin(), 15, x.begin() + 30);
  for (const Format& f : kFormats) {
    const ConvertRow narrow_row = convert_row(DType::kFloat32, f.dtype);
    const ConvertRow widen_row = convert_row(f.dtype, DType::kFloat32);
    std::vector<uint16_t> alone(x.size());
    for (size_t i = 0; i < x.size(); ++i) narrow_row(&x[i], &alone[i], 1);
    for (size_t n = 1; n <= testing::kLargestSize; ++n) {
      std::vector<uint16_t> y(n + 1, 7);
      narrow_row(x.data(), y.data(), static_cast<int64_t>(n));
      CHECK(std::equal(alone.begin(), alone.begin() + static_cast<std::ptrdiff_t>(n), y.begin()));
      CHECK_EQ(y[n], 7);
      std::vector<float> wide(n + 1, 7.0f);
      widen_row(y.data(), wide.data(), static_cast<int64_t>(n));
      for (size_t i = 0; i < n; ++i) CHECK_WITHIN(wide[i], value_of(f, y[i]), 0);
      CHECK_EQ(wide[n], 7.0f);
    }
  }
}

// The loops of processors without instructions for it give the same.
TEST(half_rows_numerics, single_numbers_are_rounded_as_rows_are) {
  for (const float v : testing::sampled_floats(50021)) {
    Float16 half;
    Bfloat16 bfloat;
    narrow(&v, 1, &half);
    narrow(&v, 1, &bfloat);
    if (std::isnan(v)) continue;
    CHECK_EQ(half.bits, float_to_half(v));
    CHECK_EQ(bfloat.bits, float_to_bfloat16(v));
    float wide;
    widen(&half, 1, &wide);
    CHECK_EQ(wide, half_to_float(half.bits));
  }
}

}  // namespace
}  // namespace ortc::cpu
