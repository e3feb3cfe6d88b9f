// SPDX-License-Identifier: MIT
// FlexAttention(Q, K, V) {scale, score_mod, prob_mod}, spelled out:
//
//   scores = MatMul(Q, Transpose(K)) * scale;  scores = score_mod(scores)
//   probs = prob_mod(Softmax(scores));  Y = MatMul(probs, V)
//
// The bodies' nodes come into the graph. Where several query heads share a key head, those lie
// below each other as rows of one product: [B, heads, L, H] as [B, key heads, heads / key heads L,
// H]. Everything is float32, in double for double; float16 and bfloat16 are cast at both ends.
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/fusions.h"
#include "providers/cpu/fusions/spelling.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kShapeOpset = 15;  // Shape with attributes
constexpr TypeMask kAttentionFloats =
    mask_of(DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBfloat16);

const Graph* body_of(const Node& node, std::string_view name) {
  const Attribute* body = node.attribute(name);
  return body != nullptr ? body->graph.get() : nullptr;
}

// One input, one output, and nodes that can be taken over as they are.
bool is_plain_body(const Graph& body) {
  if (body.inputs().size() != 1 || body.outputs().size() != 1) return false;
  for (NodeId id = 0; id < body.node_bound(); ++id) {
    const Node* node = body.node(id);
    if (node == nullptr) continue;
    if (!reads_known_domain(*node) || !node->subgraphs().empty() || node->callee() != kNoCallee) {
      return false;
    }
  }
  return true;
}

class FlexAttention {
 public:
  // `score_mod` and `prob_mod` are copies: the node's own go with it.
  FlexAttention(Graph& graph, NodeId id)
      : scale_(graph.node(id)->attribute("scale") != nullptr
                   ? std::optional<float>(graph.node(id)->float_attribute("scale", 1))
                   : std::nullopt),
        score_mod_(copy(graph, id, "score_mod")),
        prob_mod_(copy(graph, id, "prob_mod")),
        spelling_(graph, id),
        dtype_(spelling_.output_type().dtype),
        wide_(dtype_ == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32) {}

  Result<bool> replace() {
    const ValueId q = widened(0), k = widened(1), v = widened(2);
    const bool is_grouped = !heads_are_equal();
    ValueId rows = q;
    if (is_grouped) {
      group_ = int64_op("Mul", int64_op("Div", dims(0, 1, 2), dims(1, 1, 2)), dims(0, 2, 3));
      rows = reshaped(q, {dims(1, 0, 2), group_, dims(0, 3, 4)});
    }
    const ValueId turned =
        spelling_.add("Transpose", {k}, wide(), {Attribute::of_ints("perm", {0, 1, 3, 2})});
    const ValueId products = spelling_.add("MatMul", {rows, turned}, wide());
    ValueId scores = spelling_.add("Mul", {products, scale()}, wide());
    if (is_grouped) scores = reshaped(scores, {dims(0, 0, 3), dims(1, 2, 3)});
    scores = take_over(score_mod_.get(), scores);
    ValueId probs = spelling_.add("Softmax", {scores}, wide(), {Attribute::of_int("axis", -1)});
    probs = take_over(prob_mod_.get(), probs);
    if (is_grouped) probs = reshaped(probs, {dims(1, 0, 2), group_, dims(1, 2, 3)});
    ValueId y = spelling_.add("MatMul", {probs, v}, wide());
    if (is_grouped) y = reshaped(y, {dims(0, 0, 3), dims(2, 3, 4)});
    spelling_.give("Cast", {y}, {Attribute::of_int("to", static_cast<int64_t>(dtype_))});
    return spelling_.done();
  }

 private:
  static std::shared_ptr<Graph> copy(Graph& graph, NodeId id, std::string_view name) {
    const Graph* body = body_of(*graph.node(id), name);
    return body != nullptr ? body->clone(&graph) : nullptr;
  }
  static Type int64s() { return Type::tensor(DType::kInt64); }
  Type wide() const { return Type::tensor(wide_, unknown_dims()); }
  static Shape unknown_dims() { return Shape(4, Dim::unknown()); }

  ValueId widened(size_t i) {
    if (dtype_ == wide_) return spelling_.input(i);
    return spelling_.add("Cast", {spelling_.input(i)}, wide(),
                         {Attribute::of_int("to", static_cast<int64_t>(wide_))});
  }
  // Dims [start, end) of input i, as a vector.
  ValueId dims(size_t i, int64_t start, int64_t end) {
    return spelling_.add("Shape", {spelling_.input(i)}, int64s(),
                         {Attribute::of_int("start", start), Attribute::of_int("end", end)});
  }
  ValueId int64_op(std::string op, ValueId a, ValueId b) {
    return spelling_.add(std::move(op), {a, b}, int64s());
  }
  ValueId reshaped(ValueId x, std::vector<ValueId> parts) {
    const ValueId shape =
        spelling_.add("Concat", std::move(parts), int64s(), {Attribute::of_int("axis", 0)});
    return spelling_.add("Reshape", {x, shape}, wide(), {Attribute::of_int("allowzero", 1)});
  }
  bool heads_are_equal() const {
    const Shape *q = known_shape(spelling_.graph(), spelling_.input(0)),
                *k = known_shape(spelling_.graph(), spelling_.input(1));
    return q != nullptr && k != nullptr && (*q)[1].same_as((*k)[1]);
  }
  ValueId scale() {
    if (scale_) return number(*scale_);
    const ValueId size = spelling_.add("Cast", {dims(0, 3, 4)}, Type::tensor(wide_),
                                       {Attribute::of_int("to", static_cast<int64_t>(wide_))});
    const ValueId root = spelling_.add("Sqrt", {size}, Type::tensor(wide_));
    return spelling_.add("Reciprocal", {root}, Type::tensor(wide_));
  }
  ValueId number(float x) {
    return spelling_.constant(wide_ == DType::kFloat64 ? Tensor::scalar(double{x})
                                                       : Tensor::scalar(x));
  }

  // The body's nodes over `x`, and what its output is then.
  ValueId take_over(const Graph* body, ValueId x) {
    if (body == nullptr) return x;
    std::vector<ValueId> here(body->value_bound(), kNoValue);
    for (ValueId id = 0; id < body->value_bound(); ++id) {
      const Value* value = body->value(id);
      if (value == nullptr) continue;
      if (value->is_captured()) here[id] = value->outer_value;
      if (const Tensor* constant = value->constant()) here[id] = spelling_.constant(*constant);
    }
    here[body->inputs()[0]] = x;
    const auto order = body->topological_order();
    if (!order.is_ok()) return kNoValue;  // the body was verified when it was read
    for (const NodeId id : *order) take_over_node(*body->node(id), *body, here);
    return here[body->outputs()[0]];
  }
  void take_over_node(const Node& node, const Graph& body, std::vector<ValueId>& here) {
    std::vector<ValueId> inputs, outputs;
    for (const ValueId id : node.inputs()) inputs.push_back(id == kNoValue ? id : here[id]);
    for (const ValueId id : node.outputs()) {
      if (id != kNoValue) here[id] = spelling_.value(without_symbols(body.value(id)->type));
      outputs.push_back(id == kNoValue ? id : here[id]);
    }
    spelling_.place(node.op_type(), node.domain(), std::move(inputs), std::move(outputs),
                    node.attributes());
  }
  // A name of a dim means another number outside of the body.
  static Type without_symbols(Type type) {
    if (!type.has_shape()) return type;
    for (Dim& dim : *type.shape) dim = dim.is_known() ? Dim::known(dim.value) : Dim::unknown();
    return type;
  }

  const std::optional<float> scale_;
  const std::shared_ptr<Graph> score_mod_, prob_mod_;
  Spelling spelling_;
  const DType dtype_, wide_;
  ValueId group_ = kNoValue;  // rows of a key head
};

}  // namespace

bool is_flex_attention(const Node& node) {
  if (!node.is_op("FlexAttention", "ai.onnx.preview")) return false;
  const Graph& graph = *node.graph();
  const int64_t opset = graph.opset("");
  if (opset > 0 && opset < kShapeOpset) return false;
  if ((mask_of(dtype_of(graph, node.output(0))) & kAttentionFloats) == 0) return false;
  for (const std::string_view name : {"score_mod", "prob_mod"}) {
    const Graph* body = body_of(node, name);
    if (body != nullptr && !is_plain_body(*body)) return false;
  }
  const int64_t wide =
      dtype_of(graph, node.output(0)) == DType::kFloat64 ? 11 : 1;  // as ONNX numbers types
  return node.int_attribute("softmax_precision", wide) == wide;
}

Result<int> flex_attention(Graph& graph, const KernelRegistry&) {
  return for_nodes(graph, [&graph](Node& node) -> Result<bool> {
    if (!is_flex_attention(node)) return false;
    import_domain(graph, "", kShapeOpset);
    return FlexAttention(graph, node.id()).replace();
  });
}

}  // namespace ortc::cpu
