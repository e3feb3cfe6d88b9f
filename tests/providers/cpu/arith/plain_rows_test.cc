// SPDX-License-Identifier: MIT
// Plain rows against plain loops, for all sizes up to some vectors.
#include "providers/cpu/arith/plain_rows/plain_rows.h"

#include <algorithm>
#include <limits>

#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

using testing::kLargestSize;

template <typename T>
std::vector<T> any_bits(size_t n, uint64_t seed) {
  testing::Random random(seed);
  std::vector<T> v(n);
  for (T& x : v) x = static_cast<T>(uint64_t{random.next()} << 33 ^ random.next());
  return v;
}

std::vector<uint8_t> conditions(size_t n) {
  testing::Random random(n + 5);
  std::vector<uint8_t> v(n);
  for (uint8_t& x : v) x = static_cast<uint8_t>(random.next() % 3 == 0 ? 0 : random.next());
  return v;
}

template <typename T>
void check_choose(PlainRowsKernels::Choose choose) {
  for (size_t n = 0; n <= kLargestSize; ++n) {
    const auto c = conditions(n);
    const auto a = any_bits<T>(n + 1, n), b = any_bits<T>(n + 1, n + 100);
    for (const bool a_moves : {false, true}) {
      for (const bool b_moves : {false, true}) {
        std::vector<T> exact(n + 1, T(42));
        for (size_t i = 0; i < n; ++i) {
          exact[i] = c[i] != 0 ? a[a_moves ? i : 0] : b[b_moves ? i : 0];
        }
        std::vector<T> y(n + 1, T(42));
        choose(c.data(), a.data(), a_moves, b.data(), b_moves, y.data(), n);
        CHECK(y == exact);
        // In the place of any operand.
        if (a_moves) {
          exact[n] = a[n];
          y = a;
          choose(c.data(), y.data(), true, b.data(), b_moves, y.data(), n);
          CHECK(y == exact);
        }
        exact[n] = b[n];
        if (b_moves) {
          y = b;
          choose(c.data(), a.data(), a_moves, y.data(), true, y.data(), n);
          CHECK(y == exact);
        }
        if constexpr (sizeof(T) == 1) {
          std::vector<uint8_t> chosen = c;
          choose(chosen.data(), a.data(), a_moves, b.data(), b_moves, chosen.data(), n);
          CHECK(std::equal(chosen.begin(), chosen.end(), exact.begin()));
        }
      }
    }
  }
}

TEST(plain_rows, choose_each_element_whatever_its_bits) {
  for (Isa isa : testing::runnable_isas()) {
    const PlainRowsKernels& k = plain_rows_kernels(isa);
    check_choose<uint8_t>(k.choose1);
    check_choose<uint16_t>(k.choose2);
    check_choose<uint32_t>(k.choose4);
    check_choose<uint64_t>(k.choose8);
    CHECK(choose_of(isa, 4) == k.choose4);
    CHECK(choose_of(isa, 16) == nullptr);
  }
}

template <typename T>
void check_double(PlainRowsKernels::Double doubles) {
  for (size_t n = 0; n <= kLargestSize; ++n) {
    for (const size_t lines : {0, 1, 3}) {
      for (const size_t times : {1, 2}) {
        const auto x = any_bits<T>(lines * n, n);
        std::vector<T> y(lines * times * 2 * n + 1, T(42));
        doubles(x.data(), y.data(), n, lines, times == 2);
        for (size_t line = 0; line < lines * times; ++line) {
          for (size_t i = 0; i < 2 * n; ++i) {
            CHECK_EQ(y[line * 2 * n + i], x[line / times * n + i / 2]);
          }
        }
        CHECK_EQ(y.back(), T(42));
      }
    }
  }
}

TEST(plain_rows, double_each_element) {
  for (Isa isa : testing::runnable_isas()) {
    const PlainRowsKernels& k = plain_rows_kernels(isa);
    check_double<uint8_t>(k.double1);
    check_double<uint16_t>(k.double2);
    check_double<uint32_t>(k.double4);
    check_double<uint64_t>(k.double8);
    CHECK(double_of(isa, 8) == k.double8);
  }
}

TEST(plain_rows, tell_infinities_and_what_is_not_a_number) {
  const float kinds[] = {0, -1, INFINITY, -INFINITY, NAN, -NAN, 3e38f};
  for (Isa isa : testing::runnable_isas()) {
    const PlainRowsKernels& k = plain_rows_kernels(isa);
    for (size_t n = 0; n <= kLargestSize; ++n) {
      std::vector<float> x(n);
      for (size_t i = 0; i < n; ++i) x[i] = kinds[(i * 5 + n) % 7];
      for (const bool up : {false, true}) {
        for (const bool down : {false, true}) {
          std::vector<uint8_t> y(n + 1, 9);
          k.is_infinite(x.data(), up, down, y.data(), n);
          for (size_t i = 0; i < n; ++i) {
            CHECK_EQ(y[i], (up && x[i] == INFINITY) || (down && x[i] == -INFINITY) ? 1 : 0);
          }
          CHECK_EQ(y[n], 9);
        }
      }
      std::vector<uint8_t> y(n + 1, 9);
      k.is_nan(x.data(), y.data(), n);
      for (size_t i = 0; i < n; ++i) CHECK_EQ(y[i], std::isnan(x[i]) ? 1 : 0);
      CHECK_EQ(y[n], 9);
    }
  }
}

TEST(plain_rows, give_each_element_its_slope) {
  for (Isa isa : testing::runnable_isas()) {
    const PlainRowsKernels& k = plain_rows_kernels(isa);
    for (size_t n = 0; n <= kLargestSize; ++n) {
      std::vector<float> x = testing::Random(n).floats(n), y(n + 1, 5.0f);
      const std::vector<float> slopes = testing::Random(n + 1).floats(n);
      const std::vector<float>& special = testing::special_floats();
      for (size_t i = n % 4; i < n; i += 4) x[i] = special[(i + n) % special.size()];
      k.prelu(x.data(), slopes.data(), y.data(), n);
      std::vector<float> in_place = x;
      k.prelu(in_place.data(), slopes.data(), in_place.data(), n);
      for (size_t i = 0; i < n; ++i) {
        const float exact = x[i] < 0 ? x[i] * slopes[i] : x[i];
        CHECK(std::memcmp(&y[i], &exact, sizeof exact) == 0);
        CHECK(std::memcmp(&in_place[i], &exact, sizeof exact) == 0);
      }
      CHECK_EQ(y[n], 5.0f);
    }
  }
}

TEST(plain_rows, blend_pairs_of_elements_wherever_they_lie) {
  for (Isa isa : testing::runnable_isas()) {
    const PlainRowsKernels& k = plain_rows_kernels(isa);
    for (size_t out = 1; out <= kLargestSize; ++out) {
      for (size_t in : {size_t{1}, size_t{2}, out, 2 * out + 1, 5 * out}) {
        constexpr size_t kRows = 3;
        const std::vector<float> x = testing::Random(out).floats(kRows * in);
        std::vector<float> weight = testing::Random(in).floats(2 * out);
        std::vector<int64_t> index(2 * out);
        for (size_t j = 0; j < out; ++j) {
          index[2 * j] = static_cast<int64_t>(j * in / out);
          index[2 * j + 1] = std::min(index[2 * j] + 1, static_cast<int64_t>(in) - 1);
        }
        std::vector<float> y(kRows * out + 1, 5.0f);
        k.blend_pairs({in, out, index.data(), weight.data()}, x.data(), y.data(), kRows);
        for (size_t i = 0; i < kRows * out; ++i) {
          const size_t j = i % out;
          const float* row = x.data() + i / out * in;
          const double a = static_cast<double>(weight[2 * j]) * row[index[2 * j]];
          const double b = static_cast<double>(weight[2 * j + 1]) * row[index[2 * j + 1]];
          CHECK_WITHIN(y[i], a + b, kPairError * (std::fabs(a) + std::fabs(b)));
        }
        CHECK_EQ(y[kRows * out], 5.0f);
      }
    }
  }
}

TEST(plain_rows, turn_pairs_by_angles_in_place_too) {
  for (Isa isa : testing::runnable_isas()) {
    const PlainRowsKernels& k = plain_rows_kernels(isa);
    for (size_t n = 0; n <= kLargestSize; ++n) {
      const std::vector<float> x = testing::Random(n).floats(2 * n);
      const std::vector<float> cos = testing::Random(n + 1).floats(n);
      const std::vector<float> sin = testing::Random(n + 2).floats(n);
      std::vector<float> y(2 * n + 1, 5.0f), in_place = x;
      k.rotate(x.data(), x.data() + n, cos.data(), sin.data(), y.data(), y.data() + n, n);
      k.rotate(in_place.data(), in_place.data() + n, cos.data(), sin.data(), in_place.data(),
               in_place.data() + n, n);
      for (size_t i = 0; i < n; ++i) {
        const double a = x[i], b = x[i + n], ca = cos[i] * a, sb = sin[i] * b;
        const double sa = sin[i] * a, cb = cos[i] * b;
        CHECK_WITHIN(y[i], ca - sb, kPairError * (std::fabs(ca) + std::fabs(sb)));
        CHECK_WITHIN(y[i + n], sa + cb, kPairError * (std::fabs(sa) + std::fabs(cb)));
        CHECK_EQ(in_place[i], y[i]);
        CHECK_EQ(in_place[i + n], y[i + n]);
      }
      CHECK_EQ(y[2 * n], 5.0f);
      in_place = x;
      k.rotate_pairs(x.data(), cos.data(), sin.data(), y.data(), n);
      k.rotate_pairs(in_place.data(), cos.data(), sin.data(), in_place.data(), n);
      for (size_t i = 0; i < n; ++i) {
        const double a = x[2 * i], b = x[2 * i + 1], ca = cos[i] * a, sb = sin[i] * b;
        const double sa = sin[i] * a, cb = cos[i] * b;
        CHECK_WITHIN(y[2 * i], ca - sb, kPairError * (std::fabs(ca) + std::fabs(sb)));
        CHECK_WITHIN(y[2 * i + 1], sa + cb, kPairError * (std::fabs(sa) + std::fabs(cb)));
        CHECK_EQ(in_place[2 * i], y[2 * i]);
        CHECK_EQ(in_place[2 * i + 1], y[2 * i + 1]);
      }
      CHECK_EQ(y[2 * n], 5.0f);
    }
  }
}

TEST(plain_rows, find_the_first_element_beyond_a_value_or_without_order) {
  for (Isa isa : testing::runnable_isas()) {
    const PlainRowsKernels& k = plain_rows_kernels(isa);
    for (size_t n = 0; n <= 3 * kLargestSize; ++n) {
      const std::vector<float> x(n, 1.0f);
      CHECK_EQ(k.find_above(x.data(), n, 1.0f), n);
      CHECK_EQ(k.find_below(x.data(), n, 1.0f), n);
      for (size_t place = 0; place < n; ++place) {
        for (const float other : {2.0f, 0.0f, NAN}) {
          std::vector<float> y = x;
          y[place] = other;
          CHECK_EQ(k.find_above(y.data(), n, 1.0f), other == 0.0f ? n : place);
          CHECK_EQ(k.find_below(y.data(), n, 1.0f), other == 2.0f ? n : place);
        }
      }
      CHECK_EQ(k.find_above(x.data(), n, NAN), 0u);
    }
  }
}

TEST(plain_rows, count_in_steps_that_wrap_around) {
  for (Isa isa : testing::runnable_isas()) {
    for (size_t n = 0; n <= kLargestSize; ++n) {
      std::vector<uint64_t> y(n + 1, 9);
      plain_rows_kernels(isa).count(UINT64_MAX - 5, 3, y.data(), n);
      for (size_t i = 0; i < n; ++i) CHECK_EQ(y[i], UINT64_MAX - 5 + i * 3);
      CHECK_EQ(y[n], 9u);
    }
  }
}

template <typename T>
void check_range(PlainRowsKernels::Range (*range)(const T*, size_t)) {
  for (size_t n = 1; n <= kLargestSize; ++n) {
    for (size_t place = 0; place < n; ++place) {
      auto x = any_bits<T>(n, n);
      for (T& v : x) v = static_cast<T>(v % 1000);
      x[place] = std::numeric_limits<T>::min();
      x[n - 1 - place] = std::numeric_limits<T>::max();
      const auto found = range(x.data(), n);
      CHECK_EQ(found.least, static_cast<int64_t>(*std::min_element(x.begin(), x.end())));
      CHECK_EQ(found.most, static_cast<int64_t>(*std::max_element(x.begin(), x.end())));
    }
  }
}

TEST(plain_rows, find_the_least_and_the_largest_wherever_they_stand) {
  for (Isa isa : testing::runnable_isas()) {
    check_range(plain_rows_kernels(isa).range_i32);
    check_range(plain_rows_kernels(isa).range_i64);
  }
}

TEST(plain_rows, order_agrees_with_a_stable_sort) {
  for (Isa isa : testing::runnable_isas()) {
    for (size_t n = 1; n < 130; ++n) {
      constexpr size_t kTogether = PlainRowsKernels::kKeysTogether;
      std::vector<int32_t> keys((n + kTogether - 1) / kTogether * kTogether, INT32_MAX);
      std::vector<int32_t> places(n), expected(n);
      for (size_t i = 0; i < n; ++i) keys[i] = static_cast<int32_t>(i * i * 7 % 11) - 5;
      keys[n / 2] = INT32_MAX;
      keys[n / 3] = INT32_MIN;
      for (size_t i = 0; i < n; ++i) expected[i] = static_cast<int32_t>(i);
      std::stable_sort(expected.begin(), expected.end(), [&](int32_t a, int32_t b) {
        return keys[static_cast<size_t>(a)] < keys[static_cast<size_t>(b)];
      });
      plain_rows_kernels(isa).order(keys.data(), n, places.data());
      CHECK(places == expected);
    }
  }
}

}  // namespace
}  // namespace ortc::cpu
