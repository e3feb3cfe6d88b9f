// SPDX-License-Identifier: MIT
// What the tests of numerics share: sizes, numbers that are special, distances from exact results,
// and cuts of the work.
#pragma once

#include <cfloat>
#include <type_traits>
#include <utility>

#include "providers/cpu/arith/bounds.h"
#include "tests/providers/cpu/arith/arith_testing.h"
#include "tests/support/test.h"

namespace ortc::cpu::testing {

inline constexpr size_t kLargestSize = 67;

inline const std::vector<float>& special_floats() {
  static const std::vector<float> all = {NAN,       INFINITY, -INFINITY, 0.0f,     -0.0f,
                                         FLT_MAX,   -FLT_MAX, FLT_MIN,   -FLT_MIN, 0x1p-149f,
                                         -0x1p-149, 1e-42f,   -1e-42f,   1.0f,     -1.0f};
  return all;
}

// Infinite results are right where the exact one may be rounded to infinity.
inline bool is_within(double found, double exact, double slack, double largest = FLT_MAX) {
  if (std::isnan(exact)) return std::isnan(found);
  if (found == exact) return true;
  if (std::isinf(exact)) return false;
  if (std::isinf(found)) {
    return std::fabs(exact) + slack > largest && std::signbit(found) == std::signbit(exact);
  }
  return std::fabs(found - exact) <= slack;  // false where either is not a number
}

// In units of the exact result's last place, subnormal ones included; infinite where a special
// result is another.
inline double ulp_distance(float found, double exact) {
  if (std::isnan(exact)) return std::isnan(found) ? 0 : INFINITY;
  const auto rounded = static_cast<float>(exact);
  if (std::isinf(rounded) || std::isinf(found)) return found == rounded ? 0 : INFINITY;
  const int exponent = std::max(exact == 0 ? -126 : std::ilogb(exact), -126);
  const double distance =
      std::fabs(static_cast<double>(found) - exact) / std::ldexp(1.0, exponent - 23);
  return std::isnan(distance) ? INFINITY : distance;
}

// Every stride-th float from 0 to infinity, with both signs.
inline std::vector<float> sampled_floats(uint32_t stride, float limit = INFINITY) {
  std::vector<float> v = special_floats();
  for (uint32_t bits = 0; bits < 0x7F800000u; bits += stride) {
    float x;
    std::memcpy(&x, &bits, sizeof x);
    if (x > limit) break;
    v.push_back(x);
    v.push_back(-x);
  }
  return v;
}

// [0, n) in as many parts as so many threads would take; some may be empty.
inline std::vector<std::pair<size_t, size_t>> parts_of(size_t n, size_t count) {
  std::vector<std::pair<size_t, size_t>> parts;
  for (size_t i = 0; i < count; ++i) parts.emplace_back(n * i / count, n * (i + 1) / count);
  return parts;
}
inline constexpr size_t kCuts[] = {2, 3, 5};

// Bytes, so that NaN equals itself and -0 does not equal 0.
template <typename T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// NaN equals itself, and 0 equals -0.
template <typename T>
bool is_same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  }
  return a == b;
}

[[noreturn]] inline void report(const char* file, int line, const char* what, double found,
                                double exact, double slack) {
  char text[256];
  std::snprintf(text, sizeof text, "%s: found %.17g, exact %.17g, allowed %.3g", what, found, exact,
                slack);
  test::check_failed(file, line, text);
}

}  // namespace ortc::cpu::testing

// The bound is a number of the family's header, not one of the test's.
#define CHECK_WITHIN(found, exact, slack)                                               \
  do {                                                                                  \
    const double found_ = (found), exact_ = (exact), slack_ = (slack);                  \
    if (!::ortc::cpu::testing::is_within(found_, exact_, slack_)) {                     \
      ::ortc::cpu::testing::report(__FILE__, __LINE__, #found, found_, exact_, slack_); \
    }                                                                                   \
  } while (false)
#define CHECK_ULP(found, exact, ulps)                                                   \
  do {                                                                                  \
    const float found_ = (found);                                                       \
    const double exact_ = (exact);                                                      \
    if (!(::ortc::cpu::testing::ulp_distance(found_, exact_) <= (ulps))) {              \
      ::ortc::cpu::testing::report(__FILE__, __LINE__, #found, found_, exact_, (ulps)); \
    }                                                                                   \
  } while (false)
