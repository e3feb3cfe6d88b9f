// SPDX-License-Identifier: MIT
//   d = x - ReduceMean(x)
//   d / Sqrt(ReduceMean(d^2) + epsilon) * scale [+ bias]   ->   LayerNormalization(x, scale, bias)
//
// Over the last axis, from opset 17 on (where ONNX has the operator). d^2 is Pow(d, 2) or d * d.
#include "core/optimise/passes.h"
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"

namespace ortc {
namespace {

// The statistics are computed in float32: what was double would lose precision.
constexpr TypeMask kTypes = mask_of(DType::kFloat32, DType::kFloat16);

bool is_last_axis_mean(const Graph& graph, const Node* node) {
  if (node == nullptr || !node->is_op("ReduceMean") || node->int_attribute("keepdims", 1) == 0) {
    return false;
  }
  const auto axes = axes_of(*node);
  const auto rank = rank_of(graph, node->input(0));
  if (!axes || axes->size() != 1) return false;
  return (*axes)[0] == -1 || (rank && (*axes)[0] == static_cast<int64_t>(*rank) - 1);
}

// x of d = x - mean(x); kNoValue when that is not what stands there. The mean is read by nobody
// else, d by `readers` nodes or operands.
ValueId centred_input(Graph& graph, ValueId d) {
  const Node* sub = graph.producer(d);
  if (sub == nullptr || !sub->is_op("Sub") || sub->opset() < 7) return kNoValue;
  const ValueId x = sub->input(0), mean = sub->input(1);
  const Node* reduce = graph.producer(mean);
  if (!is_last_axis_mean(graph, reduce) || reduce->input(0) != x ||
      graph.only_consumer(mean) != sub) {
    return kNoValue;
  }
  return x;
}

// True when `square` is d^2.
bool is_square_of(const Graph& graph, const Node* square, ValueId d) {
  if (square == nullptr) return false;
  if (square->is_op("Mul")) return square->input(0) == d && square->input(1) == d;
  return square->is_op("Pow") && square->input(0) == d &&
         is_scalar_beside(graph, square->input(1), 2.0, d);
}

// epsilon when `root` is Sqrt(mean(d^2) + epsilon) and nobody else reads what is between.
std::optional<float> epsilon_of(Graph& graph, ValueId root, ValueId d) {
  const Node* sqrt = graph.producer(root);
  if (sqrt == nullptr || !sqrt->is_op("Sqrt") || graph.only_consumer(root) == nullptr) {
    return std::nullopt;
  }
  const Node* add = graph.producer(sqrt->input(0));
  if (add == nullptr || !add->is_op("Add") || graph.only_consumer(sqrt->input(0)) != sqrt) {
    return std::nullopt;
  }
  for (size_t i = 0; i < 2; ++i) {
    const ValueId variance = add->input(i);
    const auto epsilon = scalar_of(graph, add->input(1 - i));
    const Node* reduce = graph.producer(variance);
    if (!epsilon || !is_scalar_beside(graph, add->input(1 - i), *epsilon, d) ||
        !is_last_axis_mean(graph, reduce) || graph.only_consumer(variance) != add) {
      continue;
    }
    const ValueId square = reduce->input(0);
    if (is_square_of(graph, graph.producer(square), d) && graph.only_consumer(square) == reduce) {
      return static_cast<float>(*epsilon);
    }
  }
  return std::nullopt;
}

// d is read by the square (once, or twice when it is d * d) and by the division, by nobody else.
bool is_read_here_only(const Graph& graph, ValueId d, const Node& square) {
  const Value& value = *graph.value(d);
  const size_t expected = square.is_op("Mul") ? 3 : 2;
  return !value.is_output && value.uses.size() == expected;
}

// A constant vector as long as the last axis.
bool is_vector_beside(const Graph& graph, ValueId id, ValueId x) {
  const Tensor* tensor = constant_of(graph, id);
  const Value* data = graph.value(x);
  return tensor != nullptr && data->type.has_shape() && !data->type.shape->empty() &&
         tensor->dims().size() == 1 && tensor->dtype() == data->type.dtype &&
         data->type.shape->back().value == tensor->dims()[0];
}

// The node behind `id` that combines it with a vector; null when there is none.
const Node* vector_node(Graph& graph, ValueId id, std::string_view op, ValueId x) {
  const Node* node = graph.only_consumer(id);
  if (node == nullptr || !node->is_op(op)) return nullptr;
  const ValueId vector = other_input(*node, id);
  return vector != kNoValue && is_vector_beside(graph, vector, x) ? node : nullptr;
}

}  // namespace

Result<int> layer_norm_fusion(Graph& graph, const PassContext& context) {
  if (graph.opset("") < 17) return 0;
  return for_nodes(graph, [&](Node& div) -> Result<bool> {
    if (!div.is_op("Div")) return false;
    const ValueId d = div.input(0);
    const ValueId x = centred_input(graph, d);
    if (x == kNoValue || (mask_of(dtype_of(graph, x)) & kTypes) == 0) return false;
    const auto epsilon = epsilon_of(graph, div.input(1), d);
    if (!epsilon) return false;
    const Node* add = graph.producer(graph.producer(div.input(1))->input(0));
    const Node* reduce = graph.producer(add->input(0));
    if (reduce == nullptr || !reduce->is_op("ReduceMean")) reduce = graph.producer(add->input(1));
    if (!is_read_here_only(graph, d, *graph.producer(reduce->input(0)))) return false;

    const Node* scaled = vector_node(graph, div.output(0), "Mul", x);
    if (scaled == nullptr) return false;
    NewNode made = {"LayerNormalization", "", {x, other_input(*scaled, div.output(0))}, {}};
    ValueId output = scaled->output(0);
    if (const Node* shifted = vector_node(graph, output, "Add", x)) {
      made.inputs.push_back(other_input(*shifted, output));
      output = shifted->output(0);
    }
    made.attributes.push_back(Attribute::of_int("axis", -1));
    made.attributes.push_back(Attribute::of_float("epsilon", *epsilon));
    ASSIGN_OR_RETURN(const Node* done,
                     replace_producer(graph, output, std::move(made), context.evaluator));
    return done != nullptr;
  });
}

}  // namespace ortc
