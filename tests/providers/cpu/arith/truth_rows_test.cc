// SPDX-License-Identifier: MIT
// Truth rows against plain loops, for all sizes up to some vectors.
#include "providers/cpu/arith/truth_rows/truth_rows.h"

#include <limits>

#include "tests/providers/cpu/arith/numerics.h"

namespace ortc::cpu {
namespace {

using testing::kLargestSize;
using Bytes = std::vector<uint8_t>;

// Few different ones, so that many pairs are equal, and the ends of the range.
template <typename T>
std::vector<T> few_numbers(size_t n, uint64_t seed) {
  std::vector<T> kinds = {T(0),
                          T(-1),
                          T(1),
                          T(7),
                          std::numeric_limits<T>::lowest(),
                          T(-7),
                          T(-0.0),
                          std::numeric_limits<T>::max()};
  if constexpr (std::is_floating_point_v<T>) {
    const auto& special = testing::special_floats();
    kinds.insert(kinds.end(), special.begin(), special.end());
  }
  testing::Random random(seed);
  std::vector<T> v(n);
  for (T& x : v) x = kinds[random.next() % kinds.size()];
  return v;
}

template <typename T, typename Exact>
void check_compare(TruthRowsKernels::Compare<T> rows, const std::vector<T>& a,
                   const std::vector<T>& b, size_t n, Exact exact) {
  for (const bool a_moves : {false, true}) {
    for (const bool b_moves : {false, true}) {
      Bytes y(n + 1, 9);
      rows(a.data(), a_moves, b.data(), b_moves, y.data(), n);
      for (size_t i = 0; i < n; ++i) {
        CHECK_EQ(y[i], exact(a[a_moves ? i : 0], b[b_moves ? i : 0]) ? 1 : 0);
      }
      CHECK_EQ(y[n], 9);
    }
  }
}

template <typename T>
void check_relations(const TruthRowsKernels::Relations<T>& relations) {
  for (size_t n = 0; n <= kLargestSize; ++n) {
    const auto a = few_numbers<T>(n + 1, n), b = few_numbers<T>(n + 1, n + 100);
    check_compare<T>(relations.equal, a, b, n, [](T u, T v) { return u == v; });
    check_compare<T>(relations.less, a, b, n, [](T u, T v) { return u < v; });
    check_compare<T>(relations.less_or_equal, a, b, n, [](T u, T v) { return u <= v; });
  }
}

TEST(truth_rows, compare_numbers_of_all_kinds) {
  for (Isa isa : testing::runnable_isas()) {
    const TruthRowsKernels& k = truth_rows_kernels(isa);
    check_relations(k.f32);
    check_relations(k.f64);
    check_relations(k.i32);
    check_relations(k.i64);
  }
}

Bytes truths(size_t n, uint64_t seed) {
  testing::Random random(seed);
  Bytes v(n);
  for (uint8_t& x : v) x = static_cast<uint8_t>(random.next() % 2 == 0 ? 0 : random.next());
  return v;
}

template <typename Exact>
void check_logic(TruthRowsKernels::Compare<uint8_t> rows, Exact exact) {
  for (size_t n = 0; n <= 3 * kLargestSize; ++n) {
    const Bytes a = truths(n + 1, n), b = truths(n + 1, n + 100);
    check_compare<uint8_t>(rows, a, b, n, exact);
    Bytes in_place = a;
    rows(in_place.data(), true, b.data(), true, in_place.data(), n);
    for (size_t i = 0; i < n; ++i) CHECK_EQ(in_place[i], exact(a[i], b[i]) ? 1 : 0);
    CHECK_EQ(in_place[n], a[n]);
  }
}

TEST(truth_rows, join_truth_values_of_any_byte) {
  for (Isa isa : testing::runnable_isas()) {
    const TruthRowsKernels& k = truth_rows_kernels(isa);
    check_logic(k.both, [](uint8_t a, uint8_t b) { return a != 0 && b != 0; });
    check_logic(k.either, [](uint8_t a, uint8_t b) { return a != 0 || b != 0; });
    check_logic(k.one_alone, [](uint8_t a, uint8_t b) { return (a != 0) != (b != 0); });
  }
}

}  // namespace
}  // namespace ortc::cpu
