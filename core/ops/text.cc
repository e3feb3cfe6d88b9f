// SPDX-License-Identifier: MIT
// Strings, and what is decoded from bytes.
#include <algorithm>

#include "core/graph/one_of.h"
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

Status infer_string_concat(InferContext& ctx) { return infer_broadcast(ctx, 0, 2, DType::kString); }

Status infer_string_split(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  std::optional<Shape> counts, parts;
  if (x != nullptr) {
    counts = parts = *x;
    parts->push_back(Dim::unknown());
  }
  set_tensor(ctx, 0, DType::kString, std::move(parts));
  set_tensor(ctx, 1, DType::kInt64, std::move(counts));
  return Status::ok();
}

// Stop words go away, so the last axis is not known.
Status infer_string_normalizer(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  std::optional<Shape> shape;
  if (x != nullptr) {
    if (x->empty() || x->size() > 2)
      return invalid_graph("input has rank ", x->size(), ", expected 1 or 2");
    shape = *x;
    shape->back() = Dim::unknown();
  }
  set_tensor(ctx, 0, DType::kString, std::move(shape));
  return Status::ok();
}

Status infer_tokenizer(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  std::optional<Shape> shape;
  if (x != nullptr) {
    if (x->empty() || x->size() > 2)
      return invalid_graph("input has rank ", x->size(), ", expected 1 or 2");
    shape = *x;
    shape->push_back(Dim::unknown());
  }
  set_tensor(ctx, 0, DType::kString, std::move(shape));
  return Status::ok();
}

// The last axis becomes a count for each n-gram.
Status infer_tfidf(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  const auto indexes = ctx.node().ints_attribute("ngram_indexes");
  std::optional<Shape> shape;
  if (x != nullptr && !indexes.empty()) {
    if (x->empty() || x->size() > 2)
      return invalid_graph("input has rank ", x->size(), ", expected 1 or 2");
    const int64_t last = *std::max_element(indexes.begin(), indexes.end());
    if (last < 0 || last == INT64_MAX) {
      return invalid_graph("attribute 'ngram_indexes' holds ", last, ", expected 0 or more");
    }
    shape = *x;
    shape->back() = Dim::known(last + 1);
  }
  set_tensor(ctx, 0, DType::kFloat32, std::move(shape));
  return Status::ok();
}

Status infer_image_decoder(InferContext& ctx) {
  const Shape* x = input_shape(ctx, 0);
  if (x != nullptr && x->size() != 1) {
    return invalid_graph("input has rank ", x->size(), ", expected the bytes of a file, rank 1");
  }
  ASSIGN_OR_RETURN(const uint32_t format,
                   one_of(ctx.node(), "pixel_format", "RGB", {"RGB", "BGR", "Grayscale"}));
  const bool is_grey = format == 2;
  set_tensor(ctx, 0, DType::kUint8,
             Shape{Dim::unknown(), Dim::unknown(), Dim::known(is_grey ? 1 : 3)});
  return Status::ok();
}

}  // namespace

std::span<const OpRow> text_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "ImageDecoder", 20, 1, 1, 1, 1, infer_image_decoder},
      {"", "RegexFullMatch", 20, 1, 1, 1, 1, infer_bool_like, "pattern"},
      {"", "StringConcat", 20, 2, 2, 1, 1, infer_string_concat},
      {"", "StringNormalizer", 10, 1, 1, 1, 1, infer_string_normalizer},
      {"", "StringSplit", 20, 1, 1, 2, 2, infer_string_split},
      {"", "TfIdfVectorizer", 9, 1, 1, 1, 1, infer_tfidf,
       "max_gram_length,max_skip_count,min_gram_length,mode,ngram_counts,ngram_indexes"},
      {"com.microsoft", "Tokenizer", 1, 1, 1, 1, 1, infer_tokenizer, "mark,mincharnum,pad_value"},
  };
  return kRows;
}

}  // namespace ortc
