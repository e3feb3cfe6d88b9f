// SPDX-License-Identifier: MIT
// The predictors of ai.onnx.ml: a row of features gives a label and scores, or numbers.
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

// A vector of features is one row.
Dim row_count(const InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  if (x == nullptr || x->empty() || x->size() > 2) return Dim::unknown();
  return x->size() == 1 ? Dim::known(1) : plain_dim(x->front());
}

Status check_features(InferContext& ctx) {
  RETURN_IF_ERROR(expect_type(ctx, 0, kMlFeatureTypes));
  const Shape* x = input_shape(ctx, 0);
  if (x == nullptr || x->size() == 1 || x->size() == 2) return Status::ok();
  return invalid_graph("input 0 has rank ", x->size(), ", expected 1 or 2");
}

// Scores of all classes, where there is one for each.
Status infer_classifier(InferContext& ctx, std::string_view numbers, bool has_score_for_each) {
  RETURN_IF_ERROR(check_features(ctx));
  const Attribute* texts = ctx.node().attribute("classlabels_strings");
  const bool has_texts = texts != nullptr && !texts->strings.empty();
  const auto count =
      has_texts ? texts->strings.size() : ctx.node().ints_attribute(numbers, {}).size();
  const Dim rows = row_count(ctx);
  set_tensor(ctx, 0, has_texts ? DType::kString : DType::kInt64, Shape{rows});
  const Dim scores = has_score_for_each ? Dim::known(static_cast<int64_t>(count)) : Dim::unknown();
  set_tensor(ctx, 1, DType::kFloat32, Shape{rows, scores});
  return Status::ok();
}

Status infer_tree_classifier(InferContext& ctx) {
  return infer_classifier(ctx, "classlabels_int64s", true);
}
Status infer_linear_classifier(InferContext& ctx) {
  return infer_classifier(ctx, "classlabels_ints", true);
}
// Without probabilities it scores pairs of classes.
Status infer_svm_classifier(InferContext& ctx) {
  return infer_classifier(ctx, "classlabels_ints", false);
}

Status infer_targets(InferContext& ctx, DType dtype, int64_t targets) {
  if (targets < 1) return invalid_graph("it has ", targets, " targets");
  set_tensor(ctx, 0, dtype, Shape{row_count(ctx), Dim::known(targets)});
  return Status::ok();
}

Status infer_tree_regressor(InferContext& ctx) {
  RETURN_IF_ERROR(check_features(ctx));
  return infer_targets(ctx, DType::kFloat32, ctx.node().int_attribute("n_targets", 1));
}

Status infer_tree_ensemble(InferContext& ctx) {
  RETURN_IF_ERROR(expect_type(ctx, 0, mask_of(DType::kFloat32, DType::kFloat64, DType::kFloat16)));
  RETURN_IF_ERROR(expect_rank(ctx, 0, 2));
  return infer_targets(ctx, input_dtype(ctx, 0), ctx.node().int_attribute("n_targets", 1));
}

Status infer_linear_regressor(InferContext& ctx) {
  RETURN_IF_ERROR(check_features(ctx));
  return infer_targets(ctx, DType::kFloat32, ctx.node().int_attribute("targets", 1));
}

Status infer_svm_regressor(InferContext& ctx) {
  RETURN_IF_ERROR(check_features(ctx));
  return infer_targets(ctx, DType::kFloat32, 1);
}

constexpr std::string_view kTreeEnsembleRequired =
    "leaf_targetids,leaf_weights,nodes_falseleafs,nodes_falsenodeids,nodes_featureids,nodes_modes,"
    "nodes_splits,nodes_trueleafs,nodes_truenodeids,tree_roots";

}  // namespace

std::span<const OpRow> ml_models_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"ai.onnx.ml", "LinearClassifier", 1, 1, 1, 2, 2, infer_linear_classifier, "coefficients"},
      {"ai.onnx.ml", "LinearRegressor", 1, 1, 1, 1, 1, infer_linear_regressor},
      {"ai.onnx.ml", "SVMClassifier", 1, 1, 1, 2, 2, infer_svm_classifier},
      {"ai.onnx.ml", "SVMRegressor", 1, 1, 1, 1, 1, infer_svm_regressor},
      {"ai.onnx.ml", "TreeEnsemble", 5, 1, 1, 1, 1, infer_tree_ensemble, kTreeEnsembleRequired},
      {"ai.onnx.ml", "TreeEnsembleClassifier", 1, 1, 1, 2, 2, infer_tree_classifier},
      {"ai.onnx.ml", "TreeEnsembleClassifier", 3, 1, 1, 2, 2, infer_tree_classifier},
      {"ai.onnx.ml", "TreeEnsembleClassifier", 5, 1, 1, 2, 2, infer_tree_classifier},
      {"ai.onnx.ml", "TreeEnsembleRegressor", 1, 1, 1, 1, 1, infer_tree_regressor},
      {"ai.onnx.ml", "TreeEnsembleRegressor", 3, 1, 1, 1, 1, infer_tree_regressor},
      {"ai.onnx.ml", "TreeEnsembleRegressor", 5, 1, 1, 1, 1, infer_tree_regressor},
  };
  return kRows;
}

}  // namespace ortc
