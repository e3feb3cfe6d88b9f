// SPDX-License-Identifier: MIT
// What the predictors of ai.onnx.ml share: rows of features of four types, the transform of a row
// of scores, and the labels of classes.
#pragma once

#include <string>

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/bind/record_column.h"

namespace ortc::cpu {

inline constexpr std::string_view kMlDomain = "ai.onnx.ml";
inline constexpr TypeMask kFeatureTypes =
    mask_of(DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64);

// --- Features.

// x as [rows, features]; one of rank 1 is a single row. INVALID_ARGUMENT for other ranks.
struct FeatureRows {
  int64_t rows = 1, features = 1;
};
Result<FeatureRows> feature_rows(const ValueRef& x);
// Elements [at, at + n) of a tensor of kFeatureTypes.
void read_features(const ValueRef& x, int64_t at, int64_t n, double* to);

// --- Transforms. The numbers are those of TreeEnsemble's attribute.

enum class PostTransform : uint32_t {
  kNone = 0,
  kSoftmax = 1,
  kLogistic = 2,
  kSoftmaxZero = 3,
  kProbit = 4,
};
constexpr bool is_post_transform(uint32_t number) { return number <= 4; }
Result<PostTransform> post_transform_of(const Node& node);

// In place. kSoftmaxZero leaves zeros what they are. kProbit is the approximation of the inverse
// normal distribution that ONNX's reference has, good to three digits.
void transform_scores(PostTransform transform, double* scores, size_t n);
void write_scores(PostTransform transform, double* scores, size_t n, float* to);
// The same for `rows` rows of n scores each, which lie one score of all rows behind the other; they
// come out as rows. `turned` has room for as many.
void write_score_columns(Isa isa, PostTransform transform, double* scores, double* turned,
                         size_t rows, size_t n, float* to);

// --- Labels.

// The class labels of a node, int64 or strings. INVALID_GRAPH unless exactly one of both attributes
// is there; `texts` and `numbers` are their names.
Result<Tensor> class_labels(const Node& node, std::string_view texts, std::string_view numbers);

// --- Attributes and records.

// Lists of floats; an empty one when it is missing.
std::vector<float> float_list(const Node& node, std::string_view name);
Tensor column_of(std::span<const float> values);
Tensor column_of(std::span<const double> values);
Tensor column_of(std::span<const int64_t> values);
// The params record and the columns behind it.
Status set_columns(PrepareContext& ctx, Bytes record, std::initializer_list<const Tensor*> columns);
template <typename T>
Status set_columns(PrepareContext& ctx, const T& params,
                   std::initializer_list<const Tensor*> columns) {
  return set_columns(ctx, Bytes(reinterpret_cast<const std::byte*>(&params), sizeof params),
                     columns);
}
// The next column, which must have this element type; `count` of elements unless it is negative.
Result<Column> take_column(Bytes& rest, DType dtype, int64_t count = -1);
// A column of labels: int64 or strings.
Result<Column> take_labels(Bytes& rest);
// The elements of a column of numbers: a record lies on a multiple of 8, and so do its columns.
template <typename T>
std::span<const T> numbers_of(const Column& column) {
  return {reinterpret_cast<const T*>(column.element(0)), column.count()};
}

}  // namespace ortc::cpu
