// SPDX-License-Identifier: MIT
// Einsum against the sum over all labels, written out.
#include <map>

#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {
namespace {

Op einsum(const std::string& equation) {
  return {"Einsum", 12, {Attribute::of_string("equation", equation)}};
}

// Terms of single letters without an ellipsis.
void check_einsum(const std::vector<std::string>& terms, const std::string& out,
                  const std::map<char, int64_t>& sizes, Random& random) {
  std::string equation, labels;
  std::vector<Tensor> inputs;
  for (const std::string& term : terms) {
    equation += (equation.empty() ? "" : ",") + term;
    Dims dims;
    for (const char c : term) {
      dims.push_back(sizes.at(c));
      if (labels.find(c) == std::string::npos) labels += c;
    }
    inputs.push_back(random.floats(dims));
  }
  const Tensor y = run_one(einsum(equation + "->" + out), inputs);
  Dims all, out_dims;
  for (const char c : labels) all.push_back(sizes.at(c));
  for (const char c : out) out_dims.push_back(sizes.at(c));
  CHECK_EQ(y.dims(), out_dims);
  std::vector<double> expected(static_cast<size_t>(y.element_count()));
  int64_t count = 1;
  for (const int64_t size : all) count *= size;
  for (int64_t i = 0; i < count; ++i) {
    const Dims at = coordinates(i, all);
    const auto place = [&](const std::string& term, const Dims& dims) {
      Dims own;
      for (const char c : term) own.push_back(at[labels.find(c)]);
      return static_cast<size_t>(index_at(own, dims));
    };
    double product = 1;
    for (size_t k = 0; k < terms.size(); ++k) {
      product *=
          static_cast<double>(inputs[k].elements<float>()[place(terms[k], inputs[k].dims())]);
    }
    expected[place(out, out_dims)] += product;
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    CHECK_NEAR(static_cast<double>(y.elements<float>()[i]), expected[i], 1e-4, 1e-3);
  }
}

// A product of [m, k] and [k, n], wrapping around.
template <typename T>
void check_integers() {
  Random random(5);
  const int64_t m = 5, k = 9;
  for (const int64_t n : {1, 7, 35}) {
    const Tensor a = random.bytes(kDTypeOf<T>, {m, k});
    const Tensor b = random.bytes(kDTypeOf<T>, {k, n});
    const Tensor y = run_one(einsum("ij,jk->ik"), {a, b});
    for (int64_t at = 0; at < m * n; ++at) {
      uint64_t sum = 0;
      for (int64_t i = 0; i < k; ++i) {
        sum += static_cast<uint64_t>(a.elements<T>()[size_t(at / n * k + i)]) *
               static_cast<uint64_t>(b.elements<T>()[size_t(i * n + at % n)]);
      }
      CHECK_EQ(y.elements<T>()[size_t(at)], static_cast<T>(sum));
    }
  }
}

TEST(einsum, of_integers_of_any_size_wraps_around) {
  check_integers<int8_t>();
  check_integers<uint8_t>();
  check_integers<int16_t>();
  check_integers<uint16_t>();
  check_integers<int32_t>();
  check_integers<uint32_t>();
  check_integers<int64_t>();
  check_integers<uint64_t>();
}

TEST(einsum, equals_the_sum_over_all_labels) {
  Random random(81);
  const std::map<char, int64_t> sizes = {{'a', 2}, {'b', 3}, {'c', 4},
                                         {'d', 5}, {'i', 6}, {'j', 7}};
  check_einsum({"ij"}, "ji", sizes, random);
  check_einsum({"ij"}, "", sizes, random);
  check_einsum({"ii"}, "i", sizes, random);
  check_einsum({"ii"}, "", sizes, random);
  check_einsum({"aib"}, "ba", sizes, random);
  check_einsum({"i", "i"}, "", sizes, random);
  check_einsum({"i", "j"}, "ji", sizes, random);
  check_einsum({"ai", "ij"}, "aj", sizes, random);
  check_einsum({"ai", "ji"}, "aj", sizes, random);
  check_einsum({"ia", "ij"}, "ja", sizes, random);
  check_einsum({"bai", "bij"}, "baj", sizes, random);
  check_einsum({"abi", "acij"}, "bcaj", sizes, random);
  check_einsum({"aib", "cjb"}, "ac", sizes, random);
  check_einsum({"ab", "ab"}, "ab", sizes, random);
  check_einsum({"aab", "b"}, "a", sizes, random);
  check_einsum({"ab", "bc", "cd"}, "ad", sizes, random);
  check_einsum({"ai", "bi", "ci", "i"}, "cab", sizes, random);
  check_einsum({"abcd", "cd"}, "ba", sizes, random);
}

TEST(einsum, sums_rows_and_columns_of_any_size) {
  Random random(84);
  for (int64_t n = 1; n <= 67; ++n) {
    const std::map<char, int64_t> sizes = {{'a', n}, {'b', n % 8 + 1}, {'c', 300 - n}};
    check_einsum({"ba"}, "b", sizes, random);
    check_einsum({"ca"}, "c", sizes, random);
    check_einsum({"ac"}, "c", sizes, random);
    check_einsum({"bab"}, "b", sizes, random);
    check_einsum({"aba"}, "a", sizes, random);
    check_einsum({"abc"}, "b", sizes, random);
    check_einsum({"abc"}, "ca", sizes, random);
  }
}

TEST(einsum, turns_operands_of_any_size) {
  Random random(85);
  for (int64_t n = 1; n <= 67; ++n) {
    const std::map<char, int64_t> sizes = {{'a', n}, {'b', n % 4 + 1}, {'c', 68 - n}};
    check_einsum({"ac"}, "ca", sizes, random);
    check_einsum({"abc"}, "cba", sizes, random);
    check_einsum({"abc"}, "bac", sizes, random);
    check_einsum({"acb"}, "cab", sizes, random);
    check_einsum({"bcb"}, "cb", sizes, random);
    check_einsum({"bab", "bca"}, "bc", sizes, random);
  }
}

TEST(einsum, multiplies_elements_of_any_size) {
  Random random(86);
  for (int64_t n = 1; n <= 67; ++n) {
    const std::map<char, int64_t> sizes = {{'a', n % 5 + 1}, {'b', 68 - n}, {'c', n}};
    check_einsum({"abc", "c"}, "abc", sizes, random);
    check_einsum({"b", "abc"}, "abc", sizes, random);
    check_einsum({"abc", "abc"}, "abc", sizes, random);
    check_einsum({"ab", "bc"}, "abc", sizes, random);
    check_einsum({"ab", "bc"}, "cba", sizes, random);
    check_einsum({"ac", "b", "abc"}, "abc", sizes, random);
    check_einsum({"aba", "c"}, "abc", sizes, random);
  }
}

TEST(einsum, sums_of_floats_are_kept_in_double) {
  std::vector<float> x(900, 0.3f);
  x[0] = 1e8f, x[3] = -1e8f;
  const Tensor row = f32s({3, 300}, x), column = f32s({300, 3}, x);
  double sum = 0;
  for (int i = 0; i < 298; ++i) sum += double{0.3f};
  CHECK_EQ(run_one(einsum("ij->i"), {row}).elements<float>()[0], static_cast<float>(sum));
  CHECK_EQ(run_one(einsum("ij->j"), {column}).elements<float>()[0], static_cast<float>(sum));
}

TEST(einsum, ellipses_broadcast_and_stand_where_they_are_asked_for) {
  Random random(82);
  const Tensor a = random.floats({4, 1, 2, 3}), b = random.floats({5, 3, 6});
  const Tensor product = run_one({"MatMul", 13}, {a, b});
  CHECK_EQ(run_one(einsum("...ij,...jk->...ik"), {a, b}).dims(), product.dims());
  CHECK_EQ(run_one(einsum("...ij,...jk"), {a, b}).dims(), product.dims());
  CHECK_EQ(run_one(einsum("...ij->ij..."), {a}).dims(), (Dims{2, 3, 4, 1}));
  CHECK_EQ(run_one(einsum(" i j -> j i "), {random.floats({2, 3})}).dims(), (Dims{3, 2}));
  CHECK_EQ(run_one(einsum("ba"), {random.floats({2, 3})}).dims(), (Dims{3, 2}));
  const Tensor one = random.floats({1, 3}), many = random.floats({4, 3});
  CHECK_EQ(run_one(einsum("ij,ij->ij"), {one, many}).dims(), (Dims{4, 3}));
}

TEST(einsum, integers_and_doubles_are_exact) {
  const Tensor a = tensor<int64_t>({2, 2}, {1, 2, 3, 4}), b = tensor<int64_t>({2, 2}, {5, 6, 7, 8});
  CHECK(holds<int64_t>(run_one(einsum("ij,jk->ik"), {a, b}), {2, 2}, {19, 22, 43, 50}));
  const Tensor x = tensor<double>({3}, {1, 2, 3});
  CHECK(holds<double>(run_one(einsum("i,i->"), {x, x}), {}, {14}));
  CHECK(holds<double>(run_one(einsum("i->"), {x}), {}, {6}));
  const Tensor none = Tensor::create(DType::kFloat32, {2, 0}).value();
  CHECK(holds<float>(run_one(einsum("ij->i"), {none}), {2}, {0, 0}));
  CHECK(holds<float>(run_one(einsum("ij,ij->i"), {none, none}), {2}, {0, 0}));
}

TEST(einsum, refuses_equations_that_make_no_sense) {
  Random random(83);
  const Tensor x = random.floats({2, 3});
  for (const char* equation : {"i->i", "ijk->ijk", "ij,ij->i", "ij->k", "ij->ii", "i..j->ij",
                               "i1->i", "......ij->ij", ""}) {
    CHECK_CODE(run_op(einsum(equation), {x}), Code::kInvalidArgument);
  }
  CHECK_CODE(run_op(einsum("ij,jk->ik"), {x, x}), Code::kInvalidArgument);
}

}  // namespace
}  // namespace ortc::test
