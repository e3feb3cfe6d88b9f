// SPDX-License-Identifier: MIT
//   Shape(x), Size(x)                    ->   constant, where the dims of x are known
//   Gather(Shape(x), i), Slice(Shape(x)) ->   constant, where the picked dims are known
#include <algorithm>

#include "core/optimise/passes.h"
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"

namespace ortc {
namespace {

// The dims that a Shape node gives; nothing when the rank is unknown.
std::optional<Shape> shape_contents(const Graph& graph, const Node& node) {
  const Value* x = graph.value(node.input(0));
  if (!node.is_op("Shape") || x == nullptr || !x->type.has_shape()) return std::nullopt;
  const Shape& shape = *x->type.shape;
  const auto rank = static_cast<int64_t>(shape.size());
  const auto index = [&](std::string_view name, int64_t otherwise) {
    const int64_t value = node.int_attribute(name, otherwise);
    return std::clamp<int64_t>(value < 0 ? value + rank : value, 0, rank);
  };
  const int64_t start = index("start", 0), end = std::max(start, index("end", rank));
  return Shape(shape.begin() + start, shape.begin() + end);
}

std::optional<int64_t> product(const Shape& shape) {
  auto dims = static_dims(shape);
  return dims ? checked_element_count(*dims) : std::nullopt;
}

std::optional<Tensor> vector_of(std::optional<Dims> dims) {
  if (!dims) return std::nullopt;
  return Tensor::from<int64_t>({static_cast<int64_t>(dims->size())},
                               std::span<const int64_t>(*dims));
}

std::optional<Tensor> gathered(const Graph& graph, const Node& node, const Shape& contents) {
  const Tensor* indices = constant_of(graph, node.input(1));
  if (indices == nullptr || indices->dims().size() > 1) return std::nullopt;
  auto picks = indices->to_int64();
  if (!picks.is_ok()) return std::nullopt;
  const auto count = static_cast<int64_t>(contents.size());
  std::vector<int64_t> values;
  for (int64_t pick : *picks) {
    if (pick < -count || pick >= count) return std::nullopt;
    const Dim& dim = contents[static_cast<size_t>(pick < 0 ? pick + count : pick)];
    if (!dim.is_known()) return std::nullopt;
    values.push_back(dim.value);
  }
  return Tensor::from<int64_t>(indices->dims(), std::span<const int64_t>(values));
}

// Only forward slices of the one axis.
std::optional<Tensor> sliced(const Graph& graph, const Node& node, const Shape& contents) {
  if (node.opset() < 10) return std::nullopt;
  const auto starts = constant_integers(graph, node.input(1));
  const auto ends = constant_integers(graph, node.input(2));
  if (!starts || !ends || starts->size() != 1 || ends->size() != 1) return std::nullopt;
  if (node.input(3) != kNoValue) {
    const auto axes = constant_integers(graph, node.input(3));
    if (!axes || axes->size() != 1 || ((*axes)[0] != 0 && (*axes)[0] != -1)) return std::nullopt;
  }
  if (node.input(4) != kNoValue) {
    const auto steps = constant_integers(graph, node.input(4));
    if (!steps || steps->size() != 1 || (*steps)[0] != 1) return std::nullopt;
  }
  const auto count = static_cast<int64_t>(contents.size());
  const auto index = [count](int64_t value) {
    return std::clamp<int64_t>(value < 0 ? value + count : value, 0, count);
  };
  const int64_t start = index((*starts)[0]), end = std::max(start, index((*ends)[0]));
  return vector_of(static_dims(Shape(contents.begin() + start, contents.begin() + end)));
}

std::optional<Tensor> folded(const Graph& graph, const Node& node) {
  if (auto contents = shape_contents(graph, node)) return vector_of(static_dims(*contents));
  if (node.is_op("Size")) {
    const Value* x = graph.value(node.input(0));
    if (x == nullptr || !x->type.has_shape()) return std::nullopt;
    auto count = product(*x->type.shape);
    return count ? std::optional<Tensor>(Tensor::scalar<int64_t>(*count)) : std::nullopt;
  }
  const Node* source = graph.producer(node.input(0));
  if (source == nullptr) return std::nullopt;
  auto contents = shape_contents(graph, *source);
  if (!contents) return std::nullopt;
  if (node.is_op("Gather")) return gathered(graph, node, *contents);
  if (node.is_op("Slice")) return sliced(graph, node, *contents);
  return std::nullopt;
}

}  // namespace

Result<int> shape_folding(Graph& graph, const PassContext&) {
  return for_nodes(graph, [&graph](Node& node) -> Result<bool> {
    if (!node.domain().empty() || node.outputs().size() != 1) return false;
    if (node.output(0) == kNoValue) return false;
    auto tensor = folded(graph, node);
    if (!tensor) return false;
    const ValueId constant =
        graph.add_constant(graph.value(node.output(0))->name, std::move(*tensor));
    if (bypass(graph, node.id(), constant)) return true;
    graph.remove_value(constant);
    return false;
  });
}

}  // namespace ortc
