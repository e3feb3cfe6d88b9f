// SPDX-License-Identifier: MIT
// Smaller weights: see the header.
#include "providers/aot/weights.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"
#include "providers/cpu/elements/float_rows.h"

namespace ortc::aot {
namespace {

constexpr uint64_t kBytesMin = 16 << 10;  // what is smaller is not worth a rounding

// --- 16 bits.

bool fits_float16(const Tensor& floats) {
  const auto all = floats.elements<float>();
  // Infinities stay what they are; 65520 and more would become one.
  return std::all_of(all.begin(), all.end(),
                     [](float x) { return !(std::fabs(x) >= 65520.0f) || std::isinf(x); });
}

Result<Tensor> narrowed(const Tensor& floats, DType dtype) {
  ASSIGN_OR_RETURN(Tensor half, Tensor::create(dtype, floats.dims()));
  const float* from = floats.elements<float>().data();
  if (dtype == DType::kFloat16) {
    cpu::narrow(from, floats.element_count(), static_cast<cpu::Float16*>(half.mutable_data()));
  } else {
    cpu::narrow(from, floats.element_count(), static_cast<cpu::Bfloat16*>(half.mutable_data()));
  }
  return half;
}

class HalfWeights {
 public:
  HalfWeights(Graph& graph, DType dtype) : graph_(graph), dtype_(dtype) {}

  Result<int> run() {
    const size_t bound = graph_.node_bound();
    for (NodeId id = 0; id < bound; ++id) {
      Node* node = graph_.node(id);
      if (node == nullptr || node->custom() != nullptr) continue;
      const bool is_table = node->is_op("Gather");
      const uint32_t input = is_table ? 0 : 1;
      if (!is_table && !takes_half_weights(*node)) continue;
      ASSIGN_OR_RETURN(const ValueId half, half_of(node->input(input)));
      if (half == kNoValue) continue;
      graph_.set_input(id, input, half);
      if (is_table) RETURN_IF_ERROR(widen_output(*node));
    }
    return static_cast<int>(halves_.size());
  }

 private:
  bool takes_half_weights(const Node& node) const {
    return (node.is_op("MatMul") || node.is_op("Gemm") || node.is_op("Conv")) &&
           is_float32(graph_, node.input(0));
  }

  // The converted constant; kNoValue when it stays.
  Result<ValueId> half_of(ValueId id) {
    const Value* value = graph_.value(id);
    const Tensor* weights = value != nullptr ? value->constant() : nullptr;
    if (weights == nullptr || weights->dtype() != DType::kFloat32 || weights->dims().size() < 2 ||
        weights->byte_size() < kBytesMin || value->is_output) {
      return kNoValue;
    }
    if (const auto found = halves_.find(id); found != halves_.end()) return found->second;
    if (!all_take_halves(*value)) return kNoValue;
    if (dtype_ == DType::kFloat16 && !fits_float16(*weights)) return kNoValue;
    ASSIGN_OR_RETURN(Tensor half, narrowed(*weights, dtype_));
    const ValueId made = graph_.add_constant(value->name, std::move(half));
    halves_.emplace(id, made);
    return made;
  }

  bool all_take_halves(const Value& value) const {
    return std::all_of(value.uses.begin(), value.uses.end(), [&](const Use& use) {
      if (use.is_implicit) return false;
      const Node& reader = *graph_.node(use.node);
      return (reader.is_op("Gather") && use.input == 0) ||
             (takes_half_weights(reader) && use.input == 1);
    });
  }

  // The rows that Gather takes are few: they become float32 behind it.
  Status widen_output(const Node& gather) {
    const NodeId id = gather.id();
    const ValueId wide = gather.output(0);
    Type type = graph_.value(wide)->type;
    type.dtype = dtype_;
    ASSIGN_OR_RETURN(
        const ValueId rows,
        graph_.add_value(graph_.unique_name(graph_.value(wide)->name), std::move(type)));
    graph_.set_output(id, 0, rows);
    return graph_
        .add_node("Cast", "", graph_.unique_name(gather.name()), {rows}, {wide},
                  {Attribute::of_int("to", static_cast<int64_t>(DType::kFloat32))})
        .status();
  }

  Graph& graph_;
  const DType dtype_;
  std::unordered_map<ValueId, ValueId> halves_;  // by float32 constant
};

// --- 4 bits.

constexpr int64_t kBlock = 32;

struct Matrix {
  const float* data;
  int64_t k, n;
  bool transposed;  // lies as [n, k]

  float at(int64_t row, int64_t column) const {
    return data[transposed ? column * k + row : row * n + column];
  }
};

// One block of a column as MatMulNBits has it without zero points: (q - 8) * scale. The element of
// the largest magnitude is met exactly, but for the rounding of the scale.
float quantise_block(const Matrix& w, int64_t first, int64_t column, uint8_t* to) {
  const int64_t count = std::min(kBlock, w.k - first);
  float extreme = 0.0f;
  for (int64_t i = 0; i < count; ++i) {
    const float x = w.at(first + i, column);
    if (std::fabs(x) > std::fabs(extreme)) extreme = x;
  }
  const float scale = extreme / -8.0f, inverse = scale != 0.0f ? 1.0f / scale : 0.0f;
  for (int64_t i = 0; i < kBlock; ++i) {
    const float x = i < count ? w.at(first + i, column) * inverse : 0.0f;
    const auto q = static_cast<uint8_t>(std::clamp(std::nearbyint(x) + 8.0f, 0.0f, 15.0f));
    to[i / 2] = static_cast<uint8_t>(i % 2 == 0 ? q : to[i / 2] | q << 4);
  }
  return scale;
}

bool is_plain_gemm(const Node& node) {
  return node.int_attribute("transA", 0) == 0 && node.float_attribute("alpha", 1.0f) == 1.0f &&
         node.float_attribute("beta", 1.0f) == 1.0f;
}

// In place of a MatMul or Gemm by a constant matrix MatMulNBits, and Add for Gemm's C.
Result<bool> quantise(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  const bool is_gemm = node.is_op("Gemm") && is_plain_gemm(node);
  if ((!is_gemm && !node.is_op("MatMul")) || !is_float32(graph, node.input(0))) return false;
  const Value* value = graph.value(node.input(1));
  const Tensor* weights = value != nullptr ? value->constant() : nullptr;
  const Shape* rows = known_shape(graph, node.input(0));
  if (weights == nullptr || weights->dtype() != DType::kFloat32 || weights->dims().size() != 2 ||
      weights->byte_size() < kBytesMin || rows == nullptr || rows->size() < 2) {
    return false;
  }
  const auto all = weights->elements<float>();
  if (!std::all_of(all.begin(), all.end(), [](float x) { return std::isfinite(x); })) return false;
  const bool transposed = is_gemm && node.int_attribute("transB", 0) != 0;
  const Dims& dims = weights->dims();
  const Matrix w{all.data(), dims[transposed ? 1 : 0], dims[transposed ? 0 : 1], transposed};
  const int64_t blocks = (w.k + kBlock - 1) / kBlock;
  ASSIGN_OR_RETURN(Tensor packed, Tensor::create(DType::kUint8, {w.n, blocks, kBlock / 2}));
  ASSIGN_OR_RETURN(Tensor scales, Tensor::create(DType::kFloat32, {w.n * blocks}));
  for (int64_t i = 0; i < w.n * blocks; ++i) {
    scales.mutable_elements<float>()[static_cast<size_t>(i)] =
        quantise_block(w, i % blocks * kBlock, i / blocks,
                       packed.mutable_elements<uint8_t>().data() + i * (kBlock / 2));
  }
  std::vector<Attribute> attributes = {Attribute::of_int("K", w.k), Attribute::of_int("N", w.n),
                                       Attribute::of_int("bits", 4),
                                       Attribute::of_int("block_size", kBlock)};
  const std::string name = node.name(), stem = value->name;
  const ValueId a = node.input(0), c = node.input(2), output = node.output(0);
  graph.remove_node(id);
  ValueId result = output;
  if (is_gemm && c != kNoValue) {
    ASSIGN_OR_RETURN(result, graph.add_value(graph.unique_name(str_cat(name, "/product")),
                                             graph.value(output)->type));
    RETURN_IF_ERROR(
        graph.add_node("Add", "", graph.unique_name(name), {result, c}, {output}).status());
  }
  import_domain(graph, kMicrosoftDomain, 1);
  const ValueId b = graph.add_constant(stem, std::move(packed));
  const ValueId scale = graph.add_constant(stem, std::move(scales));
  RETURN_IF_ERROR(graph
                      .add_node("MatMulNBits", std::string(kMicrosoftDomain), name, {a, b, scale},
                                {result}, std::move(attributes))
                      .status());
  return true;
}

Result<int> quantise_matrices(Graph& graph) {
  int converted = 0;
  const size_t bound = graph.node_bound();
  for (NodeId id = 0; id < bound; ++id) {
    if (graph.node(id) == nullptr) continue;
    ASSIGN_OR_RETURN(const bool done, quantise(graph, id));
    converted += done ? 1 : 0;
  }
  return converted;
}

}  // namespace

Result<int> convert_weights(Graph& graph, WeightType type) {
  if (type == WeightType::kModel) return 0;
  const DType half = type == WeightType::kFloat16 ? DType::kFloat16 : DType::kBfloat16;
  ASSIGN_OR_RETURN(int converted, type == WeightType::kInt4 ? quantise_matrices(graph)
                                                            : HalfWeights(graph, half).run());
  for (NodeId id = 0; id < graph.node_bound(); ++id) {
    if (graph.node(id) == nullptr) continue;
    for (Graph* body : graph.node(id)->subgraphs()) {
      ASSIGN_OR_RETURN(const int inside, convert_weights(*body, type));
      converted += inside;
    }
  }
  return converted;
}

}  // namespace ortc::aot
