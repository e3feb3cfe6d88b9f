// SPDX-License-Identifier: MIT
// What the rewrites of quantised graphs ask: which values are integers behind a DequantizeLinear,
// with which scales and zero points. Everything here looks at constants only; a scale or zero point
// that comes at run time is not a match.
#pragma once

#include <optional>

#include "providers/cpu/elements/small_integers.h"
#include "providers/cpu/fusions/fusions.h"

namespace ortc::cpu {

inline constexpr TypeMask kInt8Types = mask_of(DType::kUint8, DType::kInt8);

// One scale and zero point for a whole tensor of 8-bit integers. The scale is positive; it and its
// inverse are normal numbers.
struct QuantParams {
  float scale = 1.0f;
  int32_t zero = 0;
  DType dtype = DType::kUint8;
  bool operator==(const QuantParams&) const = default;
};

// Of a QuantizeLinear or DequantizeLinear.
std::optional<QuantParams> quant_params(const Graph& graph, const Node& node);

bool is_quantize(const Node& node);    // QuantizeLinear, also of com.microsoft
bool is_dequantize(const Node& node);  // DequantizeLinear, also of com.microsoft

// A float32 value that is dequantised from `x`.
struct Dequantised {
  ValueId x = kNoValue;
  QuantParams params;
  NodeId node = kNoNode;
};
std::optional<Dequantised> dequantised(const Graph& graph, ValueId id);

// The only reader of a value, when it is a QuantizeLinear with one scale and zero point.
Node* only_quantizer(Graph& graph, ValueId id);

// Constant 8-bit weights behind a DequantizeLinear, with one scale or one along an axis.
struct DequantisedWeights {
  ValueId w = kNoValue;
  ValueId zero = kNoValue;    // a constant like the scales, or nothing
  std::vector<float> scales;  // one, or one along `axis`
  size_t axis = 0;
};
std::optional<DequantisedWeights> dequantised_weights(const Graph& graph, ValueId id);

// Numbers of a float32 constant, or of an integer constant behind a DequantizeLinear with one scale
// or one a number and no zero point.
struct ConstantNumbers {
  std::vector<float> numbers;
  ValueId integers = kNoValue;  // int32 constant that they come from
  std::vector<float> scales;    // of the integers: one, or one a number
};
std::optional<ConstantNumbers> constant_vector(const Graph& graph, ValueId id, int64_t count);

// How large a bias may be beside sums of `depth` products of two bytes, less their zero points, so
// that the whole stays within 32 bits whatever the bytes are; negative: the sums may leave them.
constexpr int64_t bias_room(int64_t depth) {
  return depth <= kByteProductsInInt32 ? INT32_MAX - depth * kByteProductMax : -1;
}

// A zero point as a scalar constant of the graph.
ValueId add_zero(Graph& graph, const QuantParams& params);
ValueId add_floats(Graph& graph, std::string_view name, std::span<const float> numbers);

}  // namespace ortc::cpu
