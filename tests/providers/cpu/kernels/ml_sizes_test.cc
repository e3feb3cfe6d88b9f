// SPDX-License-Identifier: MIT
// Predictors and encoders of ai.onnx.ml, and CDist, beside plain loops at sizes on both sides of
// what their kernels take together: rows of blocks, support vectors of a part, columns of a panel.
#include <cmath>
#include <map>

#include "providers/cpu/arith/bounds.h"
#include "tests/providers/cpu/kernels/ml_testing.h"

namespace ortc::test {
namespace {

std::vector<float> small_numbers(Random& random, int64_t n) {
  std::vector<float> x;
  for (int64_t i = 0; i < n; ++i) x.push_back(random.number() / 4);
  return x;
}

// --- Support vectors.

struct Machine {
  std::string kernel;
  float gamma, coef0, degree;
  int64_t features;
  std::vector<float> vectors, coefficients;

  std::vector<Attribute> attributes() const {
    return {floats_attribute("coefficients", coefficients),
            floats_attribute("support_vectors", vectors),
            Attribute::of_string("kernel_type", kernel),
            floats_attribute("kernel_params", std::vector<float>{gamma, coef0, degree})};
  }
  double value(const float* x, size_t vector) const {
    const float* s = vectors.data() + vector * static_cast<size_t>(features);
    double dot = 0, square = 0;
    for (int64_t i = 0; i < features; ++i) {
      const double less = double{x[i]} - double{s[i]};
      dot += double{x[i]} * double{s[i]};
      square += less * less;
    }
    const double turned = double{gamma} * dot + double{coef0};
    if (kernel == "LINEAR") return dot;
    if (kernel == "POLY") return std::pow(turned, double{degree});
    return kernel == "SIGMOID" ? std::tanh(turned) : std::exp(-double{gamma} * square);
  }
};

void check_regressor(const Machine& m, int64_t rows) {
  Random random(11);
  const Tensor x = random.floats({rows, m.features});
  auto attributes = m.attributes();
  const auto count = static_cast<int64_t>(m.coefficients.size());
  attributes.push_back(Attribute::of_int("n_supports", count));
  attributes.push_back(floats_attribute("rho", std::vector<float>{0.5f}));
  const Tensor y = run_one(ml("SVMRegressor", attributes), {x});
  const std::vector<double> wide(x.elements<float>().begin(), x.elements<float>().end());
  const Tensor of_doubles =
      run_one(ml("SVMRegressor", attributes), {Tensor::from<double>({rows, m.features}, wide)});
  for (int64_t row = 0; row < rows; ++row) {
    double sum = 0.5, size = 1;
    for (size_t j = 0; j < m.coefficients.size(); ++j) {
      const double term =
          double{m.coefficients[j]} * m.value(x.elements<float>().data() + row * m.features, j);
      sum += term;
      size += std::fabs(term);
    }
    CHECK_NEAR(double{y.elements<float>()[size_t(row)]}, sum, 1e-7, 1e-13 * size);
    CHECK_NEAR(double{of_doubles.elements<float>()[size_t(row)]}, sum, 1e-7, 1e-13 * size);
  }
}

TEST(svm, regressors_agree_with_plain_loops_for_every_kernel_and_size) {
  Random random(7);
  struct Case {
    const char* kernel;
    float gamma, coef0, degree;
  };
  const Case cases[] = {
      {"LINEAR", 0, 0, 0},         {"POLY", 0.25f, 0.5f, 3}, {"POLY", 0.25f, 0.5f, 1},
      {"POLY", 0.01f, 4, 2.5f},    {"POLY", 0.25f, 0.5f, 0}, {"POLY", 0.01f, 4, -2},
      {"SIGMOID", 0.25f, 0.5f, 0}, {"RBF", 0.125f, 0, 0},    {"RBF", -0.01f, 0, 0}};
  for (const Case& c : cases) {
    for (const int64_t vectors : {1, 17, 96, 513}) {
      Machine m{c.kernel, c.gamma, c.coef0, c.degree, vectors == 96 ? 19 : 5, {}, {}};
      m.vectors = small_numbers(random, vectors * m.features);
      m.coefficients = small_numbers(random, vectors);
      for (const int64_t rows : {1, 3, 4, 13, 16, 200}) check_regressor(m, rows);
    }
  }
}

// A stretch of the axis far from zero: distances are of differences, not of large squares.
TEST(svm, distances_of_large_features_are_exact) {
  Machine m{"RBF", 0.5f, 0, 0, 2, {}, {}};
  m.vectors = {16777214.0f, -16777214.0f, 16777210.0f, -16777208.0f};
  m.coefficients = {2, 1};
  auto attributes = m.attributes();
  attributes.push_back(Attribute::of_int("n_supports", 2));
  attributes.push_back(floats_attribute("rho", std::vector<float>{0}));
  const Tensor y =
      run_one(ml("SVMRegressor", attributes), {tensor<float>({1, 2}, {16777213.0f, -16777213.0f})});
  CHECK_NEAR(double{y.elements<float>()[0]}, 2 * std::exp(-1.0) + std::exp(-17.0), 1e-7, 0);
}

void check_classifier(const std::string& kernel, int64_t rows) {
  Random random(9);
  const std::vector<int64_t> per_class = {5, 0, 509, 40};
  Machine m{
      kernel, 0.125f, 0, 2, 3, small_numbers(random, 554 * 3), small_numbers(random, 554 * 3)};
  const std::vector<float> rho = small_numbers(random, 6);
  auto attributes = m.attributes();
  attributes.push_back(floats_attribute("rho", rho));
  attributes.push_back(ints_attribute("vectors_per_class", per_class));
  attributes.push_back(ints_attribute("classlabels_ints", {10, 11, 12, 13}));
  const Tensor x = random.floats({rows, 3});
  const auto y = run_op(ml("SVMClassifier", attributes, 2), {x});
  CHECK_OK(y);
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<int> votes(4);
    size_t pair = 0;
    for (size_t i = 0; i < 4; ++i) {
      for (size_t j = i + 1; j < 4; ++j, ++pair) {
        double score = double{rho[pair]};
        size_t at = 0;
        for (size_t c = 0; c < 4; ++c) {
          for (int64_t v = 0; v < per_class[c]; ++v, ++at) {
            if (c != i && c != j) continue;
            const size_t list = c == i ? j - 1 : i;
            score += double{m.coefficients[list * 554 + at]} *
                     m.value(x.elements<float>().data() + row * 3, at);
          }
        }
        CHECK_NEAR(double{(*y)[1].elements<float>()[size_t(row) * 6 + pair]}, score, 1e-7, 1e-10);
        ++votes[score > 0 ? i : j];
      }
    }
    const auto best = std::max_element(votes.begin(), votes.end()) - votes.begin();
    CHECK_EQ((*y)[0].elements<int64_t>()[size_t(row)], 10 + best);
  }
}

TEST(svm, classifiers_of_many_classes_agree_with_plain_loops) {
  for (const std::string kernel : {"RBF", "LINEAR", "POLY", "SIGMOID"}) {
    for (const int64_t rows : {1, 2, 4, 50}) check_classifier(kernel, rows);
  }
}

TEST(svm, a_row_gives_the_same_alone_and_among_others) {
  Random random(3);
  Machine m{"RBF", 0.25f, 0, 0, 7, small_numbers(random, 70 * 7), small_numbers(random, 70)};
  auto attributes = m.attributes();
  attributes.push_back(Attribute::of_int("n_supports", 70));
  attributes.push_back(floats_attribute("rho", std::vector<float>{0.25f}));
  const Op op = ml("SVMRegressor", attributes);
  const Tensor all = random.floats({331, 7}), y = run_one(op, {all});
  for (int64_t i = 0; i < 331; i += 30) {
    const Tensor row = Tensor::from<float>({7}, all.elements<float>().subspan(size_t(7 * i), 7));
    CHECK_EQ(run_one(op, {row}).elements<float>()[0], y.elements<float>()[size_t(i)]);
  }
}

// --- Linear models.

TEST(linear_model, agrees_with_plain_loops_at_every_number_of_targets) {
  Random random(5);
  for (const int64_t targets : {1, 2, 4, 5, 16, 17}) {
    for (const int64_t features : {1, 7, 50}) {
      for (const int64_t rows : {1, 3, 4, 97}) {
        const auto a = small_numbers(random, targets * features),
                   b = small_numbers(random, targets);
        const Op op = ml("LinearRegressor",
                         {floats_attribute("coefficients", a), floats_attribute("intercepts", b),
                          Attribute::of_int("targets", targets)});
        const Tensor x = random.floats({rows, features}), y = run_one(op, {x});
        std::vector<double> doubles(x.elements<float>().begin(), x.elements<float>().end());
        const Tensor z = run_one(op, {Tensor::from<double>({rows, features}, doubles)});
        for (int64_t i = 0; i < rows * targets; ++i) {
          const int64_t row = i / targets, t = i % targets;
          double sum = double{b[size_t(t)]}, size = std::fabs(sum);
          for (int64_t f = 0; f < features; ++f) {
            const double term =
                doubles[size_t(row * features + f)] * double{a[size_t(t * features + f)]};
            sum += term;
            size += std::fabs(term);
          }
          const bool is_float = targets > 1 && rows > 3;
          CHECK_NEAR(double{y.elements<float>()[size_t(i)]}, sum, 1e-7,
                     is_float ? cpu::gemm_f32_error(size_t(features)) * size : 1e-12);
          CHECK_NEAR(double{z.elements<float>()[size_t(i)]}, sum, 1e-7, 1e-12);
        }
      }
    }
  }
}

TEST(linear_model, transforms_of_rows_are_those_of_the_formulas) {
  Random random(6);
  for (const std::string post : {"SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"}) {
    for (const int64_t classes : {2, 3, 11, 16, 41}) {
      std::vector<int64_t> labels(static_cast<size_t>(classes));
      const auto a = small_numbers(random, classes);
      const Op op =
          ml("LinearClassifier",
             {floats_attribute("coefficients", a), ints_attribute("classlabels_ints", labels),
              Attribute::of_string("post_transform", post)},
             2);
      std::vector<float> x = {0, 900, -900, 1e30f};
      for (int i = 0; i < 100; ++i) x.push_back(random.number());
      const auto rows = static_cast<int64_t>(x.size());
      const auto y = run_op(op, {f32s({rows, 1}, x)});
      CHECK_OK(y);
      for (size_t row = 0; row < x.size(); ++row) {
        double largest = -INFINITY, sum = 0;
        const auto score = [&](size_t t) { return double{x[row]} * double{a[t]}; };
        for (size_t t = 0; t < a.size(); ++t) largest = std::max(largest, score(t));
        for (size_t t = 0; t < a.size(); ++t) sum += std::exp(score(t) - largest);
        for (size_t t = 0; t < a.size() && (post != "SOFTMAX_ZERO" || x[row] != 0); ++t) {
          const double exact = post == "LOGISTIC" ? 1 / (1 + std::exp(-score(t)))
                                                  : std::exp(score(t) - largest) / sum;
          CHECK_NEAR(double{(*y)[1].elements<float>()[row * a.size() + t]}, exact, 1e-6, 1e-37);
        }
      }
    }
  }
}

TEST(linear_classifier, a_row_gives_the_same_alone_and_among_others) {
  Random random(3);
  constexpr int64_t kClasses = 40, kFeatures = 5, kRows = 9;
  const std::vector<float> coefficients = small_numbers(random, kClasses * kFeatures);
  std::vector<int64_t> labels(kClasses);
  for (size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int64_t>(i);
  const Op op = ml(
      "LinearClassifier",
      {floats_attribute("coefficients", coefficients), ints_attribute("classlabels_ints", labels),
       Attribute::of_string("post_transform", "SOFTMAX")},
      2);
  const Tensor x = random.floats({kRows, kFeatures});
  const auto all = run_op(op, {x});
  CHECK_OK(all);
  for (int64_t rows = 1; rows <= 5; ++rows) {
    const auto features = x.elements<float>().first(static_cast<size_t>(rows * kFeatures));
    const auto some = run_op(op, {Tensor::from<float>({rows, kFeatures}, features)});
    CHECK_OK(some);
    for (int64_t row = 0; row < rows; ++row) {
      double sum = 0;
      for (int64_t c = 0; c < kClasses; ++c) {
        const auto at = static_cast<size_t>(row * kClasses + c);
        const double chance = double{(*some)[1].elements<float>()[at]};
        CHECK_NEAR(chance, double{(*all)[1].elements<float>()[at]}, 1e-6, 0);
        sum += chance;
      }
      CHECK_NEAR(sum, 1.0, 1e-5, 0);
    }
  }
}

TEST(linear_classifier, one_score_stands_for_two_classes) {
  const Op op = ml("LinearClassifier",
                   {floats_attribute("coefficients", std::vector<float>{2}),
                    floats_attribute("intercepts", std::vector<float>{0}),
                    ints_attribute("classlabels_ints", {4, 5})},
                   2);
  std::vector<float> x;
  for (int i = -100; i < 100; ++i) x.push_back(static_cast<float>(i));
  const auto y = run_op(op, {f32s({200, 1}, x)});
  CHECK_OK(y);
  for (size_t i = 0; i < x.size(); ++i) {
    CHECK_EQ((*y)[0].elements<int64_t>()[i], x[i] > 0 ? 5 : 4);
    CHECK_EQ((*y)[1].elements<float>()[2 * i], -2 * x[i]);
    CHECK_EQ((*y)[1].elements<float>()[2 * i + 1], 2 * x[i]);
  }
}

// --- Dictionaries: few lookups halve the list, many make a table.

template <typename Key>
void check_integers(const std::vector<int64_t>& keys, int64_t lookups) {
  Random random(13);
  std::vector<float> values;
  std::map<int64_t, float> expected;
  for (size_t i = 0; i < keys.size(); ++i) {
    values.push_back(static_cast<float>(i));
    expected[keys[i]] = values.back();
  }
  std::vector<Key> x;
  for (int64_t i = 0; i < lookups; ++i) {
    const int64_t at = random.between(0, static_cast<int64_t>(keys.size()) - 1);
    const uint64_t other = static_cast<uint64_t>(keys[size_t(at)]) + (i % 3 == 0 ? 1 : 0);
    x.push_back(static_cast<Key>(other));
  }
  const Op op{"LabelEncoder",
              4,
              {Attribute::of_tensor("keys_tensor",
                                    Tensor::from<Key>({int64_t(keys.size())},
                                                      std::vector<Key>(keys.begin(), keys.end()))),
               floats_attribute("values_floats", values), Attribute::of_float("default_float", -1)},
              1,
              "ai.onnx.ml"};
  const Tensor y = run_one(op, {Tensor::from<Key>({lookups}, x)});
  for (size_t i = 0; i < x.size(); ++i) {
    const auto found = expected.find(int64_t{x[i]});
    CHECK_EQ(y.elements<float>()[i], found == expected.end() ? -1 : found->second);
  }
}

TEST(label_encoder, integers_close_by_and_far_apart_are_found) {
  std::vector<int64_t> close, apart;
  for (int64_t i = 0; i < 300; ++i) {
    close.push_back(3000 - i);
    apart.push_back(i * 104729 % 30011);
  }
  for (const int64_t lookups : {1, 299, 300, 5000}) {
    check_integers<int64_t>(close, lookups);
    check_integers<int64_t>(apart, lookups);
    check_integers<int32_t>(apart, lookups);
    check_integers<int16_t>(close, lookups);
    check_integers<int64_t>({INT64_MIN, INT64_MAX, 0, -1, 1}, lookups);
    check_integers<int64_t>({INT64_MAX, INT64_MAX - 1}, lookups);
    check_integers<int64_t>({7}, lookups);
  }
}

TEST(label_encoder, reals_and_texts_are_found_by_few_and_by_many) {
  std::vector<double> reals = {std::nan(""), 0.0, INFINITY, -INFINITY};
  std::vector<std::string> texts = {"", "a"};
  for (int i = 1; i < 50; ++i) {
    reals.push_back(i / 7.0);
    texts.push_back(str_cat("key ", i));
  }
  for (size_t n = 1; n <= 24; ++n) {  // of every length, some that differ in one place
    for (size_t place = 0; place <= n; ++place) {
      std::string text(n, 'x');
      if (place < n) text[place] = 'y';
      texts.push_back(text);
    }
  }
  const auto op = [](Tensor keys) {
    std::vector<int64_t> values;
    for (int64_t i = 0; i < keys.element_count(); ++i) values.push_back(i);
    return Op{"LabelEncoder",
              4,
              {Attribute::of_tensor("keys_tensor", keys), ints_attribute("values_int64s", values)},
              1,
              "ai.onnx.ml"};
  };
  const auto real_keys = Tensor::from<double>({int64_t(reals.size())}, reals);
  const auto text_keys = Tensor::strings({int64_t(texts.size())}, texts);
  for (const size_t lookups : {size_t{3}, size_t{700}}) {
    std::vector<double> x;
    std::vector<std::string> t;
    for (size_t i = 0; i < lookups; ++i) {
      x.push_back(reals[i % reals.size()]);
      t.push_back(texts[i % texts.size()]);
    }
    x[1] = -0.0;
    x[2] = 0.3;
    t[2] = "key";
    const Tensor y = run_one(op(real_keys), {Tensor::from<double>({int64_t(lookups)}, x)});
    const Tensor z = run_one(op(text_keys), {Tensor::strings({int64_t(lookups)}, t)});
    for (size_t i = 0; i < lookups; ++i) {
      CHECK_EQ(y.elements<int64_t>()[i], i == 2 ? -1 : int64_t(i % reals.size()));
      CHECK_EQ(z.elements<int64_t>()[i], i == 2 ? -1 : int64_t(i % texts.size()));
    }
  }
}

TEST(one_hot_encoder, many_elements_of_every_type_have_their_rows) {
  std::vector<int64_t> categories, x;
  for (int64_t i = 0; i < 21; ++i) categories.push_back(i * 5 - 20);
  for (int64_t i = 0; i < 4000; ++i) x.push_back(i % 110 - 25);
  const Tensor ints = Tensor::from<int64_t>({40, 100}, x);
  const std::vector<float> floats(x.begin(), x.end());
  const Op op = ml("OneHotEncoder", {ints_attribute("cats_int64s", categories)});
  const Tensor y = run_one(op, {ints});
  CHECK(y.dims() == (Dims{40, 100, 21}));
  for (size_t i = 0; i < x.size(); ++i) {
    for (size_t c = 0; c < categories.size(); ++c) {
      CHECK_EQ(y.elements<float>()[i * 21 + c], x[i] == categories[c] ? 1.0f : 0.0f);
    }
  }
  CHECK(same_bits(run_one(op, {f32s({40, 100}, floats)}), y));
  const Op strict = ml("OneHotEncoder",
                       {ints_attribute("cats_int64s", categories), Attribute::of_int("zeros", 0)});
  std::vector<int64_t> known(3000, 0);
  known[2999] = known[1501] = 3;
  const auto refused = run_op(strict, {Tensor::from<int64_t>({3000}, known)});
  CHECK_CODE(refused, Code::kInvalidArgument);
  CHECK(refused.status().message().find("element 1501 ") != std::string::npos);
}

// --- Distances.

template <typename T>
void check_distances(int64_t rows, int64_t columns, int64_t size, bool is_square) {
  Random random(static_cast<uint32_t>(rows + columns));
  std::vector<T> a, b;
  for (int64_t i = 0; i < rows * size; ++i) a.push_back(static_cast<T>(random.number() + 1000));
  for (int64_t i = 0; i < columns * size; ++i) b.push_back(static_cast<T>(random.number() + 1000));
  const Op op{"CDist",
              1,
              {Attribute::of_string("metric", is_square ? "sqeuclidean" : "euclidean")},
              1,
              "com.microsoft"};
  const Tensor y =
      run_one(op, {Tensor::from<T>({rows, size}, a), Tensor::from<T>({columns, size}, b)});
  for (int64_t i = 0; i < rows * columns; ++i) {
    double sum = 0;
    for (int64_t l = 0; l < size; ++l) {
      const double less =
          double{a[size_t(i / columns * size + l)]} - double{b[size_t(i % columns * size + l)]};
      sum += less * less;
    }
    CHECK_NEAR(double{y.elements<T>()[size_t(i)]}, is_square ? sum : std::sqrt(sum),
               sizeof(T) == 4 ? cpu::gemm_f32_error(size_t(size)) : 1e-14, 0);
  }
}

TEST(cdist, agrees_with_plain_loops_at_every_size) {
  for (const bool is_square : {true, false}) {
    for (const int64_t rows : {1, 3, 97}) {
      for (const int64_t columns : {1, 16, 35}) {
        for (const int64_t size : {1, 20, 300}) {
          check_distances<float>(rows, columns, size, is_square);
          check_distances<double>(rows, columns, size, is_square);
        }
      }
    }
  }
}

}  // namespace
}  // namespace ortc::test
