// SPDX-License-Identifier: MIT
// What the predictors share: see the header.
#include "providers/cpu/kernels/ml/scores.h"

#include <algorithm>
#include <cmath>

#include "core/graph/one_of.h"
#include "providers/cpu/arith/maps_f64/maps_f64.h"
#include "providers/cpu/arith/reduce_f32/reduce_f32.h"
#include "providers/cpu/arith/turn/turn.h"

namespace ortc::cpu {

Result<FeatureRows> feature_rows(const ValueRef& x) {
  if (x.rank == 1) return FeatureRows{1, x.dim(0)};
  if (x.rank == 2) return FeatureRows{x.dim(0), x.dim(1)};
  return invalid_argument("input 0 has shape ", dims_to_string(x.dims()),
                          ", expected [rows, features] or [features]");
}

void read_features(const ValueRef& x, int64_t at, int64_t n, double* to) {
  const auto convert = [&](const auto* from) {
    for (int64_t i = 0; i < n; ++i) to[i] = static_cast<double>(from[at + i]);
  };
  switch (x.dtype) {
    case DType::kFloat32:
      return convert(x.as<float>());
    case DType::kFloat64:
      return convert(x.as<double>());
    case DType::kInt32:
      return convert(x.as<int32_t>());
    default:
      return convert(x.as<int64_t>());
  }
}

// --- Transforms.

namespace {

double logistic(double x) {
  const double e = std::exp(-std::fabs(x));
  return x < 0 ? e / (1 + e) : 1 / (1 + e);
}

// sqrt(2) erfinv(2 x - 1), after Winitzki.
double probit(double x) {
  const double centred = 2 * x - 1;
  const double product = (1 - centred) * (1 + centred);
  if (product == 0) return 0;
  constexpr double kA = 0.147, kPi = 3.14159265358979323846;
  const double log = std::log(product);
  const double half = 2 / (kPi * kA) + 0.5 * log;
  const double size = std::sqrt(std::sqrt(half * half - log / kA) - half);
  return 1.41421356 * (centred < 0 ? -size : size);
}

constexpr double kZero = 1e-7;  // smaller scores are no scores to SOFTMAX_ZERO

void softmax(double* scores, size_t n, bool skips_zeros) {
  const double largest = *std::max_element(scores, scores + n);
  double sum = 0;
  for (size_t i = 0; i < n; ++i) {
    const bool is_zero = skips_zeros && std::fabs(scores[i]) <= kZero;
    scores[i] = is_zero ? scores[i] * std::exp(-largest) : std::exp(scores[i] - largest);
    sum += scores[i];
  }
  for (size_t i = 0; i < n; ++i) scores[i] = sum == 0 ? 0.5 : scores[i] / sum;
}

}  // namespace

Result<PostTransform> post_transform_of(const Node& node) {
  ASSIGN_OR_RETURN(const uint32_t transform,
                   one_of(node, "post_transform", "NONE",
                          {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"}));
  return static_cast<PostTransform>(transform);
}

void transform_scores(PostTransform transform, double* scores, size_t n) {
  if (n == 0) return;
  switch (transform) {
    case PostTransform::kNone:
      return;
    case PostTransform::kSoftmax:
    case PostTransform::kSoftmaxZero:
      return softmax(scores, n, transform == PostTransform::kSoftmaxZero);
    case PostTransform::kLogistic:
      std::transform(scores, scores + n, scores, logistic);
      return;
    case PostTransform::kProbit:
      std::transform(scores, scores + n, scores, probit);
  }
}

void write_scores(PostTransform transform, double* scores, size_t n, float* to) {
  transform_scores(transform, scores, n);
  for (size_t i = 0; i < n; ++i) to[i] = static_cast<float>(scores[i]);
}

namespace {

// Of one row, with the bits that it has as a column.
void softmax_row(const MapsF64Kernels& maps, double* scores, size_t n) {
  const double top = maps.largest.row(scores, n);
  for (size_t i = 0; i < n; ++i) scores[i] -= top;
  maps.decay(scores, scores, n);
  double sum = scores[0];
  for (size_t i = 1; i < n; ++i) sum += scores[i];
  for (size_t i = 0; i < n; ++i) scores[i] /= sum;
}

bool has_zero(const double* scores, size_t n) {
  bool any = false;
  for (size_t i = 0; i < n; ++i) any |= std::fabs(scores[i]) <= kZero;
  return any;
}

}  // namespace

void write_score_columns(Isa isa, PostTransform transform, double* scores, double* turned,
                         size_t rows, size_t n, float* to) {
  const MapsF64Kernels& maps = maps_f64_kernels(isa);
  if (transform == PostTransform::kSoftmaxZero && !has_zero(scores, rows * n)) {
    transform = PostTransform::kSoftmax;
  }
  if (transform == PostTransform::kSoftmaxZero || transform == PostTransform::kProbit) {
    turn_of(isa, sizeof(double))(scores, rows, turned, n, n, rows);
    for (size_t row = 0; row < rows; ++row) {
      write_scores(transform, turned + row * n, n, to + row * n);
    }
    return;
  }
  constexpr size_t kFewRows = 4;  // beside which there are not enough columns
  if (transform == PostTransform::kSoftmax && rows <= kFewRows && n > rows) {
    turn_of(isa, sizeof(double))(scores, rows, turned, n, n, rows);
    for (size_t row = 0; row < rows; ++row) softmax_row(maps, turned + row * n, n);
    reduce_f32_kernels(isa).narrow(turned, 1.0, to, rows * n);
    return;
  }
  if (transform == PostTransform::kSoftmax) maps.softmax(scores, rows, n, rows);
  if (transform == PostTransform::kLogistic) maps.logistic(scores, scores, rows * n);
  auto* floats = n == 1 ? to : reinterpret_cast<float*>(turned);
  reduce_f32_kernels(isa).narrow(scores, 1.0, floats, rows * n);
  if (n != 1) turn_of(isa, sizeof(float))(floats, rows, to, n, n, rows);
}

// --- Labels.

Result<Tensor> class_labels(const Node& node, std::string_view texts, std::string_view numbers) {
  const Attribute *a = node.attribute(texts), *b = node.attribute(numbers);
  const bool has_texts = a != nullptr && !a->strings.empty();
  const bool has_numbers = b != nullptr && !b->ints.empty();
  if (has_texts == has_numbers) {
    return invalid_graph("expected one of the attributes '", texts, "' and '", numbers, "', found ",
                         has_texts ? "both" : "none");
  }
  if (has_numbers) return column_of(b->ints);
  std::vector<std::string> labels;
  for (const Blob& text : a->strings) labels.emplace_back(text.text());
  const auto count = static_cast<int64_t>(labels.size());
  return Tensor::strings({count}, std::move(labels));
}

// --- Attributes and records.

std::vector<float> float_list(const Node& node, std::string_view name) {
  const Attribute* attribute = node.attribute(name);
  return attribute != nullptr ? attribute->floats : std::vector<float>();
}

Tensor column_of(std::span<const float> values) {
  return Tensor::from<float>({static_cast<int64_t>(values.size())}, values);
}
Tensor column_of(std::span<const double> values) {
  return Tensor::from<double>({static_cast<int64_t>(values.size())}, values);
}
Tensor column_of(std::span<const int64_t> values) {
  return Tensor::from<int64_t>({static_cast<int64_t>(values.size())}, values);
}

Status set_columns(PrepareContext& ctx, Bytes params,
                   std::initializer_list<const Tensor*> columns) {
  std::string record(as_text(params));
  for (const Tensor* column : columns) RETURN_IF_ERROR(append_column(record, *column));
  ctx.set_params_bytes(as_bytes(record));
  return Status::ok();
}

Result<Column> take_column(Bytes& rest, DType dtype, int64_t count) {
  ASSIGN_OR_RETURN(const Column column, Column::read(rest));
  if (column.dtype() != dtype || (count >= 0 && column.count() != static_cast<size_t>(count))) {
    return invalid_graph("its params record has a list of ", column.count(), " ",
                         dtype_name(column.dtype()), ", expected ", count, " ", dtype_name(dtype));
  }
  return column;
}

Result<Column> take_labels(Bytes& rest) {
  ASSIGN_OR_RETURN(const Column labels, Column::read(rest));
  if (labels.dtype() == DType::kString || labels.dtype() == DType::kInt64) return labels;
  return invalid_graph("its params record has labels of ", dtype_name(labels.dtype()));
}

}  // namespace ortc::cpu
