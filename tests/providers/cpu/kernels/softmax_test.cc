// SPDX-License-Identifier: MIT
// Softmax, LogSoftmax, Hardmax and ortc.MaskedSoftmax against the plain formulas.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu {
namespace {

using testing::NodeCase;
using testing::random_tensor;

std::vector<double> row_of(const std::string& op, const std::vector<double>& x) {
  const auto top = std::max_element(x.begin(), x.end());
  std::vector<double> y;
  double sum = 0;
  for (double v : x) sum += std::exp(v - *top);
  for (size_t i = 0; i < x.size(); ++i) {
    if (op == "Hardmax") {
      y.push_back(i == static_cast<size_t>(top - x.begin()) ? 1 : 0);
    } else if (op == "Softmax") {
      y.push_back(std::exp(x[i] - *top) / sum);
    } else {
      y.push_back(x[i] - *top - std::log(sum));
    }
  }
  return y;
}

std::vector<double> plain_softmax(const std::string& op, std::span<const float> x, size_t outer,
                                  size_t n, size_t inner) {
  std::vector<double> y(x.size());
  for (size_t o = 0; o < outer; ++o) {
    for (size_t c = 0; c < inner; ++c) {
      std::vector<double> row;
      for (size_t i = 0; i < n; ++i) row.push_back(x[(o * n + i) * inner + c]);
      row = row_of(op, row);
      for (size_t i = 0; i < n; ++i) y[(o * n + i) * inner + c] = row[i];
    }
  }
  return y;
}

void check_softmax(const Dims& dims, int64_t opset, int64_t axis, size_t outer, size_t n,
                   size_t inner) {
  const Tensor x = random_tensor(dims, 3, -8.0f, 8.0f);
  for (const char* op : {"Softmax", "LogSoftmax", "Hardmax"}) {
    const NodeCase node{op, "", opset, {Attribute::of_int("axis", axis)}};
    const auto y = plain_softmax(op, x.elements<float>(), outer, n, inner);
    testing::run_everywhere(node, {x}, [&](const std::vector<Tensor>& outputs) {
      testing::check_close(outputs[0], dims, y, 1e-5, 1e-6);
    });
    testing::run_everywhere(node, {testing::as_doubles(x)},
                            [&](const std::vector<Tensor>& outputs) {
                              testing::check_close(outputs[0], dims, y, 1e-12, 1e-12);
                            });
  }
}

TEST(softmax, runs_along_any_axis_since_opset_13) {
  check_softmax({4, 5, 37}, 13, -1, 20, 37, 1);
  check_softmax({4, 5, 37}, 13, 1, 4, 5, 37);
  check_softmax({40, 3, 33}, 21, 0, 1, 40, 99);
  check_softmax({3, 40, 9}, 21, 1, 3, 40, 9);
  check_softmax({2, 21, 20, 30}, 13, 1, 2, 21, 600);
  check_softmax({600, 128}, 13, 1, 600, 128, 1);
}

TEST(softmax, many_short_rows_agree_at_every_length) {
  for (int64_t n = 1; n <= 67; n += n < 10 ? 1 : 3) {
    const auto size = static_cast<size_t>(n);
    for (const int64_t rows : {1, 7, 8, 33, 300}) {
      check_softmax({rows, n}, 13, -1, static_cast<size_t>(rows), size, 1);
    }
    check_softmax({2, n, 9}, 13, 1, 2, size, 9);
    for (const int64_t inner : {2, 7, 16, 17}) {  // blocks of them are turned
      check_softmax({19, n, inner}, 13, 1, 19, size, static_cast<size_t>(inner));
    }
  }
}

// Of equal elements the first is chosen, one in front that is not a number before all others.
TEST(hardmax, short_rows_are_chosen_from_like_long_ones) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const float values[] = {0.0f, -0.0f, inf, -inf, 1.0f, -1.0f, 1e-40f, -1e-40f, nan, -nan};
  for (const size_t count : {size_t{8}, std::size(values)}) {  // without NaN, and with
    const size_t rows = count * count * count;
    std::vector<float> x, y(rows * 3);
    for (size_t i = 0; i < rows; ++i) {
      for (const size_t at : {i / count / count, i / count % count, i % count}) {
        x.push_back(values[at]);
      }
      y[3 * i + static_cast<size_t>(std::max_element(x.end() - 3, x.end()) - (x.end() - 3))] = 1;
    }
    const NodeCase node{"Hardmax", "", 13, {Attribute::of_int("axis", -1)}};
    testing::run_everywhere(node, {Tensor::from<float>({static_cast<int64_t>(rows), 3}, x)},
                            [&](const std::vector<Tensor>& outputs) {
                              const auto found = outputs[0].elements<float>();
                              CHECK(std::equal(found.begin(), found.end(), y.begin(), y.end()));
                            });
  }
}

// What is far below the largest is nothing, in double too.
TEST(softmax, extremes_of_double_rows) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor x = Tensor::from<double>(
      {4, 3}, std::vector<double>{0, -inf, 0, 1e308, 0, -1e308, inf, 0, 0, -inf, -inf, -inf});
  const NodeCase node{"Softmax", "", 13, {Attribute::of_int("axis", -1)}};
  testing::run_everywhere(node, {x}, [&](const std::vector<Tensor>& outputs) {
    const auto y = outputs[0].elements<double>();
    CHECK(y[0] == 0.5 && y[1] == 0 && y[2] == 0.5 && y[3] == 1 && y[4] == 0 && y[5] == 0);
    for (size_t i = 6; i < 12; ++i) CHECK(std::isnan(y[i]));
  });
}

TEST(softmax, flattens_from_the_axis_on_before_opset_13) {
  check_softmax({4, 5, 37}, 11, 1, 4, 185, 1);
  check_softmax({4, 5, 37}, 12, -1, 20, 37, 1);
  check_softmax({4, 5, 3}, 9, 0, 1, 60, 1);
  check_softmax({4, 5}, 9, 2, 20, 1, 1);
}

TEST(softmax, has_defaults_by_opset) {
  const Tensor x = random_tensor({2, 3, 4}, 1);
  const auto old = testing::evaluate({"Softmax", "", 11}, {x}, 1, host_isa());
  CHECK_OK(old);
  testing::check_close((*old)[0], {2, 3, 4},
                       plain_softmax("Softmax", x.elements<float>(), 2, 12, 1), 1e-5, 1e-6);
  const auto now = testing::evaluate({"Softmax", "", 13}, {x}, 1, host_isa());
  CHECK_OK(now);
  testing::check_close((*now)[0], {2, 3, 4}, plain_softmax("Softmax", x.elements<float>(), 6, 4, 1),
                       1e-5, 1e-6);
}

TEST(softmax, takes_empty_tensors_and_refuses_foreign_axes) {
  const NodeCase node{"Softmax", "", 13, {Attribute::of_int("axis", 2)}};
  CHECK_OK(testing::evaluate(node, {random_tensor({0, 3, 4}, 1)}, 2, host_isa()));
  CHECK_OK(testing::evaluate(node, {random_tensor({2, 3, 0}, 1)}, 2, host_isa()));
  CHECK_CODE(testing::evaluate(node, {random_tensor({3, 4}, 1)}, 1, host_isa()),
             Code::kInvalidArgument);
}

TEST(masked_softmax, adds_a_broadcast_mask_to_the_scaled_rows) {
  const Tensor x = random_tensor({2, 3, 5, 40}, 3, -8.0f, 8.0f);
  for (const Dims& dims : {Dims{2, 3, 5, 40}, Dims{2, 1, 1, 40}, Dims{1, 1, 5, 40}, Dims{40}}) {
    Tensor mask = random_tensor(dims, 4);
    mask.mutable_elements<float>()[1] = -std::numeric_limits<float>::infinity();
    Dims wide(4 - dims.size(), 1);
    wide.insert(wide.end(), dims.begin(), dims.end());
    std::vector<double> y;
    for (int64_t r = 0; r < 30; ++r) {
      const int64_t index[] = {r / 15, r / 5 % 3, r % 5};
      int64_t at = 0;
      for (size_t d = 0; d < 3; ++d) at = at * wide[d] + (wide[d] == 1 ? 0 : index[d]);
      std::vector<double> row;
      for (int64_t i = 0; i < 40; ++i) {
        row.push_back(0.5 * x.elements<float>()[static_cast<size_t>(r * 40 + i)] +
                      mask.elements<float>()[static_cast<size_t>(at * 40 + i)]);
      }
      row = row_of("Softmax", row);
      y.insert(y.end(), row.begin(), row.end());
    }
    const NodeCase node{
        "MaskedSoftmax", std::string(kInternalDomain), 0, {Attribute::of_float("scale", 0.5f)}};
    testing::run_everywhere(node, {x, mask}, [&](const std::vector<Tensor>& outputs) {
      testing::check_close(outputs[0], x.dims(), y, 1e-5, 1e-6);
    });
  }
}

}  // namespace
}  // namespace ortc::cpu
