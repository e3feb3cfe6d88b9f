// SPDX-License-Identifier: MIT
// The domains ai.onnx.ml and ai.onnx.preview.*: counts for all, types for the plain ones.
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

Status infer_float_like(InferContext& ctx) { return infer_shape_only(ctx, DType::kFloat32); }

// The type that the values of a dictionary have.
DType value_type(const Node& node) {
  const Attribute* tensor = node.attribute("values_tensor");
  if (tensor != nullptr && tensor->tensor) return tensor->tensor->tensor.dtype();
  if (node.attribute("values_strings") != nullptr) return DType::kString;
  if (node.attribute("values_int64s") != nullptr) return DType::kInt64;
  return node.attribute("values_floats") != nullptr ? DType::kFloat32 : DType::kUndefined;
}

Status infer_label_encoder(InferContext& ctx) {
  const DType type = value_type(ctx.node());
  return type != DType::kUndefined ? infer_shape_only(ctx, type) : Status::ok();
}

// The first form goes from texts to their positions, or back.
Status infer_label_encoder_1(InferContext& ctx) {
  const DType from = input_dtype(ctx, 0);
  if (from == DType::kUndefined) return Status::ok();
  return infer_shape_only(ctx, from == DType::kString ? DType::kInt64 : DType::kString);
}

Status infer_zip_map(InferContext& ctx) {
  const Attribute* texts = ctx.node().attribute("classlabels_strings");
  const bool has_texts = texts != nullptr && !texts->strings.empty();
  const DType key = has_texts ? DType::kString : DType::kInt64;
  ctx.set_output(0, Type::sequence(Type::map(key, Type::tensor(DType::kFloat32, Shape{}))));
  return Status::ok();
}

Status infer_dict_vectorizer(InferContext& ctx) {
  const Type& map = ctx.input_type(0);
  if (map.kind == TypeKind::kNone) return Status::ok();
  if (map.kind != TypeKind::kMap || !map.element || !map.element->is_tensor()) {
    return invalid_graph("input 0 is ", type_to_string(map), ", expected a map");
  }
  const Attribute *texts = ctx.node().attribute("string_vocabulary"),
                  *numbers = ctx.node().attribute("int64_vocabulary");
  const size_t count = (texts != nullptr ? texts->strings.size() : 0) +
                       (numbers != nullptr ? numbers->ints.size() : 0);
  set_tensor(ctx, 0, map.element->dtype,
             Shape{Dim::known(1), Dim::known(static_cast<int64_t>(count))});
  return Status::ok();
}

}  // namespace

std::span<const OpRow> ml_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"ai.onnx.ml", "Binarizer", 1, 1, 1, 1, 1, infer_same_type},
      {"ai.onnx.ml", "CastMap", 1, 1, 1, 1, 1, nullptr},
      {"ai.onnx.ml", "CategoryMapper", 1, 1, 1, 1, 1, nullptr},
      {"ai.onnx.ml", "DictVectorizer", 1, 1, 1, 1, 1, infer_dict_vectorizer},
      {"ai.onnx.ml", "FeatureVectorizer", 1, 1, kVariadic, 1, 1, nullptr},
      {"ai.onnx.ml", "Imputer", 1, 1, 1, 1, 1, infer_same_type},
      {"ai.onnx.ml", "LabelEncoder", 1, 1, 1, 1, 1, infer_label_encoder_1},
      {"ai.onnx.ml", "LabelEncoder", 2, 1, 1, 1, 1, infer_label_encoder},
      {"ai.onnx.ml", "LabelEncoder", 4, 1, 1, 1, 1, infer_label_encoder},
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
      {"ai.onnx.ml", "ZipMap", 1, 1, 1, 1, 1, infer_zip_map},
      {"ai.onnx.preview.training", "Adagrad", 1, 3, kVariadic, 1, kVariadic, nullptr},
      {"ai.onnx.preview.training", "Adam", 1, 3, kVariadic, 1, kVariadic, nullptr},
      {"ai.onnx.preview.training", "Gradient", 1, 1, kVariadic, 1, kVariadic, nullptr, "xs,y"},
      {"ai.onnx.preview.training", "Momentum", 1, 3, kVariadic, 1, kVariadic, nullptr,
       "alpha,beta,mode,norm_coefficient"},
  };
  return kRows;
}

}  // namespace ortc
