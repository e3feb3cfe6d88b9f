// SPDX-License-Identifier: MIT
// MatMul and ortc.BatchedMatMul against plain double loops over numpy's rules.
#include "tests/providers/cpu/kernels/node_case.h"

namespace ortc::cpu {
namespace {

using testing::NodeCase;
using testing::random_tensor;

// The index into an operand's batch matrices for output batch i.
int64_t batch_of(const Dims& operand, const Dims& out_batch, int64_t i) {
  int64_t offset = 0, stride = 1;
  const size_t own = operand.size() < 2 ? 0 : operand.size() - 2;
  for (size_t from_right = 1; from_right <= out_batch.size(); ++from_right) {
    const int64_t dim = out_batch[out_batch.size() - from_right];
    if (from_right <= own) {
      const int64_t own_dim = operand[own - from_right];
      if (own_dim != 1) offset += i % dim * stride;
      stride *= own_dim;
    }
    i /= dim;
  }
  return offset;
}

struct MatMulCase {
  Dims a, b, batch;
  int64_t m, k, n;
  bool trans_a = false, trans_b = false;
  float alpha = 1.0f;
};

template <typename T>
std::vector<double> plain_matmul(const MatMulCase& c, std::span<const T> a, std::span<const T> b) {
  int64_t batches = 1;
  for (int64_t d : c.batch) batches *= d;
  std::vector<double> y;
  for (int64_t i = 0; i < batches; ++i) {
    const int64_t at = batch_of(c.a, c.batch, i) * c.m * c.k;
    const int64_t bt = batch_of(c.b, c.batch, i) * c.k * c.n;
    for (int64_t r = 0; r < c.m; ++r) {
      for (int64_t s = 0; s < c.n; ++s) {
        double sum = 0;
        for (int64_t l = 0; l < c.k; ++l) {
          const auto x = a[static_cast<size_t>(at + (c.trans_a ? l * c.m + r : r * c.k + l))];
          const auto w = b[static_cast<size_t>(bt + (c.trans_b ? s * c.k + l : l * c.n + s))];
          sum += static_cast<double>(x) * static_cast<double>(w);
        }
        y.push_back(sum * static_cast<double>(c.alpha));
      }
    }
  }
  return y;
}

Dims out_dims(const MatMulCase& c) {
  Dims dims = c.batch;
  if (c.a.size() > 1) dims.push_back(c.m);
  if (c.b.size() > 1) dims.push_back(c.n);
  return dims;
}

void check_case(const MatMulCase& c) {
  const bool plain = !c.trans_a && !c.trans_b && c.alpha == 1.0f;
  NodeCase node{plain ? "MatMul" : "BatchedMatMul", plain ? "" : std::string(kInternalDomain)};
  if (!plain) {
    node.attributes = {Attribute::of_int("transA", c.trans_a),
                       Attribute::of_int("transB", c.trans_b),
                       Attribute::of_float("alpha", c.alpha)};
  }
  const std::vector<Tensor> inputs = {random_tensor(c.a, 5), random_tensor(c.b, 6)};
  const auto y = plain_matmul<float>(c, inputs[0].elements<float>(), inputs[1].elements<float>());
  testing::run_everywhere(node, inputs, [&](const std::vector<Tensor>& outputs) {
    testing::check_close(outputs[0], out_dims(c), y, 1e-4, 1e-4);
  });
  if (!plain) return;
  const std::vector<Tensor> doubles = {testing::as_doubles(inputs[0]),
                                       testing::as_doubles(inputs[1])};
  testing::run_everywhere(node, doubles, [&](const std::vector<Tensor>& outputs) {
    testing::check_close(outputs[0], out_dims(c), y, 1e-12, 1e-12);
  });
}

TEST(matmul, follows_numpy_for_vectors_and_matrices) {
  check_case({{7}, {7}, {}, 1, 7, 1});
  check_case({{7}, {7, 5}, {}, 1, 7, 5});
  check_case({{9, 7}, {7}, {}, 9, 7, 1});
  check_case({{9, 7}, {7, 40}, {}, 9, 7, 40});
  check_case({{3, 9, 7}, {7}, {3}, 9, 7, 1});
  check_case({{7}, {3, 7, 4}, {3}, 1, 7, 4});
}

TEST(matmul, broadcasts_leading_dimensions) {
  check_case({{2, 3, 5, 6}, {2, 3, 6, 70}, {2, 3}, 5, 6, 70});
  check_case({{2, 3, 5, 6}, {6, 7}, {2, 3}, 5, 6, 7});
  check_case({{5, 6}, {4, 6, 7}, {4}, 5, 6, 7});
  check_case({{2, 1, 5, 6}, {3, 6, 7}, {2, 3}, 5, 6, 7});
  check_case({{1, 3, 5, 6}, {2, 1, 6, 7}, {2, 3}, 5, 6, 7});
  check_case({{3, 2, 2, 93}, {93, 41}, {3, 2}, 2, 93, 41});
}

TEST(matmul, divides_large_products_among_threads) {
  check_case({{500, 130}, {130, 30}, {}, 500, 130, 30});
  check_case({{70, 1000}, {1000, 300}, {}, 70, 1000, 300});
  check_case({{4, 100, 64}, {4, 64, 100}, {4}, 100, 64, 100});
  check_case({{600, 300}, {300}, {}, 600, 300, 1});
}

// On both sides of where columns meet rows one by one.
TEST(matmul, takes_a_few_columns) {
  for (int64_t m = 1; m <= 67; m += m < 13 ? 4 : 1) {
    const int64_t n = m % 12 + 1, k = n * (6 + m % 5);
    check_case({{m, k}, {k, n}, {}, m, k, n});
    check_case({{2, m, k}, {2, n, k}, {2}, m, k, n, false, true, 0.5f});
    check_case({{2, m, k}, {2, k, n}, {2}, m, k, n, false, false, 0.5f});
  }
  check_case({{500, 700}, {700, 3}, {}, 500, 700, 3});
  check_case({{3, 67, 301}, {3, 301, 9}, {3}, 67, 301, 9});
  for (int64_t k = 1; k <= 9; ++k) {
    const int64_t m = 5 * k + 11, n = k % 4 + 5;
    check_case({{3, m, k}, {3, k, n}, {3}, m, k, n});
    check_case({{3, m, k}, {3, n, k}, {3}, m, k, n, false, true, 0.5f});
    check_case({{10000, k}, {k, k}, {}, 10000, k, k});
  }
}

TEST(matmul, transposes_and_scales) {
  check_case({{2, 9, 64}, {2, 50, 64}, {2}, 9, 64, 50, false, true, 0.125f});
  check_case({{2, 3, 64}, {2, 500, 64}, {2}, 3, 64, 500, false, true, 0.125f});
  check_case({{30, 300}, {500, 300}, {}, 30, 300, 500, false, true, 0.125f});
  check_case({{3, 16, 70}, {3, 301, 70}, {3}, 16, 70, 301, false, true});
  check_case({{64, 300}, {64, 50}, {}, 300, 64, 50, true, false, 2.0f});
  check_case({{2, 64, 3}, {1, 50, 64}, {2}, 3, 64, 50, true, true});
  check_case({{64, 5}, {64, 1}, {}, 5, 64, 1, true, false});
  check_case({{5, 64}, {64, 1}, {}, 5, 64, 1, false, false, 3.0f});
}

// Columns go in several items, which all need the same rows.
TEST(matmul, turns_a_deep_transposed_matrix_once) {
  check_case({{2000, 67}, {2000, 100}, {}, 67, 2000, 100, true, false});
  check_case({{2000, 70}, {101, 2000}, {}, 70, 2000, 101, true, true, 0.5f});
  check_case({{2, 1, 2000, 7}, {3, 2000, 100}, {2, 3}, 7, 2000, 100, true, false});
  check_case({{3, 2000, 1}, {2000, 100}, {3}, 1, 2000, 100, true, false});
}

TEST(matmul, gives_zeros_for_an_empty_depth_and_nothing_for_empty_rows) {
  check_case({{3, 0}, {0, 4}, {}, 3, 0, 4});
  check_case({{0, 3}, {3, 4}, {}, 0, 3, 4});
  check_case({{2, 0, 3}, {2, 3, 4}, {2}, 0, 3, 4});
}

TEST(matmul, wraps_integers_around) {
  const std::vector<int32_t> a = {2000000000, 3, -4, 5}, b = {2, 1, 7, -1};
  testing::run_everywhere(
      {"MatMul", ""}, {Tensor::from<int32_t>({2, 2}, a), Tensor::from<int32_t>({2, 2}, b)},
      [](const std::vector<Tensor>& y) {
        const std::vector<int32_t> expected = {static_cast<int32_t>(4000000021u), 1999999997, 27,
                                               -9};
        CHECK(std::equal(expected.begin(), expected.end(), y[0].elements<int32_t>().begin()));
      });
}

TEST(matmul, refuses_shapes_that_do_not_fit) {
  const NodeCase node{"MatMul", ""};
  const auto code = [&](Dims a, Dims b) {
    return testing::evaluate(node, {random_tensor(a, 1), random_tensor(b, 2)}, 1, host_isa())
        .status()
        .code();
  };
  CHECK_EQ(code({3, 4}, {5, 6}), Code::kInvalidArgument);
  CHECK_EQ(code({}, {5, 6}), Code::kInvalidArgument);
  CHECK_EQ(code({2, 3, 4}, {3, 4, 5}), Code::kInvalidArgument);
}

// --- ONNX's Gemm.

void check_gemm(bool trans_a, bool trans_b, float alpha, float beta, const Dims& c_dims) {
  const int64_t m = 37, k = 50, n = 65;
  const NodeCase node{"Gemm",
                      "",
                      13,
                      {Attribute::of_int("transA", trans_a), Attribute::of_int("transB", trans_b),
                       Attribute::of_float("alpha", alpha), Attribute::of_float("beta", beta)}};
  std::vector<Tensor> inputs = {random_tensor(trans_a ? Dims{k, m} : Dims{m, k}, 1),
                                random_tensor(trans_b ? Dims{n, k} : Dims{k, n}, 2),
                                random_tensor(c_dims, 3)};
  const MatMulCase product{{}, {}, {}, m, k, n, trans_a, trans_b, alpha};
  auto y = plain_matmul<float>(product, inputs[0].elements<float>(), inputs[1].elements<float>());
  const auto c = inputs[2].elements<float>();
  const size_t rank = c_dims.size();
  const int64_t rows = rank < 2 ? 1 : c_dims[0], columns = rank == 0 ? 1 : c_dims[rank - 1];
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const int64_t at = (rows == 1 ? 0 : i * columns) + (columns == 1 ? 0 : j);
      y[static_cast<size_t>(i * n + j)] += static_cast<double>(beta) * c[static_cast<size_t>(at)];
    }
  }
  const auto check = [&](double tolerance) {
    testing::run_everywhere(node, inputs, [&](const std::vector<Tensor>& outputs) {
      testing::check_close(outputs[0], {m, n}, y, tolerance, tolerance);
    });
  };
  check(1e-4);
  for (Tensor& input : inputs) input = testing::as_doubles(input);
  check(1e-12);
}

TEST(gemm_computed, has_every_transposition_and_form_of_c) {
  check_gemm(false, false, 1.0f, 1.0f, {65});
  check_gemm(false, true, 0.5f, 1.0f, {1, 65});
  check_gemm(true, false, 1.0f, 2.0f, {37, 1});
  check_gemm(true, true, 1.5f, 0.25f, {37, 65});
  check_gemm(false, false, 1.0f, 3.0f, {});
  check_gemm(false, false, 1.0f, 0.5f, {1});
}

TEST(gemm_computed, refuses_a_c_larger_than_the_result) {
  const NodeCase node{"Gemm", "", 13};
  CHECK_CODE(
      testing::evaluate(
          node, {random_tensor({1, 3}, 1), random_tensor({3, 4}, 2), random_tensor({2, 4}, 3)}, 1,
          host_isa()),
      Code::kInvalidArgument);
}

}  // namespace
}  // namespace ortc::cpu
