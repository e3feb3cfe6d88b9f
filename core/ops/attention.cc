// SPDX-License-Identifier: MIT
// Attention and its relatives.
//
// Queries, keys and values come as [batch, heads, sequence, head size] or packed as
// [batch, sequence, heads * head size] with the head counts as attributes.
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

struct Heads {
  Dim batch, heads, sequence, size;
};

// The four dims of an input, unpacked; nothing when its rank is unknown.
Result<std::optional<Heads>> heads_of(const InferContext& ctx, size_t i, std::string_view count) {
  const Shape* shape = input_shape(ctx, i);
  if (shape == nullptr) return std::optional<Heads>();
  if (shape->size() == 4) {
    return std::optional<Heads>({(*shape)[0], (*shape)[1], (*shape)[2], (*shape)[3]});
  }
  if (shape->size() != 3) {
    return invalid_graph("input ", i, " has rank ", shape->size(), ", expected 3 or 4");
  }
  const int64_t heads = ctx.node().int_attribute(count, 0);
  if (heads <= 0) return invalid_graph("inputs of rank 3 need the attribute '", count, "'");
  const Dim& packed = (*shape)[2];
  if (packed.is_known() && packed.value % heads != 0) {
    return invalid_graph("input ", i, ": ", packed.value, " is not a multiple of ", heads,
                         " heads");
  }
  const Dim size = packed.is_known() ? Dim::known(packed.value / heads) : Dim::unknown();
  return std::optional<Heads>({(*shape)[0], Dim::known(heads), (*shape)[1], size});
}

Status infer_attention(InferContext& ctx) {
  const DType q_type = input_dtype(ctx, 0), v_type = input_dtype(ctx, 2);
  ASSIGN_OR_RETURN(auto q, heads_of(ctx, 0, "q_num_heads"));
  ASSIGN_OR_RETURN(auto k, heads_of(ctx, 1, "kv_num_heads"));
  ASSIGN_OR_RETURN(auto v, heads_of(ctx, 2, "kv_num_heads"));
  std::optional<Shape> y, present_key, present_value, scores;
  const Shape* past = input_shape(ctx, 4);
  Dim total;
  if (k && !ctx.has_input(4)) total = k->sequence;
  if (k && past != nullptr && past->size() == 4) total = add_dims((*past)[2], k->sequence);
  if (q && v) {
    y = input_shape(ctx, 0)->size() == 4
            ? Shape{q->batch, q->heads, q->sequence, v->size}
            : Shape{q->batch, q->sequence, mul_dims(q->heads, v->size)};
  }
  if (k) present_key = {k->batch, k->heads, total, k->size};
  if (v) present_value = {v->batch, v->heads, total, v->size};
  if (q) scores = {q->batch, q->heads, q->sequence, total};
  set_tensor(ctx, 0, q_type, y);
  set_tensor(ctx, 1, q_type, present_key);
  set_tensor(ctx, 2, v_type, present_value);
  set_tensor(ctx, 3, q_type, scores);
  return Status::ok();
}

// The bodies see all scores, or all weights of values, at once and keep their shape.
Status infer_modification(InferContext& ctx, std::string_view name, const Type& scores) {
  const Attribute* body = ctx.node().attribute(name);
  if (body == nullptr || !body->graph) return Status::ok();
  const Graph& graph = *body->graph;
  if (graph.inputs().size() != 1 || graph.outputs().size() != 1) {
    return invalid_graph("attribute '", name, "' has ", graph.inputs().size(), " inputs and ",
                         graph.outputs().size(), " outputs, expected one each");
  }
  ASSIGN_OR_RETURN(const auto outputs, ctx.infer_subgraph(*body->graph, {scores}));
  const bool fits = outputs[0].dtype == DType::kUndefined || scores.dtype == DType::kUndefined ||
                    outputs[0].dtype == scores.dtype;
  if (fits) return Status::ok();
  return invalid_graph("attribute '", name, "' gives ", dtype_name(outputs[0].dtype), ", expected ",
                       dtype_name(scores.dtype));
}

Status infer_flex_attention(InferContext& ctx) {
  for (size_t i = 0; i < 3; ++i) RETURN_IF_ERROR(expect_rank(ctx, i, 4));
  const Shape* q = input_shape(ctx, 0);
  const Shape* k = input_shape(ctx, 1);
  const Shape* v = input_shape(ctx, 2);
  DType wide = input_dtype(ctx, 0);
  if (wide == DType::kFloat16 || wide == DType::kBfloat16) wide = DType::kFloat32;
  if (wide != DType::kUndefined) {
    Shape scores = unknown_shape(4);
    if (q != nullptr) std::copy_n(q->begin(), 3, scores.begin());
    if (k != nullptr) scores[3] = (*k)[2];
    const Type type = Type::tensor(wide, scores);
    RETURN_IF_ERROR(infer_modification(ctx, "score_mod", type));
    RETURN_IF_ERROR(infer_modification(ctx, "prob_mod", type));
  }
  std::optional<Shape> y;
  if (q != nullptr && v != nullptr && q->size() == 4 && v->size() == 4) {
    y = {(*q)[0], (*q)[1], (*q)[2], (*v)[3]};
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), y);
  return Status::ok();
}

Status infer_linear_attention(InferContext& ctx) {
  const Shape* q = input_shape(ctx, 0);
  const Shape* v = input_shape(ctx, 2);
  const int64_t q_heads = ctx.node().int_attribute("q_num_heads", 0);
  const int64_t kv_heads = ctx.node().int_attribute("kv_num_heads", 0);
  if (q_heads <= 0 || kv_heads <= 0 || q_heads % kv_heads != 0) {
    return invalid_graph("q_num_heads ", q_heads, " is not a positive multiple of kv_num_heads ",
                         kv_heads);
  }
  RETURN_IF_ERROR(expect_rank(ctx, 0, 3));
  RETURN_IF_ERROR(expect_rank(ctx, 2, 3));
  const auto part = [](const Dim& dim, int64_t heads) {
    return dim.is_known() && dim.value % heads == 0 ? Dim::known(dim.value / heads)
                                                    : Dim::unknown();
  };
  std::optional<Shape> y, state;
  if (q != nullptr && v != nullptr) {
    const Dim q_size = part((*q)[2], q_heads), v_size = part((*v)[2], kv_heads);
    y = {(*q)[0], (*q)[1], mul_dims(Dim::known(q_heads), v_size)};
    state = {(*q)[0], Dim::known(kv_heads), q_size, v_size};
  }
  set_tensor(ctx, 0, input_dtype(ctx, 0), y);
  const DType state_type = input_dtype(ctx, ctx.has_input(3) ? 3 : 0);
  set_tensor(ctx, 1, state_type, state);
  return Status::ok();
}

}  // namespace

std::span<const OpRow> attention_rows() {
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {"", "Attention", 23, 3, 6, 1, 4, infer_attention},
      {"", "Attention", 24, 3, 7, 1, 4, infer_attention},
      {"", "Attention", 25, 3, 7, 1, 4, infer_attention},
      {"", "LinearAttention", 27, 3, 6, 2, 2, infer_linear_attention, "kv_num_heads,q_num_heads"},
      {"", "RotaryEmbedding", 23, 3, 4, 1, 1, infer_same_type},
      {"ai.onnx.preview", "FlexAttention", 1, 3, 3, 1, 1, infer_flex_attention},
  };
  return kRows;
}

}  // namespace ortc
