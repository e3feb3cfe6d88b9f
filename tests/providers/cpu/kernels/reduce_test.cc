// SPDX-License-Identifier: MIT
// Reductions against loops in double precision.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/providers/cpu/kernels/half_tensors.h"
#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

using cpu::testing::narrowed;
using cpu::testing::widened;

using Fold = double (*)(const std::vector<double>&);

double sum(const std::vector<double>& x) {
  double total = 0;
  for (const double v : x) total += v;
  return total;
}

Tensor as_given(const Tensor& floats, DType dtype) {
  if (dtype == DType::kFloat16) return narrowed<cpu::Float16>(floats);
  return dtype == DType::kBfloat16 ? narrowed<cpu::Bfloat16>(floats) : floats;
}
Tensor as_floats(const Tensor& given) {
  if (given.dtype() == DType::kFloat16) return widened<cpu::Float16>(given);
  return given.dtype() == DType::kBfloat16 ? widened<cpu::Bfloat16>(given) : given;
}
// What rounding the result takes.
double rtol_of(DType dtype) {
  return dtype == DType::kFloat16 ? 0x1p-10 : dtype == DType::kBfloat16 ? 0x1p-7 : 2e-6;
}

// Every output element against the fold of the inputs that belong to it.
void check_reduce(const std::string& op, Fold fold, const Dims& dims, unsigned axes, double atol,
                  DType dtype = DType::kFloat32) {
  Random random(21);
  const Tensor given_x = as_given(random.floats(dims), dtype), x = as_floats(given_x);
  std::vector<int64_t> given;
  Dims kept = dims;
  for (size_t d = 0; d < dims.size(); ++d) {
    if ((axes >> d & 1) == 0) continue;
    given.push_back(static_cast<int64_t>(d));
    kept[d] = 1;
  }
  const Tensor y = as_floats(run_one(
      {op, 18}, {given_x, Tensor::from<int64_t>({static_cast<int64_t>(given.size())}, given)}));
  CHECK_EQ(y.dims(), kept);
  std::vector<std::vector<double>> parts(static_cast<size_t>(y.element_count()));
  for (int64_t i = 0; i < x.element_count(); ++i) {
    parts[static_cast<size_t>(index_at(coordinates(i, dims), kept))].push_back(
        x.elements<float>()[static_cast<size_t>(i)]);
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    CHECK_NEAR(y.elements<float>()[i], fold(parts[i]), rtol_of(dtype), atol);
  }
}

std::vector<std::pair<const char*, Fold>> folds() {
  return {{"ReduceSum", sum},
          {"ReduceMean", [](const std::vector<double>& x) { return sum(x) / double(x.size()); }},
          {"ReduceMax", [](const std::vector<double>& x) { return *std::ranges::max_element(x); }},
          {"ReduceMin", [](const std::vector<double>& x) { return *std::ranges::min_element(x); }},
          {"ReduceL1",
           [](const std::vector<double>& x) {
             double total = 0;
             for (const double v : x) total += std::fabs(v);
             return total;
           }},
          {"ReduceL2",
           [](const std::vector<double>& x) {
             double total = 0;
             for (const double v : x) total += v * v;
             return std::sqrt(total);
           }},
          {"ReduceLogSumExp", [](const std::vector<double>& x) {
             double total = 0;
             for (const double v : x) total += std::exp(v);
             return std::log(total);
           }}};
}

TEST(reduce, agrees_with_loops_for_any_axes) {
  for (const auto& [op, fold] : folds()) {
    if (std::string_view(op) == "ReduceSum") {
      check_reduce("ReduceSum", fold, {3, 5, 400}, 7, 1e-4);  // sums near zero
    }
    for (unsigned axes = 1; axes < 16; ++axes) {
      check_reduce(op, fold, {3, 7, 5, 40}, axes, 1e-5);
      check_reduce(op, fold, {2, 1, 300, 3}, axes, 1e-5);
    }
    for (int64_t n = 1; n <= 67; ++n) {  // narrow columns
      check_reduce(op, fold, {23, 5, n}, 2, 1e-5);
      check_reduce(op, fold, {23, n, 7}, 2, 1e-5);
    }
    check_reduce(op, fold, {1500, 5, 4}, 2, 1e-5);
    check_reduce(op, fold, {500, 4, 3, 2, 4}, 10, 1e-5);
    for (const int64_t n : {1, 2, 3, 4, 7, 8, 12, 16, 20, 31, 32, 33}) {  // short rows
      check_reduce(op, fold, {3, 350, n}, 4, 1e-5);
      check_reduce(op, fold, {5, 4, 3, n}, 10, 1e-5);
      check_reduce(op, fold, {4, 1300, n}, 4, 1e-5);
    }
    for (const int64_t n : {2, 3, 5, 16, 17}) {  // short rows on each line
      check_reduce(op, fold, {7, 3, n}, 5, 1e-5);
      check_reduce(op, fold, {2, 600, n}, 5, 1e-5);
    }
    check_reduce(op, fold, {150, 12, 4}, 5, 1e-5);
    check_reduce(op, fold, {700, 33}, 1, 1e-5);
    check_reduce(op, fold, {33, 700}, 2, 1e-5);
    check_reduce(op, fold, {70, 1999}, 1, 1e-5);
    check_reduce(op, fold, {3, 90, 300}, 2, 1e-5);
  }
}

TEST(reduce, of_halves_agrees_with_loops_for_rows_and_columns_of_any_length) {
  for (const DType dtype : {DType::kFloat16, DType::kBfloat16}) {
    for (const auto& [op, fold] : folds()) {
      for (int64_t n = 1; n <= 67; ++n) {
        check_reduce(op, fold, {5, n}, 2, 1e-5, dtype);
        check_reduce(op, fold, {n, 19}, 1, 1e-5, dtype);
        check_reduce(op, fold, {9, n}, 1, 1e-5, dtype);
        if (n % 3 == 0) check_reduce(op, fold, {23, 5, n}, 2, 1e-5, dtype);
        if (n % 5 == 0) check_reduce(op, fold, {23, n, 7}, 2, 1e-5, dtype);
        if (n < 34) check_reduce(op, fold, {2, 50, n}, 4, 1e-5, dtype);
        if (n % 8 == 3) check_reduce(op, fold, {2, n, 3}, 2, 1e-5, dtype);
      }
      for (const unsigned axes : {1, 2, 3, 4, 6, 5}) {
        check_reduce(op, fold, {3, 17, 1033}, axes, 1e-5, dtype);
        check_reduce(op, fold, {13, 700, 3}, axes, 1e-5, dtype);
      }
    }
  }
}

TEST(reduce, long_sums_stay_accurate) {
  const int64_t n = 3000000;
  Tensor x = Tensor::create(DType::kFloat32, {n}).value();
  for (float& v : x.mutable_elements<float>()) v = 0.1f;
  const float total = run_one({"ReduceSum", 13}, {x}).elements<float>()[0];
  CHECK_NEAR(total, double(n) * double(0.1f), 1e-7, 0);
}

TEST(reduce, without_axes_means_all_or_none) {
  const Tensor x = tensor<float>({2, 2}, {1, -2, 3, 4});
  CHECK(holds<float>(run_one({"ReduceSum", 13, {Attribute::of_int("keepdims", 0)}}, {x}), {}, {6}));
  const Op none{"ReduceSum", 13, {Attribute::of_int("noop_with_empty_axes", 1)}};
  CHECK(holds<float>(run_one(none, {x}), {2, 2}, {1, -2, 3, 4}));
  const Op squares{"ReduceSumSquare", 18, {Attribute::of_int("noop_with_empty_axes", 1)}};
  CHECK(holds<float>(run_one(squares, {x}), {2, 2}, {1, 4, 9, 16}));
  const Op old{"ReduceMax", 11, {Attribute::of_ints("axes", {-1})}};
  CHECK(holds<float>(run_one(old, {x}), {2, 1}, {1, 4}));
  CHECK_CODE(run_op({"ReduceSum", 13}, {x, int64s({0, -2})}), Code::kInvalidArgument);
  CHECK_CODE(run_op({"ReduceSum", 13}, {x, int64s({2})}), Code::kInvalidArgument);
}

TEST(reduce, of_nothing_gives_the_neutral_element) {
  const Tensor x = Tensor::create(DType::kFloat32, {2, 0}).value();
  const Tensor axes = int64s({1});
  constexpr float kInf = std::numeric_limits<float>::infinity();
  CHECK(holds<float>(run_one({"ReduceSum", 18}, {x, axes}), {2, 1}, {0, 0}));
  CHECK(holds<float>(run_one({"ReduceProd", 18}, {x, axes}), {2, 1}, {1, 1}));
  CHECK(holds<float>(run_one({"ReduceMax", 18}, {x, axes}), {2, 1}, {-kInf, -kInf}));
  CHECK(holds<float>(run_one({"ReduceLogSumExp", 18}, {x, axes}), {2, 1}, {-kInf, -kInf}));
  for (const Dims& dims : {Dims{0, 2, 3}, Dims{3, 2, 0}, Dims{0, 2, 0}}) {
    const Tensor none = Tensor::create(DType::kFloat32, dims).value();
    CHECK(holds<float>(run_one({"ReduceSum", 18}, {none, int64s({0, 2})}), {1, 2, 1}, {0, 0}));
    CHECK(holds<float>(run_one({"ReduceLogSumExp", 18}, {none, int64s({0, 2})}), {1, 2, 1},
                       {-kInf, -kInf}));
  }
  const Tensor ints = Tensor::create(DType::kInt32, {2, 0}).value();
  CHECK_CODE(run_op({"ReduceMean", 18}, {ints, axes}), Code::kInvalidArgument);
}

TEST(reduce, passes_nan_on) {
  const Tensor groups = tensor<float>({2, 2, 2}, {1, 2, 3, kNan, 5, 6, 7, 8});
  const Tensor y = run_one({"ReduceMax", 18}, {groups, int64s({0, 2})});
  CHECK(y.elements<float>()[0] == 6 && std::isnan(y.elements<float>()[1]));
  std::vector<float> values(100, 1.0f);
  values[61] = kNan;
  const Tensor x = Tensor::from<float>({100}, values);
  for (const char* op : {"ReduceMax", "ReduceMin", "ReduceSum", "ReduceLogSumExp"}) {
    CHECK(std::isnan(run_one({op, 18}, {x}).elements<float>()[0]));
  }
}

}  // namespace
}  // namespace ortc::test
