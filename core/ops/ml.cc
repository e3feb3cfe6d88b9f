// SPDX-License-Identifier: MIT
// The domains ai.onnx.ml and ai.onnx.preview.*: counts for all, types for the plain ones.
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

Status infer_float_like(InferContext& ctx) { return infer_shape_only(ctx, DType::kFloat32); }

}  // namespace

std::span<const OpRow> ml_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"ai.onnx.ml", "Binarizer", 1, 1, 1, 1, 1, infer_same_type},
      {"ai.onnx.ml", "CastMap", 1, 1, 1, 1, 1, nullptr},
      {"ai.onnx.ml", "CategoryMapper", 1, 1, 1, 1, 1, nullptr},
      {"ai.onnx.ml", "DictVectorizer", 1, 1, 1, 1, 1, nullptr},
      {"ai.onnx.ml", "FeatureVectorizer", 1, 1, kVariadic, 1, 1, nullptr},
      {"ai.onnx.ml", "Imputer", 1, 1, 1, 1, 1, infer_same_type},
      {"ai.onnx.ml", "LabelEncoder", 1, 1, 1, 1, 1, nullptr},
      {"ai.onnx.ml", "LabelEncoder", 2, 1, 1, 1, 1, nullptr},
      {"ai.onnx.ml", "LabelEncoder", 4, 1, 1, 1, 1, nullptr},
      {"ai.onnx.ml", "LinearClassifier", 1, 1, 1, 2, 2, nullptr, "coefficients"},
      {"ai.onnx.ml", "LinearRegressor", 1, 1, 1, 1, 1, nullptr},
      {"ai.onnx.ml", "Normalizer", 1, 1, 1, 1, 1, infer_float_like},
      {"ai.onnx.ml", "OneHotEncoder", 1, 1, 1, 1, 1, nullptr},
      {"ai.onnx.ml", "SVMClassifier", 1, 1, 1, 2, 2, nullptr},
      {"ai.onnx.ml", "SVMRegressor", 1, 1, 1, 1, 1, nullptr},
      {"ai.onnx.ml", "Scaler", 1, 1, 1, 1, 1, infer_float_like},
      {"ai.onnx.ml", "TreeEnsemble", 5, 1, 1, 1, 1, nullptr,
       "leaf_targetids,leaf_weights,nodes_falseleafs,nodes_falsenodeids,nodes_featureids,nodes_"
       "modes,nodes_splits,nodes_trueleafs,nodes_truenodeids,tree_roots"},
      {"ai.onnx.ml", "TreeEnsembleClassifier", 1, 1, 1, 2, 2, nullptr},
      {"ai.onnx.ml", "TreeEnsembleClassifier", 3, 1, 1, 2, 2, nullptr},
      {"ai.onnx.ml", "TreeEnsembleClassifier", 5, 0, 0, 0, 0, nullptr},
      {"ai.onnx.ml", "TreeEnsembleRegressor", 1, 1, 1, 1, 1, nullptr},
      {"ai.onnx.ml", "TreeEnsembleRegressor", 3, 1, 1, 1, 1, nullptr},
      {"ai.onnx.ml", "TreeEnsembleRegressor", 5, 0, 0, 0, 0, nullptr},
      {"ai.onnx.ml", "ZipMap", 1, 1, 1, 1, 1, nullptr},
      {"ai.onnx.preview.training", "Adagrad", 1, 3, kVariadic, 1, kVariadic, nullptr},
      {"ai.onnx.preview.training", "Adam", 1, 3, kVariadic, 1, kVariadic, nullptr},
      {"ai.onnx.preview.training", "Gradient", 1, 1, kVariadic, 1, kVariadic, nullptr, "xs,y"},
      {"ai.onnx.preview.training", "Momentum", 1, 3, kVariadic, 1, kVariadic, nullptr,
       "alpha,beta,mode,norm_coefficient"},
  };
  return kRows;
}

}  // namespace ortc
