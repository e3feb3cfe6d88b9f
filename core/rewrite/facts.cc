// SPDX-License-Identifier: MIT
// Facts about a graph: see the header.
#include "core/rewrite/facts.h"

#include <algorithm>
#include <cmath>

#include "core/base/float16.h"

namespace ortc {

const Tensor* constant_of(const Graph& graph, ValueId id) {
  const Graph* place = &graph;
  const Value* value = place->value(id);
  while (value != nullptr && value->is_captured() && place->parent() != nullptr) {
    place = place->parent();
    value = place->value(value->outer_value);
  }
  return value != nullptr ? value->constant() : nullptr;
}

std::optional<std::vector<double>> constant_numbers(const Graph& graph, ValueId id) {
  const Tensor* tensor = constant_of(graph, id);
  if (tensor == nullptr) return std::nullopt;
  std::vector<double> numbers;
  numbers.reserve(static_cast<size_t>(tensor->element_count()));
  switch (tensor->dtype()) {
    case DType::kFloat32:
      for (float x : tensor->elements<float>()) numbers.push_back(static_cast<double>(x));
      return numbers;
    case DType::kFloat64:
      for (double x : tensor->elements<double>()) numbers.push_back(x);
      return numbers;
    case DType::kFloat16:
      for (uint16_t x : tensor->elements<uint16_t>()) {
        numbers.push_back(static_cast<double>(half_to_float(x)));
      }
      return numbers;
    default:
      return std::nullopt;
  }
}

std::optional<double> scalar_of(const Graph& graph, ValueId id) {
  const Tensor* tensor = constant_of(graph, id);
  if (tensor == nullptr || tensor->element_count() != 1) return std::nullopt;
  if (auto numbers = constant_numbers(graph, id)) return (*numbers)[0];
  auto integers = tensor->to_int64();
  return integers.is_ok() ? std::optional<double>(static_cast<double>((*integers)[0]))
                          : std::nullopt;
}

bool is_scalar(const Graph& graph, ValueId id, double number) {
  const auto value = scalar_of(graph, id);
  if (!value) return false;
  // In half precision the constant is the nearest half; elsewhere exporters differ in the last
  // bits.
  if (dtype_of(graph, id) == DType::kFloat16) {
    return *value == static_cast<double>(half_to_float(float_to_half(static_cast<float>(number))));
  }
  return std::fabs(*value - number) <= 1e-6 * std::fabs(number);
}

bool is_scalar_beside(const Graph& graph, ValueId id, double number, ValueId data) {
  if (!is_scalar(graph, id, number)) return false;
  const auto rank = rank_of(graph, data);
  const size_t own = constant_of(graph, id)->dims().size();
  return own == 0 || (rank && own <= *rank);
}

std::optional<std::vector<int64_t>> constant_integers(const Graph& graph, ValueId id) {
  const Tensor* tensor = constant_of(graph, id);
  if (tensor == nullptr || tensor->dims().size() > 1) return std::nullopt;
  auto integers = tensor->to_int64();
  if (!integers.is_ok()) return std::nullopt;
  return std::move(*integers);
}

DType dtype_of(const Graph& graph, ValueId id) {
  const Value* value = graph.value(id);
  return value != nullptr && value->type.is_tensor() ? value->type.dtype : DType::kUndefined;
}

std::optional<size_t> rank_of(const Graph& graph, ValueId id) {
  const Value* value = graph.value(id);
  if (value == nullptr || !value->type.has_shape()) return std::nullopt;
  return value->type.shape->size();
}

std::optional<Dims> dims_of(const Graph& graph, ValueId id) {
  const Value* value = graph.value(id);
  return value != nullptr ? value->type.dims() : std::nullopt;
}

bool same_static_shape(const Graph& graph, ValueId a, ValueId b) {
  const auto left = dims_of(graph, a), right = dims_of(graph, b);
  return left && right && *left == *right;
}

bool same_shape(const Graph& graph, ValueId a, ValueId b) {
  const Value *left = graph.value(a), *right = graph.value(b);
  if (left == nullptr || right == nullptr || !left->type.has_shape() || !right->type.has_shape()) {
    return false;
  }
  const Shape &x = *left->type.shape, &y = *right->type.shape;
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](const Dim& p, const Dim& q) { return p.same_as(q); });
}

std::optional<std::vector<int64_t>> axes_of(const Node& node) {
  if (node.attribute("axes") != nullptr) return node.ints_attribute("axes");
  if (node.input(1) == kNoValue) return std::vector<int64_t>{};
  return constant_integers(*node.graph(), node.input(1));
}

std::optional<std::vector<int64_t>> permutation_of(const Node& node) {
  const auto rank = rank_of(*node.graph(), node.input(0));
  if (!node.is_op("Transpose") || node.callee() != kNoCallee || !rank) return std::nullopt;
  std::vector<int64_t> perm = node.ints_attribute("perm");
  if (node.attribute("perm") == nullptr) {
    for (size_t i = *rank; i > 0; --i) perm.push_back(static_cast<int64_t>(i) - 1);
  }
  if (perm.size() != *rank) return std::nullopt;
  for (int64_t& axis : perm) {
    if (axis < 0) axis += static_cast<int64_t>(*rank);
    if (axis < 0 || axis >= static_cast<int64_t>(*rank)) return std::nullopt;
  }
  return perm;
}

bool broadcasts_as_numpy(const Node& node) {
  const Graph& graph = *node.graph();
  return graph.opset("") >= 7 || std::ranges::all_of(node.inputs(), [&](ValueId id) {
           return same_shape(graph, node.input(0), id);
         });
}

ValueId other_input(const Node& node, ValueId id) {
  if (node.inputs().size() != 2 || (node.input(0) == id) == (node.input(1) == id)) return kNoValue;
  return node.input(0) == id ? node.input(1) : node.input(0);
}

bool is_unread(const Graph& graph, ValueId id) {
  const Value* value = graph.value(id);
  return value == nullptr || (value->uses.empty() && !value->is_output);
}

bool only_output_is_read(const Node& node) {
  for (size_t i = 1; i < node.outputs().size(); ++i) {
    if (node.output(i) != kNoValue && !is_unread(*node.graph(), node.output(i))) return false;
  }
  return node.output(0) != kNoValue;
}

bool is_one_of(const Node& node, std::span<const std::string_view> names) {
  return node.domain().empty() && node.custom() == nullptr &&
         std::ranges::find(names, node.op_type()) != names.end();
}

bool reads_known_domain(const Node& node) {
  return node.custom() == nullptr && (node.domain().empty() || node.domain() == kMicrosoftDomain);
}

bool is_deterministic(const Node& node) {
  if (!reads_known_domain(node) || node.op_type() == "EPContext") return false;
  for (const char* op :
       {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial",
        "Bernoulli", "Dropout", "BiasDropout", "BitmaskDropout", "BitmaskBiasDropout"}) {
    if (node.op_type() == op) return false;
  }
  // The training form of BatchNormalization updates statistics.
  return !node.is_op("BatchNormalization") || node.int_attribute("training_mode", 0) == 0;
}

std::optional<float> constant_scalar(const Graph& graph, ValueId id) {
  const Value* value = graph.value(id);
  const Tensor* tensor = value != nullptr ? value->constant() : nullptr;
  if (tensor == nullptr || tensor->dtype() != DType::kFloat32 || tensor->element_count() != 1) {
    return std::nullopt;
  }
  return tensor->elements<float>()[0];
}

bool is_float32(const Graph& graph, ValueId id) {
  const Value* value = graph.value(id);
  return value != nullptr && value->type.is_tensor() && value->type.dtype == DType::kFloat32;
}

const Shape* known_shape(const Graph& graph, ValueId id) {
  const Value* value = graph.value(id);
  return value != nullptr && value->type.has_shape() ? &*value->type.shape : nullptr;
}

}  // namespace ortc
