// SPDX-License-Identifier: MIT
// Operators of com.microsoft over quantised tensors that are the same over floats:
//
//   QAttention                  ortc.ProjectedAttention of MatMulIntegerToFloat
//   QEmbedLayerNormalization    EmbedLayerNormalization of dequantised tables
//   QLinearReduceMean           DequantizeLinear, ReduceMean, QuantizeLinear
//   MatMulBnb4                  MatMul by the matrix that the codes of 4 bits stand for
#include <array>

#include "core/base/checked_math.h"
#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/microsoft/microsoft_spellings.h"

namespace ortc::cpu {
namespace {

bool is_float32_input(const Node& node, size_t i) {
  return dtype_of(*node.graph(), node.input(i)) == DType::kFloat32;
}

ValueId dequantised(Spelling& s, ValueId x, ValueId scale, ValueId zero, int64_t axis) {
  if (x == kNoValue) return kNoValue;
  Type type = s.type(x);
  type.dtype = DType::kFloat32;
  return s.add("DequantizeLinear", {x, scale, zero}, std::move(type),
               {Attribute::of_int("axis", axis)});
}

// --- QAttention.

enum QAttentionInput : size_t {
  kInput,
  kWeight,
  kBias,
  kInputScale,
  kWeightScale,
  kMask,
  kInputZero,
  kWeightZero,
  kPast
};

bool takes_q_attention(const Node& node) { return is_float32_input(node, kBias); }
Result<bool> spell_q_attention(Graph& graph, NodeId id) {
  auto attributes = attributes_named(
      *graph.node(id),
      "do_rotary mask_filter_value num_heads past_present_share_buffer scale unidirectional");
  Spelling s(graph, id);
  const auto scalar = [&s](size_t i) {
    return s.input(i) != kNoValue ? as_scalar(s, s.input(i)) : kNoValue;
  };
  Type rows = elements_of(DType::kFloat32);
  if (s.type(s.input(kInput)).shape) {
    rows.shape = s.type(s.input(kInput)).shape;
    if (!rows.shape->empty()) rows.shape->back() = Dim::unknown();
  }
  const ValueId projected =
      s.add("MatMulIntegerToFloat",
            {s.input(kInput), s.input(kWeight), scalar(kInputScale), s.input(kWeightScale),
             scalar(kInputZero), s.input(kWeightZero), s.input(kBias)},
            std::move(rows), {}, std::string(kMicrosoftDomain));
  std::vector<ValueId> outputs = {s.output(0)};
  if (s.output(1) != kNoValue) outputs.push_back(s.output(1));
  s.place("ProjectedAttention", std::string(kInternalDomain),
          {projected, kNoValue, kNoValue, s.input(kMask), s.input(kPast)}, std::move(outputs),
          std::move(attributes));
  return s.done();
}

// --- QEmbedLayerNormalization: ids, tables, mask, then the scales and the zero points of the
// tables.

bool takes_q_embed(const Node& node) { return is_float32_input(node, 8); }
Result<bool> spell_q_embed(Graph& graph, NodeId id) {
  auto attributes = attributes_named(*graph.node(id), "epsilon");
  const bool has_mask = graph.node(id)->input(7) != kNoValue;
  attributes.push_back(Attribute::of_int("mask_index_type", has_mask ? 1 : 0));
  Spelling s(graph, id);
  const auto table = [&s](size_t i) {
    return dequantised(s, s.input(i), s.input(i + 6), s.input(i + 11), 0);
  };
  std::vector<ValueId> tables;
  for (size_t i = 2; i < 7; ++i) tables.push_back(table(i));
  std::vector<ValueId> outputs = {s.output(0)};
  if (s.output(1) != kNoValue) outputs.push_back(s.output(1));
  s.place(
      "EmbedLayerNormalization", std::string(kMicrosoftDomain),
      {s.input(0), s.input(1), tables[0], tables[1], tables[2], tables[3], tables[4], s.input(7)},
      std::move(outputs), std::move(attributes));
  return s.done();
}

// --- QLinearReduceMean.

bool takes_q_mean(const Node& node) {
  const bool has_zero = node.input(4) != kNoValue;
  return has_zero || dtype_of(*node.graph(), node.input(0)) == DType::kUint8;
}
Result<bool> spell_q_mean(Graph& graph, NodeId id) {
  const auto axes = graph.node(id)->ints_attribute("axes");
  auto attributes = attributes_named(*graph.node(id), "keepdims");
  Spelling s(graph, id);
  const ValueId x = dequantised(s, s.input(0), s.input(1), s.input(2), 0);
  const Type floats = elements_of(DType::kFloat32);
  std::vector<ValueId> inputs = {x};
  if (!axes.empty() && s.graph().opset("") >= 18) inputs.push_back(int64_constant(s, axes));
  if (!axes.empty() && s.graph().opset("") < 18) {
    attributes.push_back(Attribute::of_ints("axes", axes));
  }
  const ValueId mean = s.add("ReduceMean", std::move(inputs), floats, std::move(attributes));
  s.give("QuantizeLinear", {mean, s.input(3), s.input(4)});
  return s.done();
}

// --- MatMulBnb4.

// What the codes stand for: signed floats of 4 bits as bitsandbytes has them, and quantiles of the
// normal distribution.
constexpr std::array<float, 16> kFloat4 = {
    0.0f,  0.005208333333f,  0.66666667f,  1.0f,  0.33333333f,  0.5f,  0.16666667f,  0.25f,
    -0.0f, -0.005208333333f, -0.66666667f, -1.0f, -0.33333333f, -0.5f, -0.16666667f, -0.25f};
constexpr std::array<float, 16> kNormal4 = {-1.0f,
                                            -0.6961928009986877f,
                                            -0.5250730514526367f,
                                            -0.39491748809814453f,
                                            -0.28444138169288635f,
                                            -0.18477343022823334f,
                                            -0.09105003625154495f,
                                            0.0f,
                                            0.07958029955625534f,
                                            0.16093020141124725f,
                                            0.24611230194568634f,
                                            0.33791524171829224f,
                                            0.44070982933044434f,
                                            0.5626170039176941f,
                                            0.7229568362236023f,
                                            1.0f};

struct Bnb4 {
  int64_t n, k, block, kind;
  bool turns;
};
Bnb4 bnb4_of(const Node& node) {
  return {node.int_attribute("N", 0), node.int_attribute("K", 0),
          node.int_attribute("block_size", 0), node.int_attribute("quant_type", -1),
          node.int_attribute("transB", 1) != 0};
}

bool takes_bnb4(const Node& node) {
  const Graph& graph = *node.graph();
  const Tensor *codes = constant_of(graph, node.input(1)),
               *scales = constant_of(graph, node.input(2));
  const Bnb4 b = bnb4_of(node);
  const auto count = checked_mul(b.n, b.k);
  if (codes == nullptr || scales == nullptr || !count || b.n < 1 || b.k < 1 || b.block < 16 ||
      b.kind < 0 || b.kind > 1) {
    return false;
  }
  return scales->dtype() == DType::kFloat32 && codes->dtype() == DType::kUint8 &&
         codes->element_count() == *count / 2 + *count % 2 &&
         scales->element_count() == *count / b.block + (*count % b.block != 0 ? 1 : 0);
}

// [n, k]; the first of two codes stands in the high bits.
Result<Tensor> decoded(const Tensor& codes, const Tensor& scales, const Bnb4& b) {
  ASSIGN_OR_RETURN(Tensor matrix, Tensor::create(DType::kFloat32, {b.n, b.k}));
  const auto& values = b.kind == 0 ? kFloat4 : kNormal4;
  const auto bytes = codes.elements<uint8_t>();
  const auto scale = scales.elements<float>();
  const auto numbers = matrix.mutable_elements<float>();
  for (size_t i = 0; i < numbers.size(); ++i) {
    const unsigned code = i % 2 == 0 ? bytes[i / 2] >> 4 : bytes[i / 2] & 15u;
    numbers[i] = values[code] * scale[i / static_cast<size_t>(b.block)];
  }
  return matrix;
}

Result<bool> spell_bnb4(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  const Bnb4 b = bnb4_of(node);
  ASSIGN_OR_RETURN(Tensor matrix, decoded(*constant_of(graph, node.input(1)),
                                          *constant_of(graph, node.input(2)), b));
  if (b.turns) {
    ASSIGN_OR_RETURN(Tensor turned, Tensor::create(DType::kFloat32, {b.k, b.n}));
    const auto from = matrix.elements<float>();
    const auto to = turned.mutable_elements<float>();
    for (int64_t i = 0; i < b.n * b.k; ++i) {
      to[static_cast<size_t>(i % b.k * b.n + i / b.k)] = from[static_cast<size_t>(i)];
    }
    matrix = std::move(turned);
  }
  Spelling s(graph, id);
  s.give("MatMul", {s.input(0), s.constant(std::move(matrix))});
  return s.done();
}

constexpr Spelled kQuantised[] = {
    {"MatMulBnb4", takes_bnb4, spell_bnb4},
    {"QAttention", takes_q_attention, spell_q_attention, 13},
    {"QEmbedLayerNormalization", takes_q_embed, spell_q_embed, 13},
    {"QLinearReduceMean", takes_q_mean, spell_q_mean, 13},
};

}  // namespace

std::span<const Spelled> quantised_spellings() { return kQuantised; }

}  // namespace ortc::cpu
