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
    } else {
      x.push_back(From(at % 3 == 0));
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
  check_rows<double, int32_t>();
  check_rows<double, int64_t>();
}

TEST(cast, takes_every_byte_but_zero_for_true) {
  unsigned char bytes[256];
  for (int i = 0; i < 256; ++i) bytes[i] = static_cast<unsigned char>(i);
  float y[256];
  convert_row(DType::kBool, DType::kFloat32)(bytes, y, 256);
  for (int i = 0; i < 256; ++i) CHECK_EQ(y[i], i == 0 ? 0.0f : 1.0f);
}

}  // namespace
}  // namespace ortc::cpu
