// SPDX-License-Identifier: MIT
// Types and shapes of the operators of ai.onnx.ml and ai.onnx.preview.training.
#include "core/ops/infer.h"
#include "tests/core/ops/infer_testing.h"
#include "tests/support/test.h"

namespace ortc::test {
namespace {

struct MlGraph {
  Graph graph;
  Node* node = nullptr;

  MlGraph(const std::string& op, int64_t opset, const std::vector<Type>& inputs, size_t outputs,
          std::vector<Attribute> attributes, const std::string& domain = "ai.onnx.ml")
      : graph(std::make_shared<const OpsetImports>(OpsetImports{{domain, opset}})) {
    std::vector<ValueId> in, out;
    for (const Type& type : inputs) {
      in.push_back(graph.add_value(str_cat("x", in.size()), type).value());
      graph.add_input(in.back());
    }
    for (size_t i = 0; i < outputs; ++i) out.push_back(graph.add_value(str_cat("y", i)).value());
    node = graph.add_node(op, domain, "n", in, out, std::move(attributes)).value();
    for (const ValueId id : out) graph.value(id)->is_output = true;
  }
  std::string type(size_t i) const { return type_to_string(graph.value(node->output(i))->type); }
};

Type rows(DType dtype, int64_t features) {
  return Type::tensor(dtype, Shape{Dim::named("n"), Dim::known(features)});
}

// The types of the outputs, one behind the other; or what is wrong.
std::string infer(MlGraph graph) {
  const Status status = infer_types(graph.graph);
  if (!status.is_ok()) return status.to_string();
  std::string types;
  for (size_t i = 0; i < graph.node->outputs().size(); ++i) {
    types += (i == 0 ? "" : " ") + graph.type(i);
  }
  return types;
}

TEST(ml_inference, knows_labels_and_scores_of_predictors) {
  const Type x = rows(DType::kInt64, 4);
  const auto labels = Attribute::of_ints("classlabels_int64s", {7, 8, 9});
  const auto ints = Attribute::of_ints("classlabels_ints", {7, 8});
  CHECK_EQ(infer({"TreeEnsembleClassifier", 3, {x}, 2, {labels}}), "int64[n] float32[n,3]");
  CHECK_EQ(infer({"LinearClassifier",
                  1,
                  {x},
                  2,
                  {ints, Attribute::of_floats("coefficients", {1, 2, 3, 4})}}),
           "int64[n] float32[n,2]");
  CHECK_EQ(infer({"SVMClassifier", 1, {x}, 2, {ints}}), "int64[n] float32[n,?]");
  CHECK_EQ(infer({"TreeEnsembleRegressor", 1, {x}, 1, {Attribute::of_int("n_targets", 5)}}),
           "float32[n,5]");
  CHECK_EQ(
      infer({"LinearRegressor", 1, {Type::tensor(DType::kFloat64, Shape{Dim::known(4)})}, 1, {}}),
      "float32[1,1]");
}

TEST(ml_inference, knows_the_widths_of_features) {
  const Type x = rows(DType::kFloat64, 4);
  CHECK_EQ(infer({"Scaler", 1, {x}, 1, {}}), "float32[n,4]");
  CHECK_EQ(infer({"Binarizer", 1, {x}, 1, {}}), "float64[n,4]");
  CHECK_EQ(infer({"OneHotEncoder", 1, {x}, 1, {Attribute::of_ints("cats_int64s", {1, 2, 3})}}),
           "float32[n,4,3]");
  CHECK_EQ(infer({"FeatureVectorizer", 1, {x, x}, 1, {}}), "float32[n,8]");
  CHECK_EQ(
      infer({"FeatureVectorizer", 1, {x, x}, 1, {Attribute::of_ints("inputdimensions", {2, 9})}}),
      "float32[n,11]");
}

TEST(ml_inference, says_which_types_and_ranks_it_expects) {
  const auto wrong = infer({"TreeEnsembleRegressor", 3, {rows(DType::kUint8, 4)}, 1, {}});
  CHECK(contains(wrong, "input 0 is uint8, expected one of float32, int32, int64, float64"));
  const Type cube =
      Type::tensor(DType::kFloat32, Shape{Dim::known(1), Dim::known(2), Dim::known(3)});
  CHECK(contains(infer({"SVMRegressor", 1, {cube}, 1, {}}), "rank 3, expected 1 or 2"));
  CHECK(contains(infer({"CategoryMapper", 1, {rows(DType::kString, 1)}, 1, {}}),
                 "'cats_int64s' is missing"));
}

TEST(training_inference, counts_variables_and_their_states) {
  const std::string domain = "ai.onnx.preview.training";
  const Type number = Type::tensor(DType::kFloat32, Shape{}),
             count = Type::tensor(DType::kInt64, Shape{});
  const Type a = rows(DType::kFloat32, 2), b = rows(DType::kFloat64, 3);
  CHECK_EQ(infer({"Adagrad", 1, {number, count, a, b, a, b, a, b}, 4, {}, domain}),
           "float32[n,2] float64[n,3] float32[n,2] float64[n,3]");
  CHECK_EQ(infer({"Adam", 1, {number, count, a, a, a, a}, 3, {}, domain}),
           "float32[n,2] float32[n,2] float32[n,2]");
  CHECK(
      contains(infer({"Adam", 1, {number, count, a, a, a}, 3, {}, domain}), "4 for each variable"));
  CHECK(contains(infer({"Adagrad", 1, {number, count, a, a, a}, 3, {}, domain}), "has 3 outputs"));
}

}  // namespace
}  // namespace ortc::test
