// SPDX-License-Identifier: MIT
// Parts of normalisations: see the header.
#include "core/optimise/norm_match.h"

namespace ortc {
namespace {

// True when `square` is d^2.
bool is_square_of(const Graph& graph, const Node* square, ValueId d) {
  if (square == nullptr) return false;
  if (square->is_op("Mul")) return square->input(0) == d && square->input(1) == d;
  return square->is_op("Pow") && square->input(0) == d &&
         is_scalar_beside(graph, square->input(1), 2.0, d);
}

// A constant vector as long as the last axis.
bool is_vector_beside(const Graph& graph, ValueId id, ValueId x) {
  const Tensor* tensor = constant_of(graph, id);
  const Value* data = graph.value(x);
  return tensor != nullptr && data->type.has_shape() && !data->type.shape->empty() &&
         tensor->dims().size() == 1 && tensor->dtype() == data->type.dtype &&
         data->type.shape->back().value == tensor->dims()[0];
}

}  // namespace

bool is_last_axis_mean(const Graph& graph, const Node* node) {
  if (node == nullptr || !node->is_op("ReduceMean") || node->int_attribute("keepdims", 1) == 0) {
    return false;
  }
  const auto axes = axes_of(*node);
  const auto rank = rank_of(graph, node->input(0));
  if (!axes || axes->size() != 1) return false;
  return (*axes)[0] == -1 || (rank && (*axes)[0] == static_cast<int64_t>(*rank) - 1);
}

std::optional<float> epsilon_of_root(Graph& graph, ValueId root, ValueId d) {
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

const Node* vector_node(Graph& graph, ValueId id, std::string_view op, ValueId x) {
  const Node* node = graph.only_consumer(id);
  if (node == nullptr || !node->is_op(op)) return nullptr;
  const ValueId vector = other_input(*node, id);
  return vector != kNoValue && is_vector_beside(graph, vector, x) ? node : nullptr;
}

}  // namespace ortc
