// SPDX-License-Identifier: MIT
// Reductions of every type that has code of its own, beside loops in double: short and long rows,
// columns, and axes apart. Numbers are such that sums are exact.
#include <cmath>
#include <limits>

#include "providers/cpu/elements/element.h"
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
    check_type<T>(op, {n, 5, 3}, {1});
  }
  check_type<T>(op, {1100, 3}, {1});
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

}  // namespace
}  // namespace ortc::test
