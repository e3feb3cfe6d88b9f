// SPDX-License-Identifier: MIT
// ai.onnx.ml: trees, support vectors, linear models and labels; the steps of training.
#include "tests/differential/fuzzer/rows/parts.h"

namespace ortc::fuzz {
namespace {

constexpr const char* kTraining = "ai.onnx.preview.training";

std::vector<float> some(Drawing& d, int64_t count, double low = -1, double high = 1) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < count; ++i) {
    numbers.push_back(static_cast<float>(d.chance().real(low, high)));
  }
  return numbers;
}

struct Features {
  std::string name;
  int64_t count;
};

Features features(Drawing& d) {
  const int64_t count = d.chance().between(1, 4);
  return {d.like(kT, {d.chance().between(1, 5), count}), count};
}

std::string post_transform(Drawing& d) {
  return pick(d, std::vector<std::string>{"NONE", "SOFTMAX", "LOGISTIC"});
}

// One tree of three questions and four leaves: 0 asks, then 1 or 2; 3 to 6 are leaves.
Attributes tree(Drawing& d, int64_t feature_count) {
  static const std::vector<std::string> kModes = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GT",
                                                  "BRANCH_GTE"};
  const std::string mode = d.chance().of(kModes);
  std::vector<int64_t> asked{0, 0, 0, 0, 0, 0, 0};
  std::vector<float> values(7, 0.0f);
  std::vector<std::string> modes(7, "LEAF");
  for (size_t i = 0; i < 3; ++i) {
    asked[i] = d.chance().between(0, feature_count - 1);
    values[i] = static_cast<float>(d.chance().real(-1, 1));
    modes[i] = mode;
  }
  return {of_ints("nodes_treeids", {0, 0, 0, 0, 0, 0, 0}),
          of_ints("nodes_nodeids", {0, 1, 2, 3, 4, 5, 6}),
          of_ints("nodes_featureids", asked),
          {"nodes_modes", modes},
          {"nodes_values", values},
          of_ints("nodes_truenodeids", {1, 3, 5, 0, 0, 0, 0}),
          of_ints("nodes_falsenodeids", {2, 4, 6, 0, 0, 0, 0})};
}

// What each leaf adds to which of so many targets or classes.
void add_leaves(Drawing& d, Attributes& attributes, const std::string& kind, int64_t count,
                double low) {
  std::vector<int64_t> ids;
  for (int i = 0; i < 4; ++i) ids.push_back(d.chance().between(0, count - 1));
  attributes.push_back(of_ints(kind + "_treeids", {0, 0, 0, 0}));
  attributes.push_back(of_ints(kind + "_nodeids", {3, 4, 5, 6}));
  attributes.push_back(of_ints(kind + "_ids", ids));
  attributes.push_back({kind + "_weights", some(d, 4, low)});
}

void tree_regressor(Drawing& d) {
  const Features x = features(d);
  const int64_t targets = d.chance().between(1, 3);
  Attributes attributes = tree(d, x.count);
  add_leaves(d, attributes, "target", targets, -1);
  attributes.push_back(of_int("n_targets", targets));
  if (d.chance().one_in(2)) attributes.push_back({"base_values", some(d, targets)});
  d.add("TreeEnsembleRegressor", {x.name}, attributes, kMl);
}

void tree_classifier(Drawing& d) {
  const Features x = features(d);
  Attributes attributes = tree(d, x.count);
  add_leaves(d, attributes, "class", 3, 0.1);
  attributes.push_back(of_ints("classlabels_int64s", {4, 5, 6}));
  attributes.push_back(of_text("post_transform", post_transform(d)));
  d.add_many("TreeEnsembleClassifier", {x.name}, attributes, 2, kMl);
}

void tree_of_tensors(Drawing& d) {
  const Features x = features(d);
  const auto numbers = [&](int64_t count) {
    std::vector<double> all;
    for (int64_t i = 0; i < count; ++i) all.push_back(d.chance().real(-1, 1));
    return tensor_of(kT, {count}, all);
  };
  std::vector<int64_t> asked, targets;
  for (int i = 0; i < 3; ++i) asked.push_back(d.chance().between(0, x.count - 1));
  for (int i = 0; i < 4; ++i) targets.push_back(d.chance().between(0, 1));
  const auto mode = static_cast<double>(d.chance().between(0, 3));
  d.add("TreeEnsemble", {x.name},
        {of_ints("tree_roots", {0}),
         of_int("n_targets", 2),
         of_ints("nodes_featureids", asked),
         {"nodes_splits", numbers(3)},
         {"nodes_modes", tensor_of(DType::kUint8, {3}, {mode, mode, mode})},
         of_ints("nodes_truenodeids", {1, 0, 2}),
         of_ints("nodes_trueleafs", {0, 1, 1}),
         of_ints("nodes_falsenodeids", {2, 1, 3}),
         of_ints("nodes_falseleafs", {0, 1, 1}),
         of_ints("leaf_targetids", targets),
         {"leaf_weights", numbers(4)}},
        kMl);
}

// The kernel of support vectors, with its numbers.
void add_kernel(Drawing& d, Attributes& attributes) {
  static const std::vector<std::string> kKernels = {"LINEAR", "POLY", "RBF", "SIGMOID"};
  attributes.push_back(of_text("kernel_type", d.chance().of(kKernels)));
  attributes.push_back({"kernel_params", std::vector<float>{0.3f, 0.5f, 2.0f}});
}

void svm_regressor(Drawing& d) {
  const Features x = features(d);
  const int64_t vectors = d.chance().between(1, 4);
  Attributes attributes{{"coefficients", some(d, vectors)},
                        {"support_vectors", some(d, vectors * x.count)},
                        of_int("n_supports", vectors),
                        {"rho", some(d, 1)}};
  add_kernel(d, attributes);
  d.add("SVMRegressor", {x.name}, attributes, kMl);
}

void svm_classifier(Drawing& d) {
  const Features x = features(d);
  const int64_t first = d.chance().between(1, 3), second = d.chance().between(1, 3);
  Attributes attributes{{"coefficients", some(d, first + second)},
                        {"support_vectors", some(d, (first + second) * x.count)},
                        of_ints("vectors_per_class", {first, second}),
                        {"rho", some(d, 1)},
                        of_ints("classlabels_ints", {3, 8})};
  add_kernel(d, attributes);
  d.add_many("SVMClassifier", {x.name}, attributes, 2, kMl);
}

void linear_classifier(Drawing& d) {
  const Features x = features(d);
  d.add_many("LinearClassifier", {x.name},
             {{"coefficients", some(d, 3 * x.count)},
              {"intercepts", some(d, 3)},
              of_ints("classlabels_ints", {7, 1, 4}),
              of_text("post_transform", post_transform(d))},
             2, kMl);
}

void one_hot(Drawing& d) {
  d.add("OneHotEncoder", {d.input(DType::kInt64, d.dims(1, 2), whole_up_to(4))},
        {of_ints("cats_int64s", {1, 3, 2}), of_int("zeros", 1)}, kMl);
}

void join_features(Drawing& d) {
  const int64_t rows = d.chance().between(1, 4), a = d.chance().between(1, 4),
                b = d.chance().between(1, 4);
  d.add("FeatureVectorizer", {d.like(kT, {rows, a}), d.like(kT, {rows, b})},
        {of_ints("inputdimensions", {a, b})}, kMl);
}

void labels(Drawing& d) {
  const std::string x = d.input(DType::kInt64, d.dims(1, 3), whole_up_to(4));
  Attributes attributes{of_ints("keys_int64s", {1, 2, 3})};
  if (d.chance().one_in(3)) {
    attributes.push_back({"values_strings", std::vector<std::string>{"a", "b", "c"}});
    attributes.push_back(of_text("default_string", "?"));
  } else {
    attributes.push_back({"values_floats", std::vector<float>{0.5f, -1.0f, 2.0f}});
    attributes.push_back(of_float("default_float", 7));
  }
  d.add("LabelEncoder", {x}, attributes, kMl);
}

void categories(Drawing& d) {
  const Attributes attributes{of_ints("cats_int64s", {1, 2}),
                              {"cats_strings", std::vector<std::string>{"a", "1.5"}},
                              of_int("default_int64", -1),
                              of_text("default_string", "?")};
  d.add("CategoryMapper",
        {d.chance().one_in(2) ? d.input(DType::kInt64, d.dims(1, 2), whole_up_to(4))
                              : d.input(DType::kString, d.dims(1, 2))},
        attributes, kMl);
}

enum Step { kAdagrad, kAdam, kMomentum };

template <Step step>
void train(Drawing& d) {
  constexpr const char* kNames[] = {"Adagrad", "Adam", "Momentum"};
  const Dims dims = d.dims(1, 2);
  Names inputs{d.scalar(kT, 0.1), whole_constant(d, d.chance().between(0, 5)), d.like(kT, dims),
               d.like(kT, dims)};
  if (step != kAdagrad) inputs.push_back(d.like(kT, dims));
  if (step != kMomentum) inputs.push_back(d.input(kT, dims, kAround1));
  Attributes attributes{of_float("norm_coefficient", 0.25)};
  if (step == kAdagrad) attributes.push_back(of_float("decay_factor", 0.5));
  if (step != kAdagrad) {
    attributes.push_back(of_float("alpha", 0.5));
    attributes.push_back(of_float("beta", 0.75));
  }
  if (step != kMomentum) attributes.push_back(of_float("epsilon", 0.01));
  if (step == kMomentum) {
    attributes.push_back(of_text("mode", d.chance().one_in(2) ? "standard" : "nesterov"));
  }
  d.add_many(kNames[step], inputs, attributes, step == kAdam ? 3 : 2, kTraining);
}

}  // namespace

std::vector<OperatorRow> learning_rows() {
  return {
      {"TreeEnsembleRegressor", kMl, 1, kPlain, 4, tree_regressor},
      {"TreeEnsembleClassifier", kMl, 1, kPlain, 8, tree_classifier},
      {"TreeEnsemble", kMl, 5, kPlain, 4, tree_of_tensors},
      {"SVMRegressor", kMl, 1, kPlain, 16, svm_regressor},
      {"SVMClassifier", kMl, 1, kPlain, 16, svm_classifier},
      {"LinearClassifier", kMl, 1, kPlain, 16, linear_classifier},
      {"OneHotEncoder", kMl, 1, kExact, 0, one_hot},
      {"FeatureVectorizer", kMl, 1, kExact, 0, join_features},
      {"LabelEncoder", kMl, 2, kExact, 0, labels},
      {"CategoryMapper", kMl, 1, kExact, 0, categories},
      {"Adagrad", kTraining, 1, kOwnRules, 8, train<kAdagrad>},
      {"Adam", kTraining, 1, kOwnRules, 8, train<kAdam>},
      {"Momentum", kTraining, 1, kOwnRules, 8, train<kMomentum>},
  };
}

}  // namespace ortc::fuzz
