// SPDX-License-Identifier: MIT
// Reductions of every type that has code of its own, beside loops in double: short and long rows,
// columns, and axes apart. Numbers are such that sums are exact.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "providers/cpu/elements/element.h"
#include "providers/cpu/elements/shared_divisor.h"
#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

using cpu::Bfloat16;
using cpu::Float16;

double folded(const std::string& op, const std::vector<double>& x) {
  double sum = 0, sizes = 0, squares = 0, product = 1, powers = 0;
  double most = -INFINITY, least = INFINITY;
  for (const double v : x) {
    sum += v;
    sizes += std::fabs(v);
    squares += v * v;
    product *= v;
    powers += std::exp(v);
    most = std::max(most, v);
    least = std::min(least, v);
  }
  if (op == "ReduceSum") return sum;
  if (op == "ReduceMean") return sum / static_cast<double>(x.size());
  if (op == "ReduceMax") return most;
  if (op == "ReduceMin") return least;
  if (op == "ReduceProd") return product;
  if (op == "ReduceL1") return sizes;
  if (op == "ReduceL2") return std::sqrt(squares);
  if (op == "ReduceSumSquare") return squares;
  return op == "ReduceLogSum" ? std::log(sum) : std::log(powers);
}

template <typename T>
void check_type(const std::string& op, const Dims& dims, const std::vector<size_t>& axes) {
  constexpr bool kIsInteger = std::is_integral_v<T>;
  Dims kept = dims;
  std::vector<int64_t> given;
  for (const size_t axis : axes) {
    given.push_back(static_cast<int64_t>(axis));
    kept[axis] = 1;
  }
  Tensor x = Tensor::create(kDTypeOf<T>, dims).value();
  std::vector<std::vector<double>> parts(static_cast<size_t>(*checked_element_count(kept)));
  for (int64_t i = 0; i < x.element_count(); ++i) {
    const int64_t number = i * 7919 % 33 - (op == "ReduceLogSum" ? -1 : 16);
    const bool is_product = op == "ReduceProd";
    const double v = is_product ? (number % 2 != 0 ? 1 : -1)
                                : static_cast<double>(number) / (kIsInteger ? 1 : 4);
    x.mutable_elements<T>()[static_cast<size_t>(i)] = T(static_cast<float>(v));
    parts[static_cast<size_t>(index_at(coordinates(i, dims), kept))].push_back(v);
  }
  const Tensor y =
      run_one({op, 18}, {x, Tensor::from<int64_t>({static_cast<int64_t>(given.size())}, given)});
  CHECK_EQ(y.dims(), kept);
  const double slack = std::is_same_v<T, Float16>    ? 0x1p-11
                       : std::is_same_v<T, Bfloat16> ? 0x1p-8
                       : std::is_same_v<T, float>    ? 0x1p-22
                                                     : 1e-14;
  const double near_zero = std::is_same_v<T, float> ? 1e-6 : 1e-14;
  for (size_t i = 0; i < parts.size(); ++i) {
    const double exact = folded(op, parts[i]);
    if constexpr (kIsInteger) {
      CHECK_EQ(y.elements<T>()[i], static_cast<T>(exact));
    } else {
      CHECK_NEAR(static_cast<double>(y.elements<T>()[i]), exact, slack, near_zero);
    }
  }
}

template <typename T>
void check_shapes(const std::string& op) {
  for (const int64_t n : {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 67}) {
    check_type<T>(op, {2, 33, n}, {2});
    check_type<T>(op, {n, 37}, {0});
    check_type<T>(op, {2, 3, n, 5}, {1, 3});
    check_type<T>(op, {3, 5, n}, {0, 2});
    check_type<T>(op, {3, 4, 6, n}, {1, 3});  // groups of neighbours, outputs side by side
    check_type<T>(op, {n, 5, 3}, {1});
    check_type<T>(op, {19, n, 7}, {1});
    check_type<T>(op, {19, 6, n}, {1});
    check_type<T>(op, {3, 2, 5, 3, n}, {1, 3});
  }
  check_type<T>(op, {1100, 3}, {1});
  check_type<T>(op, {1100, 3, 5}, {1});
  check_type<T>(op, {3000, 20}, {1});
  check_type<T>(op, {3, 1100}, {1});
  check_type<T>(op, {3, 1100}, {0});
}

TEST(reduce, every_type_agrees_with_plain_loops) {
  for (const std::string op :
       {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2",
        "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"}) {
    check_shapes<Float16>(op);
    check_shapes<Bfloat16>(op);
    check_shapes<float>(op);
    check_shapes<double>(op);
    if (op == "ReduceL2" || op.starts_with("ReduceLog")) continue;
    check_shapes<int32_t>(op);
    check_shapes<int64_t>(op);
  }
}

template <typename T>
void check_divisor(int64_t d) {
  const cpu::SharedDivisor<T> divisor(d);
  std::mt19937_64 engine(static_cast<uint64_t>(d));
  std::vector<uint64_t> numbers = {0, 1, uint64_t{1} << 63, UINT64_MAX};
  for (uint64_t k = 0; k < 40; ++k) {
    const uint64_t multiple = static_cast<uint64_t>(d) * (engine() >> (k + 10));
    numbers.insert(numbers.end(), {multiple, multiple - 1, multiple + 1, engine(), engine() >> k});
  }
  for (const uint64_t number : numbers) {
    for (const uint64_t n : {number, uint64_t{0} - number}) {
      CHECK_EQ(divisor.quotient(static_cast<T>(n)), static_cast<T>(static_cast<T>(n) / T(d)));
    }
  }
}

TEST(reduce, shared_divisors_divide_as_the_processor_does) {
  for (int64_t d = 1; d <= 300; ++d) {
    check_divisor<int64_t>(d);
    check_divisor<uint64_t>(d);
  }
  for (int bits = 8; bits < 63; ++bits) {
    for (const int64_t d : {int64_t{1} << bits, (int64_t{1} << bits) - 1, INT64_MAX >> (62 - bits),
                            (int64_t{1} << bits) + 1}) {
      check_divisor<int64_t>(d);
      check_divisor<uint64_t>(d);
    }
  }
}

// Sums wrap around, at the ends of the range too.
TEST(reduce, means_of_integers_are_exact) {
  Random random(41);
  for (int64_t n = 1; n <= 67; ++n) {
    Tensor x = random.bytes(DType::kInt64, {35, n});
    x.mutable_elements<int64_t>()[0] = INT64_MIN;
    x.mutable_elements<int64_t>()[static_cast<size_t>(n)] = INT64_MAX;
    const Tensor y = run_one({"ReduceMean", 18}, {x, int64s({1})});
    for (size_t row = 0; row < 35; ++row) {
      uint64_t sum = 0;
      for (size_t i = 0; i < size_t(n); ++i) {
        sum += static_cast<uint64_t>(x.elements<int64_t>()[row * size_t(n) + i]);
      }
      CHECK_EQ(y.elements<int64_t>()[row], static_cast<int64_t>(sum) / n);
    }
  }
}

// Means of halves are rounded once, where they are subnormal and too large too.
template <typename T>
void check_means_of_halves(int64_t n) {
  constexpr size_t kRows = 41;
  Tensor x = Tensor::create(kDTypeOf<T>, {int64_t{kRows}, n}).value();
  std::mt19937 engine(static_cast<uint32_t>(n));
  std::vector<double> sums(kRows);
  for (size_t i = 0; i < kRows * size_t(n); ++i) {
    const size_t row = i / size_t(n);
    // A row keeps to numbers of a like size: random bits below an exponent of its own.
    const auto bits = static_cast<uint16_t>((row * 797 & 0x7C00) | (engine() & 0x83FF));
    T v;
    std::memcpy(&v, &bits, sizeof v);
    x.mutable_elements<T>()[i] = v;
    sums[row] += static_cast<double>(static_cast<float>(v));
  }
  const Tensor y = run_one({"ReduceMean", 18}, {x, int64s({1})});
  for (size_t row = 0; row < kRows; ++row) {
    const T exact = cpu::convert<T>(sums[row] * (1 / static_cast<double>(n)));
    const auto found = static_cast<float>(y.elements<T>()[row]), wanted = static_cast<float>(exact);
    CHECK(std::isnan(wanted) ? std::isnan(found) : found == wanted);
  }
}

TEST(reduce, means_of_halves_are_rounded_once) {
  for (int64_t n = 1; n <= 67; ++n) {
    check_means_of_halves<Float16>(n);
    check_means_of_halves<Bfloat16>(n);
  }
}

TEST(reduce, what_is_not_a_number_wins_in_its_own_column) {
  for (const int64_t n : {1, 3, 4, 7, 15, 16, 17, 33}) {
    for (const int64_t rows : {1, 2, 7, 8, 9, 30}) {
      std::vector<float> x(static_cast<size_t>(21 * rows * n));
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7 % 11);
      x[static_cast<size_t>((5 * rows + rows / 2) * n + n / 2)] = kNan;
      for (const bool largest : {false, true}) {
        const Tensor floats = Tensor::from<float>({21, rows, n}, x);
        const Tensor doubles =
            Tensor::from<double>({21, rows, n}, std::vector<double>(x.begin(), x.end()));
        const Op op{largest ? "ReduceMax" : "ReduceMin", 18};
        const Tensor y = run_one(op, {floats, int64s({1})});
        const Tensor z = run_one(op, {doubles, int64s({1})});
        for (int64_t i = 0; i < 21 * n; ++i) {
          float exact = largest ? -INFINITY : INFINITY;
          for (int64_t row = 0; row < rows; ++row) {
            const float v = x[static_cast<size_t>((i / n * rows + row) * n + i % n)];
            exact = largest ? std::fmax(exact, v) : std::fmin(exact, v);
          }
          const float found = y.elements<float>()[size_t(i)];
          const double wide = z.elements<double>()[size_t(i)];
          const bool has_nan = i == 5 * n + n / 2;
          CHECK(has_nan ? std::isnan(found) : found == exact);
          CHECK(has_nan ? std::isnan(wide) : wide == double{exact});
        }
      }
    }
  }
}

// In short rows of doubles, four of which are joined at once, and in longer ones; beside infinities
// of either sign.
TEST(reduce, what_is_not_a_number_wins_in_its_own_row) {
  for (int64_t n = 1; n <= 70; ++n) {
    Tensor x = Tensor::create(DType::kFloat64, {23, n}).value();
    auto elements = x.mutable_elements<double>();
    for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<double>(i * 7 % 11);
    for (const double special : {double{kNan}, double{INFINITY}, -double{INFINITY}}) {
      elements[size_t(5 * n + n / 2)] = special;
      if (n > 2) elements[size_t(5 * n)] = std::isnan(special) ? 0 : -special;
      for (const bool largest : {false, true}) {
        const Tensor y = run_one({largest ? "ReduceMax" : "ReduceMin", 18}, {x, int64s({1})});
        for (size_t row = 0; row < 23; ++row) {
          const double* from = elements.data() + row * size_t(n);
          double exact = from[0];
          for (int64_t i = 1; i < n; ++i) {
            exact = largest ? std::fmax(exact, from[i]) : std::fmin(exact, from[i]);
          }
          const double found = y.elements<double>()[row];
          CHECK(row == 5 && std::isnan(special) ? std::isnan(found) : found == exact);
        }
      }
    }
  }
}

TEST(reduce, what_is_not_a_number_wins_in_halves_too) {
  Tensor x = Tensor::create(DType::kFloat16, {40, 3}).value();
  for (size_t i = 0; i < 120; ++i) {
    x.mutable_elements<Float16>()[i] = Float16(i == 4 ? NAN : static_cast<float>(i));
  }
  for (const std::string op : {"ReduceMax", "ReduceMin", "ReduceSum"}) {
    const Tensor y = run_one({op, 18}, {x, Tensor::from<int64_t>({1}, std::vector<int64_t>{1})});
    for (size_t i = 0; i < 40; ++i) {
      CHECK_EQ(std::isnan(static_cast<float>(y.elements<Float16>()[i])), i == 1);
    }
  }
}

// Axes between and around what stays, of columns of any number: in blocks, and in runs that lie
// apart.
template <typename T>
void check_blocks(int64_t rows, int64_t n, bool has_nan) {
  Tensor x = Tensor::create(kDTypeOf<T>, {5, rows, n}).value();
  auto elements = x.mutable_elements<T>();
  for (size_t i = 0; i < elements.size(); ++i) {
    elements[i] = static_cast<T>(static_cast<float>(i * 37 % 101) - 50.0f);
  }
  if (has_nan) elements[elements.size() / 2] = static_cast<T>(kNan);
  for (const bool around : {false, true}) {
    for (const std::string op : {"ReduceMax", "ReduceMin", "ReduceSum"}) {
      const Tensor y = run_one({op, 18}, {x, around ? int64s({0, 2}) : int64s({1})});
      for (size_t out = 0; out < y.elements<T>().size(); ++out) {
        double exact = op == "ReduceSum" ? 0 : op == "ReduceMax" ? -INFINITY : INFINITY;
        for (size_t i = 0; i < elements.size(); ++i) {
          const size_t block = i / size_t(rows * n), row = i / size_t(n) % size_t(rows);
          if (out != (around ? row : block * size_t(n) + i % size_t(n))) continue;
          const double v = static_cast<double>(elements[i]);
          const double best = op == "ReduceMax" ? std::max(exact, v) : std::min(exact, v);
          exact = v != v || exact != exact ? double{kNan} : op == "ReduceSum" ? exact + v : best;
        }
        const double found = static_cast<double>(y.elements<T>()[out]);
        CHECK(std::isnan(exact) ? std::isnan(found) : found == static_cast<double>(T(exact)));
      }
    }
  }
}

TEST(reduce, blocks_of_any_number_of_columns_agree_with_plain_loops) {
  for (const int64_t rows : {1, 2, 7}) {
    for (int64_t n = 1; n <= 67; n += n < 34 ? 1 : 3) {
      check_blocks<double>(rows, n, n % 2 == 0);
      check_blocks<Float16>(rows, n, n % 2 == 1);
      check_blocks<cpu::Bfloat16>(rows, n, n % 3 == 1);
    }
  }
  check_blocks<Float16>(1100, 3, false);
  check_blocks<Float16>(3, 1100, false);
  check_blocks<double>(3, 1100, true);
  for (const int64_t n : {1, 2, 3, 4, 5, 8}) {
    for (const int64_t rows : {31, 32, 37, 70}) check_blocks<double>(rows, n, rows != 32);
  }
}

}  // namespace
}  // namespace ortc::test
