// SPDX-License-Identifier: MIT
// The domain ai.onnx.ml but for its predictors (ml_models.cc): features, dictionaries and maps.
#include "core/graph/one_of.h"
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

Status infer_float_like(InferContext& ctx) {
  RETURN_IF_ERROR(expect_type(ctx, 0, kMlFeatureTypes));
  return infer_shape_only(ctx, DType::kFloat32);
}

Status infer_feature_like(InferContext& ctx) {
  RETURN_IF_ERROR(expect_type(ctx, 0, kMlFeatureTypes));
  return infer_same_type(ctx);
}

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

// Texts become numbers, numbers texts.
Status infer_category_mapper(InferContext& ctx) {
  RETURN_IF_ERROR(expect_type(ctx, 0, mask_of(DType::kString, DType::kInt64)));
  return infer_label_encoder_1(ctx);
}

size_t list_size(const Node& node, std::string_view name) {
  const Attribute* attribute = node.attribute(name);
  return attribute != nullptr ? attribute->strings.size() + attribute->ints.size() : 0;
}

Status infer_one_hot_encoder(InferContext& ctx) {
  RETURN_IF_ERROR(expect_type(ctx, 0, kMlFeatureTypes | mask_of(DType::kString)));
  const size_t count = list_size(ctx.node(), "cats_strings") + list_size(ctx.node(), "cats_int64s");
  std::optional<Shape> shape;
  if (const Shape* x = input_shape(ctx, 0)) {
    shape = *x;
    shape->push_back(Dim::known(static_cast<int64_t>(count)));
  }
  set_tensor(ctx, 0, DType::kFloat32, std::move(shape));
  return Status::ok();
}

// Rows side by side: as wide as the attribute says, or as the inputs are.
Status infer_feature_vectorizer(InferContext& ctx) {
  const auto widths = ctx.node().ints_attribute("inputdimensions", {});
  Dim rows = Dim::unknown(), total = Dim::known(0);
  for (size_t i = 0; i < ctx.input_count(); ++i) {
    RETURN_IF_ERROR(expect_type(ctx, i, kMlFeatureTypes));
    RETURN_IF_ERROR(same_dtype(ctx, i, 0));
    const Shape* x = input_shape(ctx, i);
    Dim width = x != nullptr && !x->empty() ? plain_dim(x->back()) : Dim::unknown();
    if (i < widths.size()) width = Dim::known(widths[i]);
    total = add_dims(total, width);
    if (i == 0 && x != nullptr && !x->empty() && x->size() <= 2) {
      rows = x->size() == 1 ? Dim::known(1) : plain_dim(x->front());
    }
  }
  set_tensor(ctx, 0, DType::kFloat32, Shape{rows, total});
  return Status::ok();
}

Status infer_cast_map(InferContext& ctx) {
  constexpr DType kTargets[] = {DType::kFloat32, DType::kString, DType::kInt64};
  ASSIGN_OR_RETURN(const uint32_t to, one_of(ctx.node(), "cast_to", "TO_FLOAT",
                                             {"TO_FLOAT", "TO_STRING", "TO_INT64"}));
  const bool is_sparse = ctx.node().string_attribute("map_form", "DENSE") == "SPARSE";
  const Dim count = is_sparse ? Dim::known(ctx.node().int_attribute("max_map", 1)) : Dim::unknown();
  set_tensor(ctx, 0, kTargets[to], Shape{Dim::known(1), count});
  return Status::ok();
}

}  // namespace

std::span<const OpRow> ml_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"ai.onnx.ml", "Binarizer", 1, 1, 1, 1, 1, infer_feature_like},
      {"ai.onnx.ml", "CastMap", 1, 1, 1, 1, 1, infer_cast_map},
      {"ai.onnx.ml", "CategoryMapper", 1, 1, 1, 1, 1, infer_category_mapper,
       "cats_int64s,cats_strings"},
      {"ai.onnx.ml", "DictVectorizer", 1, 1, 1, 1, 1, infer_dict_vectorizer},
      {"ai.onnx.ml", "FeatureVectorizer", 1, 1, kVariadic, 1, 1, infer_feature_vectorizer},
      {"ai.onnx.ml", "Imputer", 1, 1, 1, 1, 1, infer_feature_like},
      {"ai.onnx.ml", "LabelEncoder", 1, 1, 1, 1, 1, infer_label_encoder_1},
      {"ai.onnx.ml", "LabelEncoder", 2, 1, 1, 1, 1, infer_label_encoder},
      {"ai.onnx.ml", "LabelEncoder", 4, 1, 1, 1, 1, infer_label_encoder},
      {"ai.onnx.ml", "Normalizer", 1, 1, 1, 1, 1, infer_float_like},
      {"ai.onnx.ml", "OneHotEncoder", 1, 1, 1, 1, 1, infer_one_hot_encoder},
      {"ai.onnx.ml", "Scaler", 1, 1, 1, 1, 1, infer_float_like},
      {"ai.onnx.ml", "ZipMap", 1, 1, 1, 1, 1, infer_zip_map},
  };
  return kRows;
}

}  // namespace ortc
