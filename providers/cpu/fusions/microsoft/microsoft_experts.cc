// SPDX-License-Identifier: MIT
// Operators of com.microsoft that decoders have:
//
//   QMoE                 MoE by the matrices that the quantised experts stand for
//   MRotaryEmbedding     RotaryEmbedding by angles that each token takes of three positions
#include <array>

#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/microsoft/microsoft_spellings.h"

namespace ortc::cpu {
namespace {

// --- QMoE.

struct Layer {
  size_t weights, scales, bias, zeros;  // inputs
};
constexpr std::array<Layer, 3> kLayers = {{{2, 3, 4, 11}, {5, 6, 7, 12}, {8, 9, 10, 13}}};

// [experts, rows, columns], with a scale for each `block` columns. Zero points of a row begin with
// a byte of their own, unless it has a single one and those of all rows follow each other.
struct Codes {
  int64_t experts, rows, columns, block, bits;
  int64_t zero_stride;  // codes from row to row
  const Tensor* weights;
  std::vector<double> scales;
  const Tensor* zeros;
};

// Nothing when one of the layer's tensors is not constant, or does not fit the others.
std::optional<Codes> codes_of(const Node& node, const Layer& layer) {
  const Graph& graph = *node.graph();
  Codes c{};
  c.bits = node.int_attribute("expert_weight_bits", 4);
  c.weights = constant_of(graph, node.input(layer.weights));
  const auto scales = constant_numbers(graph, node.input(layer.scales));
  const bool has_zeros = node.input(layer.zeros) != kNoValue;
  c.zeros = has_zeros ? constant_of(graph, node.input(layer.zeros)) : nullptr;
  const bool is_packed = c.bits == 2 || c.bits == 4 || c.bits == 8;
  if (!is_packed || c.weights == nullptr || c.weights->dtype() != DType::kUint8 ||
      c.weights->dims().size() != 3 || !scales || (has_zeros && c.zeros == nullptr)) {
    return std::nullopt;
  }
  const int64_t pack = 8 / c.bits;
  c.experts = c.weights->dims()[0], c.rows = c.weights->dims()[1];
  c.columns = c.weights->dims()[2] * pack;
  c.block = node.int_attribute("block_size", 0);
  if (c.block <= 0) c.block = c.columns;
  if (c.columns == 0 || c.columns % c.block != 0) return std::nullopt;
  c.scales = *scales;
  const int64_t blocks = c.columns / c.block, lines = c.experts * c.rows;
  const int64_t row_bytes = (blocks + pack - 1) / pack;
  c.zero_stride = row_bytes * pack;
  bool fits_zeros = c.zeros == nullptr || c.zeros->dtype() == DType::kUint8;
  if (fits_zeros && c.zeros != nullptr && c.zeros->element_count() != lines * row_bytes) {
    fits_zeros = blocks == 1 && lines % pack == 0 && c.zeros->element_count() == lines / pack;
    c.zero_stride = 1;
  }
  const bool fits = static_cast<int64_t>(c.scales.size()) == lines * blocks && fits_zeros;
  return fits ? std::optional(c) : std::nullopt;
}

bool takes_q_experts(const Node& node) {
  for (size_t i = 14; i < node.inputs().size(); ++i) {
    if (node.input(i) != kNoValue) return false;  // other routing weights, scales of small floats
  }
  const bool has_third = node.input(kLayers[2].weights) != kNoValue;
  return node.string_attribute("quant_type", "int") == "int" &&
         node.int_attribute("weights_prepacked", -1) != 1 && codes_of(node, kLayers[0]) &&
         codes_of(node, kLayers[1]) && (!has_third || codes_of(node, kLayers[2]));
}

// The lowest bits of a byte come first.
int code_at(std::span<const uint8_t> bytes, size_t i, int64_t bits) {
  const auto per_byte = static_cast<size_t>(8 / bits);
  return (bytes[i / per_byte] >> (i % per_byte * static_cast<size_t>(bits))) & ((1 << bits) - 1);
}

Result<Tensor> decoded(const Codes& c) {
  ASSIGN_OR_RETURN(Tensor y, Tensor::create(DType::kFloat32, {c.experts, c.rows, c.columns}));
  const auto numbers = y.mutable_elements<float>();
  const auto bytes = c.weights->elements<uint8_t>();
  const auto blocks = static_cast<size_t>(c.columns / c.block);
  const auto zero_stride = static_cast<size_t>(c.zero_stride);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const size_t block = i / static_cast<size_t>(c.block);
    const size_t place = block / blocks * zero_stride + block % blocks;
    const int zero = c.zeros != nullptr ? code_at(c.zeros->elements<uint8_t>(), place, c.bits)
                                        : 1 << (c.bits - 1);
    numbers[i] =
        static_cast<float>(code_at(bytes, i, c.bits) - zero) * static_cast<float>(c.scales[block]);
  }
  return y;
}

Result<bool> spell_q_experts(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  auto attributes = attributes_named(
      node,
      "activation_alpha activation_beta activation_type k normalize_routing_weights swiglu_fusion "
      "swiglu_limit use_sparse_mixer");
  std::array<Tensor, 3> matrices;
  for (size_t i = 0; i < 3; ++i) {
    if (node.input(kLayers[i].weights) == kNoValue) continue;
    ASSIGN_OR_RETURN(matrices[i], decoded(*codes_of(node, kLayers[i])));
  }
  Spelling s(graph, id);
  const auto wide = [&s](ValueId x) {
    return x != kNoValue ? cast_to(s, x, DType::kFloat32) : kNoValue;
  };
  std::vector<ValueId> inputs = {wide(s.input(0)), wide(s.input(1))};
  for (size_t i = 0; i < 3; ++i) {
    const bool is_there = matrices[i].is_defined();
    inputs.push_back(is_there ? s.constant(std::move(matrices[i])) : kNoValue);
    inputs.push_back(wide(s.input(kLayers[i].bias)));
  }
  const Type given = s.output_type();
  Type floats = given;
  floats.dtype = DType::kFloat32;
  const ValueId y = s.add("MoE", std::move(inputs), std::move(floats), std::move(attributes),
                          std::string(kMicrosoftDomain));
  s.give("Cast", {y}, {Attribute::of_int("to", static_cast<int64_t>(given.dtype))});
  return s.done();
}

// --- MRotaryEmbedding.

// Which of the three positions each angle is taken of.
std::vector<int64_t> streams_of(const Node& node) {
  const auto section = node.ints_attribute("mrope_section");
  if (section.size() != 3 || section[0] < 0 || section[1] < 0 || section[2] < 0) return {};
  const int64_t half = section[0] + section[1] + section[2];
  if (half < 1 || half > 1 << 16) return {};
  std::vector<int64_t> streams(static_cast<size_t>(half), 0);
  const bool alternates = node.int_attribute("mrope_layout", 0) == 1;
  for (int64_t i = 0; i < half; ++i) {
    int64_t& stream = streams[static_cast<size_t>(i)];
    if (!alternates) {
      stream = i < section[0] ? 0 : i < section[0] + section[1] ? 1 : 2;
    } else if (const int64_t turn = i % 3; turn > 0 && i < section[static_cast<size_t>(turn)] * 3) {
      stream = turn;
    }
  }
  return streams;
}

bool takes_multi_rotary(const Node& node) {
  const auto cache = dims_of(*node.graph(), node.input(2));
  const auto streams = streams_of(node);
  return !streams.empty() && cache && cache->size() == 2 &&
         (*cache)[1] == static_cast<int64_t>(streams.size()) &&
         node.int_attribute("is_packed_batching", 0) == 0 &&
         node.float_attribute("scale", 1.0f) == 1.0f;
}

// Angles of all tokens, one row each: of three rows the one that the angle's stream names.
ValueId angles_of(Spelling& s, ValueId cache, const std::vector<int64_t>& streams) {
  const Type x = elements_of(s.type(cache).dtype);
  const auto half = static_cast<int64_t>(streams.size());
  const ValueId rows = s.add("Gather", {cache, s.input(1)}, x);  // [3, batch, sequence, half]
  const ValueId flat = s.add("Reshape", {rows, int64_constant(s, {3, -1, half})}, x);
  ValueId found = kNoValue;
  for (int64_t stream = 0; stream < 3; ++stream) {
    const ValueId one = s.add("Gather", {flat, s.constant(Tensor::scalar(stream))}, x,
                              {Attribute::of_int("axis", 0)});
    Tensor is_of = Tensor::create(DType::kBool, {half}).value();
    for (size_t i = 0; i < streams.size(); ++i) {
      static_cast<bool*>(is_of.mutable_data())[i] = streams[i] == stream;
    }
    found = stream == 0 ? one : s.add("Where", {s.constant(std::move(is_of)), one, found}, x);
  }
  return found;
}

Result<bool> spell_multi_rotary(Graph& graph, NodeId id) {
  const auto streams = streams_of(*graph.node(id));
  auto attributes = attributes_named(*graph.node(id), "interleaved num_heads rotary_embedding_dim");
  Spelling s(graph, id);
  const Type numbers = elements_of(DType::kInt64), number = Type::tensor(DType::kInt64, Shape{});
  const ValueId cos = angles_of(s, s.input(2), streams), sin = angles_of(s, s.input(3), streams);
  // Token i has row i.
  const ValueId one = s.add("Gather", {s.input(1), s.constant(Tensor::scalar(int64_t{0}))}, numbers,
                            {Attribute::of_int("axis", 0)});
  const ValueId count = s.add("Size", {one}, number);
  const ValueId all =
      s.add("Range",
            {s.constant(Tensor::scalar(int64_t{0})), count, s.constant(Tensor::scalar(int64_t{1}))},
            numbers);
  const ValueId places = s.add("Reshape", {all, s.add("Shape", {one}, numbers)}, numbers);
  s.give("RotaryEmbedding", {s.input(0), places, cos, sin}, std::move(attributes),
         std::string(kMicrosoftDomain));
  return s.done();
}

constexpr Spelled kExperts[] = {
    {"MRotaryEmbedding", takes_multi_rotary, spell_multi_rotary},
    {"QMoE", takes_q_experts, spell_q_experts},
};

}  // namespace

std::span<const Spelled> expert_spellings() { return kExperts; }

}  // namespace ortc::cpu
