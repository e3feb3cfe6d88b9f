// SPDX-License-Identifier: MIT
// Cast of rows of every length against one element at a time.
#include <cmath>
#include <cstring>
#include <limits>

#include "providers/cpu/elements/convert.h"
#include "providers/cpu/elements/element.h"
#include "tests/support/test.h"

namespace ortc::cpu {
namespace {

// Numbers inside and outside of every type, those that are none, and both zeros.
template <typename From>
std::vector<From> edge_numbers(size_t n) {
  constexpr double kSpecial[] = {
      0.0,          -0.0, 0.5,   -0.5,   1.5,     -1.5, 127.9, 128.0,        -129.0,       255.0,
      256.5,        -1.0, 40000, -40000, 65536,   1e9,  -1e9,  2147483520.0, 2147483648.0, -3e9,
      4294967040.0, 1e18, -1e18, 9.3e18, -9.3e18, 1e19, 1e30,  -1e30};
  std::vector<From> x;
  for (size_t i = 0; i < n; ++i) {
    const size_t at = (i * 5 + n) % (std::size(kSpecial) + 3);
    if constexpr (std::is_floating_point_v<From>) {
      using Limits = std::numeric_limits<From>;
      if (at == std::size(kSpecial)) x.push_back(Limits::quiet_NaN());
      if (at == std::size(kSpecial) + 1) x.push_back(Limits::infinity());
      if (at == std::size(kSpecial) + 2) x.push_back(-Limits::infinity());
      if (at < std::size(kSpecial)) x.push_back(static_cast<From>(kSpecial[at]));
    } else if constexpr (std::is_same_v<From, Bool8>) {
      x.push_back(From(at % 3 == 0));
    } else {
      x.push_back(static_cast<From>(at * 0x9E3779B97F4A7C15u >> (at % 5)));
    }
  }
  return x;
}

template <typename From, typename To>
void check_rows() {
  const ConvertRow convert_all = convert_row(kDTypeOf<From>, kDTypeOf<To>);
  for (size_t n = 0; n <= 67; ++n) {
    const std::vector<From> x = edge_numbers<From>(n);
    // One more on each side, which nobody may write.
    std::vector<To> y(n + 2, To(1));
    convert_all(x.data(), y.data() + 1, static_cast<int64_t>(n));
    for (size_t i = 0; i < n; ++i) {
      const To expected = convert<To>(x[i]);
      CHECK(std::memcmp(&y[i + 1], &expected, sizeof(To)) == 0);
    }
    const To one(1);
    CHECK(std::memcmp(&y[0], &one, sizeof one) == 0);
    CHECK(std::memcmp(&y[n + 1], &one, sizeof one) == 0);
  }
}

TEST(cast, converts_rows_as_it_converts_single_numbers) {
  check_rows<float, int8_t>();
  check_rows<float, uint8_t>();
  check_rows<float, int16_t>();
  check_rows<float, uint16_t>();
  check_rows<float, int32_t>();
  check_rows<float, uint32_t>();
  check_rows<float, int64_t>();
  check_rows<float, uint64_t>();
  check_rows<float, Bool8>();
  check_rows<Bool8, float>();
  check_rows<double, int8_t>();
  check_rows<double, uint8_t>();
  check_rows<double, int16_t>();
  check_rows<double, uint16_t>();
  check_rows<double, int32_t>();
  check_rows<double, uint32_t>();
  check_rows<double, int64_t>();
  check_rows<double, uint64_t>();
  check_rows<double, Bool8>();
  check_rows<Bool8, double>();
  check_rows<Bool8, int64_t>();
  check_rows<Bool8, int32_t>();
  check_rows<Bool8, uint16_t>();
  check_rows<Bool8, int8_t>();
  check_rows<uint8_t, Bool8>();
  check_rows<int8_t, Bool8>();
  check_rows<int8_t, uint8_t>();
  check_rows<uint16_t, int16_t>();
  check_rows<int32_t, uint32_t>();
  check_rows<uint64_t, int64_t>();
}

// Every 16-bit float as a To, and integers around all that it can be back.
template <typename Half, typename To>
void check_halves() {
  std::vector<Half> halves(65536);
  for (uint32_t i = 0; i < 65536; ++i) halves[i].bits = static_cast<uint16_t>(i);
  std::vector<To> y(halves.size());
  convert_row(kDTypeOf<Half>, kDTypeOf<To>)(halves.data(), y.data(), 65535);
  for (size_t i = 0; i < 65535; ++i) {
    const To expected = convert<To>(halves[i]);
    CHECK(std::memcmp(&y[i], &expected, sizeof(To)) == 0);
  }
  std::vector<To> x;
  for (int64_t i = -70000; i < 70000; ++i) x.push_back(convert<To>(i));
  for (int bit = 0; bit < 64; ++bit) {
    for (int64_t i = -2; i <= 2; ++i) x.push_back(convert<To>((int64_t{1} << bit % 63) + i));
  }
  halves.resize(x.size());
  convert_row(kDTypeOf<To>, kDTypeOf<Half>)(x.data(), halves.data(),
                                            static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i) CHECK_EQ(halves[i].bits, convert<Half>(x[i]).bits);
}

template <typename Half>
void check_halves_of_all() {
  check_halves<Half, int8_t>();
  check_halves<Half, uint8_t>();
  check_halves<Half, int16_t>();
  check_halves<Half, uint16_t>();
  check_halves<Half, int32_t>();
  check_halves<Half, uint32_t>();
  check_halves<Half, int64_t>();
  check_halves<Half, uint64_t>();
  check_halves<Half, Bool8>();
  check_halves<Half, double>();
}

TEST(cast, rows_of_sixteen_bit_floats_are_converted_like_single_numbers) {
  check_halves_of_all<Float16>();
  check_halves_of_all<Bfloat16>();
}

template <typename To, typename From>
uint16_t cast_bits(From x) {
  To y;
  convert_row(kDTypeOf<From>, kDTypeOf<To>)(&x, &y, 1);
  return y.bits;
}

// Just above and below the middle between 16-bit floats, by less than a float tells apart.
TEST(cast, rounds_wide_numbers_once) {
  const double one = 1.0, half_middle = 1.0 + 0x1p-11, brain_middle = 1.0 + 0x1p-8;
  CHECK_EQ(cast_bits<Float16>(half_middle), 0x3C00);
  CHECK_EQ(cast_bits<Float16>(half_middle + 0x1p-40), 0x3C01);
  CHECK_EQ(cast_bits<Float16>(-(half_middle + 0x1p-40)), 0xBC01);
  CHECK_EQ(cast_bits<Float16>(half_middle + 0x1p-10 - 0x1p-40), 0x3C01);
  CHECK_EQ(cast_bits<Bfloat16>(brain_middle), 0x3F80);
  CHECK_EQ(cast_bits<Bfloat16>(brain_middle + 0x1p-40), 0x3F81);
  CHECK_EQ(cast_bits<Bfloat16>(std::nextafter(brain_middle, one)), 0x3F80);
  CHECK_EQ(cast_bits<Bfloat16>(int32_t{(1 << 30) + (1 << 22) + 1}), 0x4E81);
  CHECK_EQ(cast_bits<Bfloat16>(int32_t{-((1 << 30) + (1 << 22) + 1)}), 0xCE81);
  CHECK_EQ(cast_bits<Bfloat16>((uint32_t{1} << 31) + (1u << 23) + 1), 0x4F01);
  CHECK_EQ(cast_bits<Bfloat16>((int64_t{1} << 62) + (int64_t{1} << 54) + 1), 0x5E81);
  CHECK_EQ(cast_bits<Bfloat16>((int64_t{1} << 62) + (int64_t{1} << 54)), 0x5E80);
  CHECK_EQ(cast_bits<Bfloat16>((uint64_t{1} << 63) + (uint64_t{1} << 55) + 1), 0x5F01);
}

TEST(cast, keeps_the_ends_of_doubles_in_16_bits) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  CHECK_EQ(cast_bits<Float16>(65519.999999), 0x7BFF);
  CHECK_EQ(cast_bits<Float16>(65520.0), 0x7C00);
  CHECK_EQ(cast_bits<Float16>(1e300), 0x7C00);
  CHECK_EQ(cast_bits<Bfloat16>(-1e300), 0xFF80);
  CHECK_EQ(cast_bits<Bfloat16>(kInfinity), 0x7F80);
  CHECK_EQ(cast_bits<Float16>(0x1p-25), 0);  // half of the least
  CHECK_EQ(cast_bits<Float16>(0x1p-25 + 0x1p-70), 1);
  CHECK_EQ(cast_bits<Bfloat16>(-1e-300), 0x8000);
  CHECK(std::isnan(bfloat16_to_float(cast_bits<Bfloat16>(std::nan("")))));
}

TEST(cast, takes_every_byte_but_zero_for_true) {
  unsigned char bytes[256];
  for (int i = 0; i < 256; ++i) bytes[i] = static_cast<unsigned char>(i);
  float y[256];
  convert_row(DType::kBool, DType::kFloat32)(bytes, y, 256);
  for (int i = 0; i < 256; ++i) CHECK_EQ(y[i], i == 0 ? 0.0f : 1.0f);
  uint8_t truths[256];
  convert_row(DType::kBool, DType::kUint8)(bytes, truths, 256);
  for (int i = 0; i < 256; ++i) CHECK_EQ(int{truths[i]}, i == 0 ? 0 : 1);
}

}  // namespace
}  // namespace ortc::cpu
