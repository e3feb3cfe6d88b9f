// SPDX-License-Identifier: MIT
// Questions about quantised graphs: see the header.
#include "providers/cpu/fusions/quantised/quantised_match.h"

#include <cmath>

namespace ortc::cpu {
namespace {

bool is_either(const Node& node, std::string_view op) {
  return node.is_op(op) || node.is_op(op, kMicrosoftDomain);
}

const Tensor* constant_at(const Graph& graph, ValueId id) {
  const Value* value = graph.value(id);
  return value != nullptr ? value->constant() : nullptr;
}

bool holds_one_number(const Tensor& tensor) {
  return tensor.element_count() == 1 && tensor.dims().size() <= 1;
}

int32_t byte_at(const Tensor& tensor, size_t i) {
  return tensor.dtype() == DType::kInt8 ? int32_t{tensor.elements<int8_t>()[i]}
                                        : int32_t{tensor.elements<uint8_t>()[i]};
}

// Kernels multiply by the inverse as well.
bool is_scale(float scale) {
  return scale > 0.0f && std::isnormal(scale) && std::isnormal(1.0f / scale);
}

// The type of the integers on either side.
DType integer_type(const Graph& graph, const Node& node) {
  if (is_dequantize(node)) return graph.value(node.input(0))->type.dtype;
  if (const Value* zero = graph.value(node.input(2))) return zero->type.dtype;
  const int64_t wanted = node.int_attribute("output_dtype", 0);
  return dtype_is_valid(wanted) ? static_cast<DType>(wanted) : DType::kUint8;
}

}  // namespace

bool is_quantize(const Node& node) { return is_either(node, "QuantizeLinear"); }
bool is_dequantize(const Node& node) { return is_either(node, "DequantizeLinear"); }

std::optional<QuantParams> quant_params(const Graph& graph, const Node& node) {
  const Tensor* scale = constant_at(graph, node.input(1));
  if (scale == nullptr || scale->dtype() != DType::kFloat32 || !holds_one_number(*scale) ||
      node.int_attribute("block_size", 0) != 0 || node.int_attribute("precision", 0) != 0) {
    return std::nullopt;
  }
  QuantParams params;
  params.scale = scale->elements<float>()[0];
  params.dtype = integer_type(graph, node);
  if ((mask_of(params.dtype) & kInt8Types) == 0 || !is_scale(params.scale)) return std::nullopt;
  if (node.input(2) == kNoValue) return params;
  const Tensor* zero = constant_at(graph, node.input(2));
  if (zero == nullptr || zero->dtype() != params.dtype || !holds_one_number(*zero)) {
    return std::nullopt;
  }
  params.zero = byte_at(*zero, 0);
  return params;
}

std::optional<Dequantised> dequantised(const Graph& graph, ValueId id) {
  const Node* node = graph.producer(id);
  if (node == nullptr || !is_dequantize(*node) || !is_float32(graph, id)) return std::nullopt;
  const auto params = quant_params(graph, *node);
  if (!params) return std::nullopt;
  return Dequantised{node->input(0), *params, node->id()};
}

Node* only_quantizer(Graph& graph, ValueId id) {
  Node* node = graph.only_consumer(id);
  const bool fits = node != nullptr && is_quantize(*node) && node->input(0) == id &&
                    is_float32(graph, id) && quant_params(graph, *node);
  return fits ? node : nullptr;
}

std::optional<DequantisedWeights> dequantised_weights(const Graph& graph, ValueId id) {
  const Node* node = graph.producer(id);
  if (node == nullptr || !is_dequantize(*node) || !is_float32(graph, id)) return std::nullopt;
  const Tensor* w = constant_at(graph, node->input(0));
  const Tensor* scale = constant_at(graph, node->input(1));
  if (w == nullptr || scale == nullptr || (mask_of(w->dtype()) & kInt8Types) == 0 ||
      scale->dtype() != DType::kFloat32 || scale->dims().size() > 1 || scale->element_count() < 1 ||
      node->int_attribute("block_size", 0) != 0) {
    return std::nullopt;
  }
  DequantisedWeights weights;
  weights.w = node->input(0);
  weights.scales.assign(scale->elements<float>().begin(), scale->elements<float>().end());
  for (float s : weights.scales) {
    if (!is_scale(s)) return std::nullopt;
  }
  const auto rank = static_cast<int64_t>(w->dims().size());
  const int64_t axis = node->int_attribute("axis", 1);
  if (weights.scales.size() > 1) {
    if (axis < -rank || axis >= rank) return std::nullopt;
    weights.axis = static_cast<size_t>(axis < 0 ? axis + rank : axis);
    if (w->dims()[weights.axis] != scale->element_count()) return std::nullopt;
  }
  if (node->input(2) == kNoValue) return weights;
  const Tensor* zero = constant_at(graph, node->input(2));
  if (zero == nullptr || zero->dtype() != w->dtype() ||
      zero->element_count() != scale->element_count()) {
    return std::nullopt;
  }
  weights.zero = node->input(2);
  return weights;
}

std::optional<ConstantNumbers> constant_vector(const Graph& graph, ValueId id, int64_t count) {
  ConstantNumbers result;
  const Tensor* constant = constant_at(graph, id);
  if (constant != nullptr) {
    if (constant->dtype() != DType::kFloat32 || constant->element_count() != count ||
        constant->dims().empty() || constant->dims().back() != count) {
      return std::nullopt;
    }
    result.numbers.assign(constant->elements<float>().begin(), constant->elements<float>().end());
    return result;
  }
  const Node* node = graph.producer(id);
  if (node == nullptr || !is_dequantize(*node) || !is_float32(graph, id)) return std::nullopt;
  const Tensor* x = constant_at(graph, node->input(0));
  const Tensor* scale = constant_at(graph, node->input(1));
  if (x == nullptr || scale == nullptr || x->dtype() != DType::kInt32 || x->dims().size() != 1 ||
      x->element_count() != count || scale->dtype() != DType::kFloat32 ||
      scale->dims().size() > 1 || node->int_attribute("block_size", 0) != 0 ||
      (scale->element_count() != 1 && scale->element_count() != count)) {
    return std::nullopt;
  }
  if (node->input(2) != kNoValue) {
    const Tensor* zero = constant_at(graph, node->input(2));
    if (zero == nullptr || zero->dtype() != DType::kInt32) return std::nullopt;
    for (int32_t z : zero->elements<int32_t>()) {
      if (z != 0) return std::nullopt;
    }
  }
  result.integers = node->input(0);
  result.scales.assign(scale->elements<float>().begin(), scale->elements<float>().end());
  const auto from = x->elements<int32_t>();
  for (size_t i = 0; i < from.size(); ++i) {
    result.numbers.push_back(static_cast<float>(from[i]) *
                             result.scales[result.scales.size() > 1 ? i : 0]);
  }
  return result;
}

ValueId add_zero(Graph& graph, const QuantParams& params) {
  return params.dtype == DType::kInt8
             ? graph.add_constant("zero_point", Tensor::scalar(static_cast<int8_t>(params.zero)))
             : graph.add_constant("zero_point", Tensor::scalar(static_cast<uint8_t>(params.zero)));
}

ValueId add_floats(Graph& graph, std::string_view name, std::span<const float> numbers) {
  return graph.add_constant(name,
                            Tensor::from<float>({static_cast<int64_t>(numbers.size())}, numbers));
}

}  // namespace ortc::cpu
