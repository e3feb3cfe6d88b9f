// SPDX-License-Identifier: MIT
// The domain com.microsoft: embeddings and attention of transformers.
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

Result<int64_t> head_count(const InferContext& ctx, std::string_view name) {
  const int64_t heads = ctx.node().int_attribute(name, 0);
  if (heads < 1 || heads > INT32_MAX) {
    return invalid_graph("attribute '", name, "' is ", heads, ", expected 1 to ", INT32_MAX);
  }
  return heads;
}

// `dim` divided by a number of heads.
Result<Dim> part_of(const Dim& dim, int64_t heads) {
  if (!dim.is_known()) return Dim::unknown();
  if (dim.value % heads != 0) {
    return invalid_graph(dim.value, " is not a multiple of ", heads, " heads");
  }
  return Dim::known(dim.value / heads);
}

// Output, ones of the mask, and the sum that was normalised.
Status infer_embed_layer_norm(InferContext& ctx) {
  RETURN_IF_ERROR(expect_rank(ctx, 0, 2));
  RETURN_IF_ERROR(expect_rank(ctx, 2, 2));
  const Shape* ids = input_shape(ctx, 0);
  const Shape* word = input_shape(ctx, 2);
  std::optional<Shape> y, counts;
  if (ids != nullptr) counts = {(*ids)[0]};
  if (ids != nullptr && word != nullptr) y = {(*ids)[0], (*ids)[1], (*word)[1]};
  set_tensor(ctx, 0, input_dtype(ctx, 2), y);
  set_tensor(ctx, 1, DType::kInt32, counts);
  set_tensor(ctx, 2, input_dtype(ctx, 2), y);
  return Status::ok();
}

// Sizes of queries, keys and values together, as columns of the weights.
struct Columns {
  Dim q, v;
};
Result<Columns> columns_of(const InferContext& ctx, const Dim& all) {
  const auto sizes = ctx.node().ints_attribute("qkv_hidden_sizes", {});
  if (!sizes.empty()) {
    if (sizes.size() != 3) {
      return invalid_graph("attribute 'qkv_hidden_sizes' has ", sizes.size(),
                           " numbers, expected 3");
    }
    for (const int64_t size : sizes) {
      if (size < 0) {
        return invalid_graph("attribute 'qkv_hidden_sizes' has ", size, ", expected 0 or more");
      }
    }
    return Columns{Dim::known(sizes[0]), Dim::known(sizes[2])};
  }
  if (!all.is_known()) return Columns{Dim::unknown(), Dim::unknown()};
  if (all.value % 3 != 0) {
    return invalid_graph("weights have ", all.value, " columns, expected a multiple of 3");
  }
  return Columns{Dim::known(all.value / 3), Dim::known(all.value / 3)};
}

Status infer_packed_attention(InferContext& ctx) {
  ASSIGN_OR_RETURN(const int64_t heads, head_count(ctx, "num_heads"));
  RETURN_IF_ERROR(same_dtype(ctx, 0, 1));
  RETURN_IF_ERROR(expect_rank(ctx, 0, 3));
  RETURN_IF_ERROR(expect_rank(ctx, 1, 2));
  RETURN_IF_ERROR(expect_rank(ctx, 4, 5));
  const Shape* x = input_shape(ctx, 0);
  const Shape* weights = input_shape(ctx, 1);
  const Shape* past = input_shape(ctx, 4);
  const Dim all = weights != nullptr ? (*weights)[1] : Dim::unknown();
  ASSIGN_OR_RETURN(const Columns columns, columns_of(ctx, all));
  ASSIGN_OR_RETURN(const Dim size, part_of(columns.q, heads));
  RETURN_IF_ERROR(part_of(columns.v, heads).status());
  std::optional<Shape> y, present;
  if (x != nullptr) {
    y = {(*x)[0], (*x)[1], columns.v};
    Dim total;
    if (!ctx.has_input(4)) total = (*x)[1];
    if (past != nullptr) total = add_dims((*past)[3], (*x)[1]);
    if (ctx.node().int_attribute("past_present_share_buffer", 0) != 0) {
      total = past != nullptr ? (*past)[3] : Dim::unknown();
    }
    present = {Dim::known(2), (*x)[0], Dim::known(heads), total, size};
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), y);
  set_tensor(ctx, 1, input_dtype(ctx, 0), present);
  return Status::ok();
}

// Sequence of keys and size of a value head, from whichever inputs hold them.
struct KeyDims {
  Dim sequence, value_size;
};
Result<KeyDims> key_dims(const InferContext& ctx, const Shape& query, int64_t heads) {
  if (!ctx.has_input(1)) {
    if (query.size() != 5) {
      return invalid_graph("without keys the query has rank ", query.size(), ", expected 5");
    }
    return KeyDims{query[1], query[4]};
  }
  KeyDims dims;
  if (const Shape* key = input_shape(ctx, 1)) {
    if (key->size() < 3 || key->size() > 5) {
      return invalid_graph("input 1 has rank ", key->size(), ", expected 3, 4 or 5");
    }
    dims.sequence = (*key)[key->size() == 4 ? 2 : 1];
    if (key->size() == 5) dims.value_size = (*key)[4];
  }
  if (const Shape* value = input_shape(ctx, 2)) {
    if (value->size() == 3) {
      ASSIGN_OR_RETURN(dims.value_size, part_of((*value)[2], heads));
    } else if (value->size() == 4) {
      dims.value_size = (*value)[3];
    } else {
      return invalid_graph("input 2 has rank ", value->size(), ", expected 3 or 4");
    }
  }
  return dims;
}

Status infer_multi_head_attention(InferContext& ctx) {
  ASSIGN_OR_RETURN(const int64_t heads, head_count(ctx, "num_heads"));
  const Shape* query = input_shape(ctx, 0);
  const Shape* past = input_shape(ctx, 6);
  RETURN_IF_ERROR(expect_rank(ctx, 6, 4));
  const DType dtype = input_dtype(ctx, 0);
  if (query == nullptr) {
    for (size_t i = 0; i < ctx.output_count(); ++i) set_tensor(ctx, i, dtype, {});
    return Status::ok();
  }
  if (query->size() != 3 && query->size() != 5) {
    return invalid_graph("input 0 has rank ", query->size(), ", expected 3 or 5");
  }
  ASSIGN_OR_RETURN(const KeyDims keys, key_dims(ctx, *query, heads));
  Dim size;
  if (query->size() == 5) {
    size = (*query)[4];
  } else {
    ASSIGN_OR_RETURN(size, part_of((*query)[2], heads));
  }
  Dim total;
  if (!ctx.has_input(6)) total = keys.sequence;
  if (past != nullptr) total = add_dims((*past)[2], keys.sequence);
  Dim present = total;
  if (ctx.has_input(8)) {  // of past and present in one buffer so much is in use
    present = past != nullptr ? (*past)[2] : Dim::unknown();
    const auto length = known_integers(ctx, 8);
    const bool is_length = length && length->size() == 1 && (*length)[0] >= 0;
    total = is_length ? add_dims(Dim::known((*length)[0]), keys.sequence) : Dim::unknown();
  }
  const Dim batch = (*query)[0], n = Dim::known(heads);
  set_tensor(ctx, 0, dtype, Shape{batch, (*query)[1], mul_dims(n, keys.value_size)});
  set_tensor(ctx, 1, dtype, Shape{batch, n, present, size});
  set_tensor(ctx, 2, dtype, Shape{batch, n, present, keys.value_size});
  set_tensor(ctx, 3, dtype, Shape{batch, n, (*query)[1], total});
  return Status::ok();
}

// --- GroupQueryAttention.

// The cache's type and the size of its rows, of heads of `size`: integers of 4 bits lie two to a
// byte.
struct CacheRows {
  DType dtype;
  Dim width;
};
CacheRows cache_rows(const InferContext& ctx, const Dim& size) {
  const Node& node = ctx.node();
  const auto type = node.string_attribute("k_quant_type", "NONE");
  const bool is_float = type == "NONE" || type.empty();
  const bool is_packed = !is_float && node.int_attribute("kv_cache_bit_width", 0) == 4;
  CacheRows rows{input_dtype(ctx, 0), size};
  if (!is_float) rows.dtype = is_packed ? DType::kUint8 : DType::kInt8;
  if (ctx.has_input(3)) rows.dtype = input_dtype(ctx, 3);
  if (is_packed && size.is_known()) rows.width = Dim::known(size.value / 2 + size.value % 2);
  if (is_packed && !size.is_known()) rows.width = Dim::unknown();
  return rows;
}

// The cache is as long as the longest entry, or as the one given when that is longer; one that
// slides keeps its length.
Dim cache_length(const InferContext& ctx) {
  const Shape* past = input_shape(ctx, 3);
  if (ctx.node().int_attribute("sliding_window_cache", 0) != 0) {
    return past != nullptr ? (*past)[2] : Dim::unknown();
  }
  const auto total = known_integers(ctx, 6);
  if (!total || total->size() != 1 || (past == nullptr && ctx.has_input(3))) return Dim::unknown();
  const Dim before = past != nullptr ? (*past)[2] : Dim::known(0);
  if (!before.is_known()) return Dim::unknown();
  return Dim::known(std::max<int64_t>((*total)[0], before.value));
}

// The length of the longest entry, for the scores.
Dim total_length(const InferContext& ctx) {
  const auto total = known_integers(ctx, 6);
  const bool is_length = total && total->size() == 1 && (*total)[0] >= 0;
  return is_length ? Dim::known((*total)[0]) : Dim::unknown();
}

Status infer_group_query_attention(InferContext& ctx) {
  ASSIGN_OR_RETURN(const int64_t heads, head_count(ctx, "num_heads"));
  ASSIGN_OR_RETURN(const int64_t kv_heads, head_count(ctx, "kv_num_heads"));
  RETURN_IF_ERROR(expect_rank(ctx, 0, 3));
  RETURN_IF_ERROR(expect_rank(ctx, 3, 4));
  const Shape* q = input_shape(ctx, 0);
  std::optional<Shape> y, cache, scores;
  Dim size;
  if (q != nullptr) {
    const int64_t in_query = ctx.has_input(1) ? heads : heads + 2 * kv_heads;
    ASSIGN_OR_RETURN(size, part_of((*q)[2], in_query));
    y = {(*q)[0], (*q)[1], mul_dims(Dim::known(heads), size)};
    scores = {(*q)[0], Dim::known(heads), (*q)[1], total_length(ctx)};
  }
  const CacheRows rows = cache_rows(ctx, size);
  if (q != nullptr) cache = {(*q)[0], Dim::known(kv_heads), cache_length(ctx), rows.width};
  set_tensor(ctx, 0, input_dtype(ctx, 0), y);
  set_tensor(ctx, 1, rows.dtype, cache);
  set_tensor(ctx, 2, rows.dtype, cache);
  set_tensor(ctx, 3, input_dtype(ctx, 0), scores);
  return Status::ok();
}

}  // namespace

std::span<const OpRow> microsoft_attention_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {kMicrosoftDomain, "Attention", 1, 2, 7, 1, 2, infer_packed_attention, "num_heads"},
      {kMicrosoftDomain, "EmbedLayerNormalization", 1, 7, 9, 1, 3, infer_embed_layer_norm},
      {kMicrosoftDomain, "GroupQueryAttention", 1, 7, 16, 1, 4, infer_group_query_attention,
       "kv_num_heads,num_heads"},
      {kMicrosoftDomain, "MultiHeadAttention", 1, 1, 10, 1, 4, infer_multi_head_attention,
       "num_heads"},
  };
  return kRows;
}

}  // namespace ortc
