// SPDX-License-Identifier: MIT
// Operators of ai.onnx.ml where a few numbers show it: labels of strings, missing values, what is
// refused. Their arithmetic is compared with numpy by tests/conformance/ml_models.py.
#include <cmath>

#include "tests/providers/cpu/kernels/ml_testing.h"

namespace ortc::test {
namespace {

std::vector<std::string> labels_of(const Tensor& tensor) {
  return {tensor.string_elements().begin(), tensor.string_elements().end()};
}

// One tree: x[0] `mode` 1 ? leaf 1 : leaf 2.
std::vector<Attribute> stump(const std::string& mode, int64_t track, const std::string& votes) {
  return {ints_attribute("nodes_treeids", {0, 0, 0}),
          ints_attribute("nodes_nodeids", {0, 1, 2}),
          ints_attribute("nodes_featureids", {0, 0, 0}),
          floats_attribute("nodes_values", {1, 0, 0}),
          texts_attribute("nodes_modes", {mode, "LEAF", "LEAF"}),
          ints_attribute("nodes_truenodeids", {1, 0, 0}),
          ints_attribute("nodes_falsenodeids", {2, 0, 0}),
          ints_attribute("nodes_missing_value_tracks_true", {track, 0, 0}),
          ints_attribute(votes + "_treeids", {0, 0}),
          ints_attribute(votes + "_nodeids", {1, 2}),
          ints_attribute(votes + "_ids", {0, 0}),
          floats_attribute(votes + "_weights", {10, 20})};
}

Op regressor(const std::string& mode, int64_t track = 0) {
  auto attributes = stump(mode, track, "target");
  attributes.push_back(Attribute::of_int("n_targets", 1));
  return ml("TreeEnsembleRegressor", attributes);
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(tree_ensemble, compares_in_every_mode_at_its_borders) {
  const float below = std::nextafter(1.0f, 0.0f), above = std::nextafter(1.0f, 2.0f);
  const Tensor x = tensor<float>({5, 1}, {-kInfinity, below, 1, above, kInfinity});
  const auto gives = [&](const std::string& mode, std::initializer_list<float> expected) {
    return holds<float>(run_one(regressor(mode), {x}), {5, 1}, expected);
  };
  CHECK(gives("BRANCH_LEQ", {10, 10, 10, 20, 20}));
  CHECK(gives("BRANCH_LT", {10, 10, 20, 20, 20}));
  CHECK(gives("BRANCH_GTE", {20, 20, 10, 10, 10}));
  CHECK(gives("BRANCH_GT", {20, 20, 20, 10, 10}));
  CHECK(gives("BRANCH_EQ", {20, 20, 10, 20, 20}));
  CHECK(gives("BRANCH_NEQ", {10, 10, 20, 10, 10}));
}

TEST(tree_ensemble, missing_values_go_where_the_tree_says_in_every_mode) {
  const Tensor x = tensor<float>({1, 1}, {std::nanf("")});
  for (const char* mode :
       {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"}) {
    CHECK(holds<float>(run_one(regressor(mode, 0), {x}), {1, 1}, {20}));
    CHECK(holds<float>(run_one(regressor(mode, 1), {x}), {1, 1}, {10}));
  }
}

TEST(tree_ensemble, missing_values_are_in_no_set) {
  for (const int64_t track : {0, 1}) {
    const Op op =
        ml("TreeEnsemble",
           {ints_attribute("tree_roots", {0}), ints_attribute("nodes_featureids", {0}),
            Attribute::of_tensor("nodes_modes", tensor<uint8_t>({1}, {6})),
            Attribute::of_tensor("nodes_splits", tensor<float>({1}, {0})),
            Attribute::of_tensor("membership_values", tensor<float>({3}, {4, 2, std::nanf("")})),
            ints_attribute("nodes_missing_value_tracks_true", {track}),
            ints_attribute("nodes_trueleafs", {1}), ints_attribute("nodes_falseleafs", {1}),
            ints_attribute("nodes_truenodeids", {0}), ints_attribute("nodes_falsenodeids", {1}),
            ints_attribute("leaf_targetids", {0, 0}), Attribute::of_int("n_targets", 1),
            Attribute::of_tensor("leaf_weights", tensor<float>({2}, {10, 20}))},
           1, 5);
    const Tensor x = tensor<float>({4, 1}, {2, 3, 4, std::nanf("")});
    CHECK(holds<float>(run_one(op, {x}), {4, 1}, {10, 20, 10, track != 0 ? 10.0f : 20.0f}));
  }
}

// As converters write "one of 1, 2, 3": the true branches share a node.
TEST(tree_ensemble, chains_of_equal_branches_are_sets) {
  const auto trees = [](const std::string& third, std::vector<int64_t> tracks) {
    return ml(
        "TreeEnsembleRegressor",
        {ints_attribute("nodes_treeids", {0, 0, 0, 0, 0, 0}),
         ints_attribute("nodes_nodeids", {0, 1, 2, 3, 4, 5}),
         ints_attribute("nodes_featureids", {0, 0, 0, 0, 0, 0}),
         floats_attribute("nodes_values", {3, 1, 2, 1, 0, 0}),
         texts_attribute("nodes_modes",
                         {"BRANCH_EQ", "BRANCH_EQ", third, "BRANCH_LEQ", "LEAF", "LEAF"}),
         ints_attribute("nodes_truenodeids", {3, 3, third == "LEAF" ? 0 : 3, 4, 0, 0}),
         ints_attribute("nodes_falsenodeids", {1, 2, third == "LEAF" ? 0 : 5, 5, 0, 0}),
         ints_attribute("nodes_missing_value_tracks_true", std::move(tracks)),
         ints_attribute("target_treeids", {0, 0, 0}), ints_attribute("target_nodeids", {2, 4, 5}),
         ints_attribute("target_ids", {0, 0, 0}), floats_attribute("target_weights", {30, 10, 20}),
         Attribute::of_int("n_targets", 1)});
  };
  const Tensor x = tensor<float>({5, 1}, {0, 1, 2, 3, std::nanf("")});
  const std::vector<int64_t> none = {0, 0, 0, 0, 0, 0}, second = {0, 1, 0, 1, 0, 0};
  CHECK(holds<float>(run_one(trees("LEAF", none), {x}), {5, 1}, {30, 10, 30, 20, 30}));
  CHECK(holds<float>(run_one(trees("LEAF", second), {x}), {5, 1}, {30, 10, 30, 20, 10}));
  // Only equal branches are one set; what else has two parents is refused.
  CHECK_CODE(run_op(trees("BRANCH_LT", none), {x}), Code::kInvalidGraph);
}

TEST(tree_ensemble, thresholds_are_compared_as_exactly_as_the_input) {
  const double close = 1 + 1e-12;
  const Tensor x = tensor<double>({2, 1}, {1, close});
  CHECK(holds<float>(run_one(regressor("BRANCH_LEQ"), {x}), {2, 1}, {10, 20}));
  const Tensor huge = int64s({(int64_t{1} << 40) + 1});
  CHECK(holds<float>(run_one(regressor("BRANCH_GT"), {huge}), {1, 1}, {10}));
}

TEST(tree_ensemble, a_row_gives_the_same_alone_and_among_others) {
  Random random(5);
  std::vector<Attribute> attributes = stump("BRANCH_LT", 0, "target");
  attributes.push_back(Attribute::of_int("n_targets", 1));
  const Op op = ml("TreeEnsembleRegressor", attributes);
  const Tensor all = random.floats({203, 2});
  const Tensor y = run_one(op, {all});
  for (int64_t i = 0; i < 203; i += 29) {
    const Tensor row = Tensor::from<float>({2}, all.elements<float>().subspan(size_t(2 * i), 2));
    CHECK_EQ(run_one(op, {row}).elements<float>()[0], y.elements<float>()[size_t(i)]);
  }
}

// Two targets, of which no leaf votes for the second.
TEST(tree_ensemble, many_rows_are_finished_one_by_one) {
  Random random(6);
  const Tensor x = random.floats({203, 1});
  for (const std::string aggregate : {"SUM", "AVERAGE", "MIN", "MAX"}) {
    for (const std::string post : {"NONE", "LOGISTIC", "SOFTMAX"}) {
      for (const double base : {0.0, -9.0}) {
        std::vector<Attribute> attributes = stump("BRANCH_LT", 0, "target");
        attributes.push_back(Attribute::of_int("n_targets", 2));
        attributes.push_back(Attribute::of_string("aggregate_function", aggregate));
        attributes.push_back(Attribute::of_string("post_transform", post));
        const std::vector<float> bases = {static_cast<float>(base), static_cast<float>(base)};
        if (base != 0) attributes.push_back(floats_attribute("base_values", bases));
        const Tensor y = run_one(ml("TreeEnsembleRegressor", attributes), {x});
        for (size_t row = 0; row < 203; ++row) {
          const double scores[] = {(x.elements<float>()[row] < 1 ? 10 : 20) + base, base};
          for (size_t t = 0; t < 2; ++t) {
            const double share = 1 / (1 + std::exp(scores[1 - t] - scores[t]));
            const double exact = post == "NONE"       ? scores[t]
                                 : post == "LOGISTIC" ? 1 / (1 + std::exp(-scores[t]))
                                                      : share;
            CHECK_NEAR(double{y.elements<float>()[2 * row + t]}, exact, 1e-6, 1e-12);
          }
        }
      }
    }
  }
}

TEST(tree_ensemble, broken_trees_are_refused) {
  const Tensor x = tensor<float>({1, 1}, {0});
  const auto with = [&](Attribute attribute) {
    Op op = regressor("BRANCH_LEQ");
    for (Attribute& old : op.attributes) {
      if (old.name == attribute.name) old = attribute;
    }
    return run_op(op, {x}).status().code();
  };
  CHECK_EQ(with(ints_attribute("nodes_truenodeids", {0, 0, 0})), Code::kInvalidGraph);  // a circle
  CHECK_EQ(with(ints_attribute("nodes_falsenodeids", {1, 0, 0})),
           Code::kInvalidGraph);  // two parents
  CHECK_EQ(with(ints_attribute("nodes_truenodeids", {7, 0, 0})), Code::kInvalidGraph);
  CHECK_EQ(with(ints_attribute("nodes_nodeids", {0, 1, 1})), Code::kInvalidGraph);
  CHECK_EQ(with(ints_attribute("nodes_featureids", {-1, 0, 0})), Code::kInvalidGraph);
  CHECK_EQ(with(ints_attribute("target_ids", {0, 1})), Code::kInvalidGraph);
  CHECK_EQ(with(ints_attribute("target_nodeids", {1, 9})), Code::kInvalidGraph);
  CHECK_EQ(with(floats_attribute("nodes_values", {1, 0})), Code::kInvalidGraph);
  CHECK_EQ(with(texts_attribute("nodes_modes", {"BRANCH", "LEAF", "LEAF"})), Code::kInvalidGraph);
  CHECK_EQ(with(ints_attribute("nodes_featureids", {1, 0, 0})),
           Code::kInvalidArgument);  // x has one
}

TEST(tree_ensemble, two_classes_with_votes_for_one) {
  const auto classify = [&](std::vector<float> weights, const std::string& post) {
    auto attributes = stump("BRANCH_LEQ", 0, "class");
    attributes.back() = floats_attribute("class_weights", std::move(weights));
    attributes.push_back(texts_attribute("classlabels_strings", {"no", "yes"}));
    attributes.push_back(Attribute::of_string("post_transform", post));
    auto outputs =
        run_op(ml("TreeEnsembleClassifier", attributes, 2), {tensor<float>({2}, {0, 0})});
    CHECK_OK(outputs);
    return std::move(*outputs);
  };
  auto found = classify({0.75f, 0.25f}, "NONE");
  CHECK(labels_of(found[0]) == std::vector<std::string>{"yes"});
  CHECK(holds<float>(found[1], {1, 2}, {0.25f, 0.75f}));
  found = classify({-0.75f, 0.25f}, "NONE");
  CHECK(labels_of(found[0]) == std::vector<std::string>{"no"});
  CHECK(holds<float>(found[1], {1, 2}, {0.75f, -0.75f}));
  found = classify({0, -1}, "LOGISTIC");
  CHECK(holds<float>(found[1], {1, 2}, {0.5f, 0.5f}));
}

TEST(tree_ensemble, of_one_class_is_not_implemented) {
  auto attributes = stump("BRANCH_LEQ", 0, "class");
  attributes.push_back(ints_attribute("classlabels_int64s", {1}));
  CHECK_CODE(run_op(ml("TreeEnsembleClassifier", attributes, 2), {tensor<float>({1}, {0})}),
             Code::kNotImplemented);
  attributes.back() = texts_attribute("classlabels_strings", {});
  CHECK_CODE(run_op(ml("TreeEnsembleClassifier", attributes, 2), {tensor<float>({1}, {0})}),
             Code::kInvalidGraph);
}

TEST(linear_classifier, gives_labels_of_strings_and_may_omit_outputs) {
  const std::vector<Attribute> attributes = {floats_attribute("coefficients", {1, 0, 0, 1}),
                                             floats_attribute("intercepts", {0, 0.5f}),
                                             texts_attribute("classlabels_strings", {"a", "b"})};
  const auto y =
      run_op(ml("LinearClassifier", attributes, 2), {tensor<float>({2, 2}, {2, 1, 1, 1})});
  CHECK_OK(y);
  CHECK(labels_of((*y)[0]) == (std::vector<std::string>{"a", "b"}));
  CHECK(holds<float>((*y)[1], {2, 2}, {2, 1.5f, 1, 1.5f}));
  CHECK_CODE(run_op(ml("LinearClassifier", attributes, 2), {tensor<float>({1, 3}, {2, 1, 1})}),
             Code::kInvalidArgument);
}

TEST(svm, attributes_that_do_not_fit_are_refused) {
  const std::vector<Attribute> attributes = {floats_attribute("coefficients", {1, 1, -1}),
                                             floats_attribute("support_vectors", {1, 2, 3}),
                                             floats_attribute("rho", {0.5f}),
                                             ints_attribute("vectors_per_class", {1, 2}),
                                             texts_attribute("classlabels_strings", {"a", "b"}),
                                             Attribute::of_string("kernel_type", "LINEAR")};
  const Tensor x = tensor<float>({1, 1}, {2});
  const auto y = run_op(ml("SVMClassifier", attributes, 2), {x});
  CHECK_OK(y);  // 2 + 4 - 6 + 0.5
  CHECK(labels_of((*y)[0]) == std::vector<std::string>{"a"});
  CHECK(holds<float>((*y)[1], {1, 2}, {-0.5f, 0.5f}));
  const auto without = [&](size_t i, Attribute other) {
    auto changed = attributes;
    changed[i] = std::move(other);
    return run_op(ml("SVMClassifier", changed, 2), {x}).status().code();
  };
  CHECK_EQ(without(0, floats_attribute("coefficients", {1, 1})), Code::kInvalidGraph);
  CHECK_EQ(without(1, floats_attribute("support_vectors", {1, 2})), Code::kInvalidGraph);
  CHECK_EQ(without(2, floats_attribute("rho", {1, 2})), Code::kInvalidGraph);
  CHECK_EQ(without(3, ints_attribute("vectors_per_class", {-1, 4})), Code::kInvalidGraph);
  CHECK_EQ(without(3, ints_attribute("vectors_per_class", {INT32_MAX, INT32_MAX})),
           Code::kInvalidGraph);
  CHECK_EQ(without(5, Attribute::of_string("kernel_type", "CUBIC")), Code::kInvalidGraph);
}

TEST(one_hot_encoder, takes_texts_and_refuses_what_it_does_not_know) {
  const std::vector<Attribute> attributes = {texts_attribute("cats_strings", {"b", "a"})};
  const Tensor y =
      run_one(ml("OneHotEncoder", attributes), {Tensor::strings({3}, {"a", "x", "b"})});
  CHECK(holds<float>(y, {3, 2}, {0, 1, 0, 0, 1, 0}));
  const std::vector<Attribute> strict = {attributes[0], Attribute::of_int("zeros", 0)};
  CHECK_CODE(run_op(ml("OneHotEncoder", strict), {Tensor::strings({1}, {"x"})}),
             Code::kInvalidArgument);
  CHECK_CODE(run_op(ml("OneHotEncoder", attributes), {int64s({1})}), Code::kInvalidGraph);
}

TEST(category_mapper, goes_both_ways) {
  const Op op =
      ml("CategoryMapper",
         {texts_attribute("cats_strings", {"a", "b"}), ints_attribute("cats_int64s", {5, 6}),
          Attribute::of_int("default_int64", 9), Attribute::of_string("default_string", "?")});
  CHECK(holds<int64_t>(run_one(op, {Tensor::strings({3}, {"b", "x", "a"})}), {3}, {6, 9, 5}));
  CHECK(labels_of(run_one(op, {int64s({5, 7})})) == (std::vector<std::string>{"a", "?"}));
  CHECK_CODE(run_op(ml("CategoryMapper",
                       {texts_attribute("cats_strings", {"a"}), ints_attribute("cats_int64s", {})}),
                    {int64s({1})}),
             Code::kInvalidGraph);
}

// Opset 4 says that the last counts; opset 2 says nothing.
TEST(label_encoder, of_keys_that_stand_twice_the_version_says_which_counts) {
  const std::vector<Attribute> attributes = {ints_attribute("keys_int64s", {1, 1}),
                                             ints_attribute("values_int64s", {2, 3})};
  CHECK(holds<int64_t>(run_one(ml("LabelEncoder", attributes, 1, 4), {int64s({1})}), {1}, {3}));
  CHECK(holds<int64_t>(run_one(ml("LabelEncoder", attributes, 1, 2), {int64s({1})}), {1}, {2}));
}

TEST(array_feature_extractor, takes_texts_and_refuses_places_that_are_not_there) {
  const Tensor x = Tensor::strings({2, 2}, {"a", "b", "c", "d"});
  const Tensor y = run_one(ml("ArrayFeatureExtractor", {}), {x, int64s({1})});
  CHECK(labels_of(y) == (std::vector<std::string>{"b", "d"}) && y.dims() == (Dims{2, 1}));
  for (const int64_t index : {-1, 2}) {
    CHECK_CODE(run_op(ml("ArrayFeatureExtractor", {}), {x, int64s({index})}),
               Code::kInvalidArgument);
  }
}

Op training(const std::string& type, std::vector<Attribute> attributes, size_t outputs) {
  return {type, 1, std::move(attributes), outputs, "ai.onnx.preview.training"};
}

TEST(optimiser_step, is_that_of_the_formulas_for_every_variable) {
  const Tensor rate = Tensor::scalar(0.5f), first = Tensor::scalar<int64_t>(0),
               third = Tensor::scalar<int64_t>(3);
  const Tensor x = tensor<float>({2}, {1, -2}), g = tensor<float>({2}, {2, 4}),
               v = tensor<float>({2}, {8, 0});
  const auto momentum = [&](const char* mode, const Tensor& count) {
    auto y = run_op(
        training("Momentum",
                 {Attribute::of_float("alpha", 0.5f), Attribute::of_float("beta", 0.25f),
                  Attribute::of_float("norm_coefficient", 1), Attribute::of_string("mode", mode)},
                 2),
        {rate, count, x, g, v});
    CHECK_OK(y);
    return std::move(*y);
  };
  auto y = momentum("standard", first);  // g' = 3, 2
  CHECK(holds<float>(y[1], {2}, {7, 2}) && holds<float>(y[0], {2}, {-2.5f, -3}));
  y = momentum("nesterov", third);
  CHECK(holds<float>(y[1], {2}, {4.75f, 0.5f}));
  CHECK(holds<float>(y[0], {2}, {1 - 0.5f * (3 + 2.375f), -2 - 0.5f * (2 + 0.25f)}));
  const Op adagrad = training(
      "Adagrad", {Attribute::of_float("epsilon", 0), Attribute::of_float("decay_factor", 1)}, 4);
  const Tensor z = tensor<double>({1}, {1}), h = tensor<double>({1}, {9}),
               d = tensor<double>({1}, {4});
  const auto two = run_op(adagrad, {rate, third, x, z, g, d, v, h});
  CHECK_OK(two);
  CHECK(holds<double>((*two)[1], {1}, {1 - 0.125 * 4 / 5}) && holds<double>((*two)[3], {1}, {25}));
  CHECK_CODE(run_op(adagrad, {rate, third, x, z, g, d, v}), Code::kInvalidGraph);
  CHECK_CODE(run_op(training("Adagrad", {}, 2), {rate, third, x, g, h}), Code::kInvalidGraph);
}

TEST(optimiser_step, of_adam_corrects_its_rate_by_the_count) {
  const auto step = [](int64_t count) {
    auto y = run_op(
        training("Adam",
                 {Attribute::of_float("alpha", 0.5f), Attribute::of_float("beta", 0.75f),
                  Attribute::of_float("epsilon", 0.25f), Attribute::of_float("norm_coefficient", 2),
                  Attribute::of_float("norm_coefficient_post", 0.5f)},
                 3),
        {Tensor::scalar(0.5), Tensor::scalar<int64_t>(count), tensor<double>({1}, {1}),
         tensor<double>({1}, {2}), tensor<double>({1}, {6}), tensor<double>({1}, {7})});
    CHECK_OK(y);
    CHECK((*y)[1].elements<double>()[0] == 5 && (*y)[2].elements<double>()[0] == 9.25);
    return (*y)[0].elements<double>()[0];
  };
  const double move = 5 / (std::sqrt(9.25) + 0.25);  // of g' = 4
  CHECK_NEAR(step(0), 0.5 * (1 - 0.5 * move), 1e-12, 0);
  const double rate = 0.5 * std::sqrt(1 - 0.5625) / (1 - 0.25);
  CHECK_NEAR(step(2), 0.5 * (1 - rate * move), 1e-12, 0);
}

}  // namespace
}  // namespace ortc::test
