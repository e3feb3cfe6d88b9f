// SPDX-License-Identifier: MIT
// Smaller weights: see the header.
#include "providers/aot/weights.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/graph/walk.h"
#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"
#include "providers/cpu/elements/float_rows.h"
#include "providers/cpu/fusions/half_weights.h"

namespace ortc::aot {
namespace {

constexpr uint64_t kBytesMin = 16 << 10;  // what is smaller is not worth a rounding

// --- 16 bits.

constexpr float kLeastNormalHalf = 0x1p-14f;

// Infinities stay what they are; 65520 and more would become one. Weights that are all small would
// lose what they are, most or all of it.
bool fits_float16(const Tensor& floats) {
  float largest = 0;
  for (const float x : floats.elements<float>()) {
    if (std::fabs(x) >= 65520.0f && !std::isinf(x)) return false;
    largest = std::max(largest, std::fabs(x));
  }
  return largest == 0.0f || largest >= kLeastNormalHalf;
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
      const Value* weights = graph_.value(node->input(input));
      if (weights == nullptr || weights->constant() == nullptr) continue;
      if (!is_table && !takes_half_weights(*node, *weights->constant())) continue;
      ASSIGN_OR_RETURN(const ValueId half, half_of(node->input(input)));
      if (half == kNoValue) continue;
      graph_.set_input(id, input, half);
      if (is_table) RETURN_IF_ERROR(widen_output(*node));
    }
    return static_cast<int>(halves_.size());
  }

 private:
  bool takes_half_weights(const Node& node, const Tensor& weights) const {
    return cpu::reads_half_weights(node, weights) && is_float32(graph_, node.input(0));
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
             (takes_half_weights(reader, *value.constant()) && use.input == 1);
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

// --- 8 and 4 bits.

struct Matrix {
  const float* data;
  int64_t k, n;
  bool transposed;  // lies as [n, k]

  float at(int64_t row, int64_t column) const { return data[place(row, column)]; }
  int64_t place(int64_t row, int64_t column) const {
    return transposed ? column * k + row : row * n + column;
  }
};

// What stands in the place of a matrix, and the operator that multiplies by it.
struct Quantised {
  std::string_view op, domain;
  Tensor numbers, scales;
  std::vector<Attribute> attributes;
};

// A column is numbers of [-127, 127] times its scale.
Result<Quantised> by_columns(const Matrix& w, const Dims& dims) {
  Quantised q{"Gemm", kInternalDomain, {}, {}, {Attribute::of_int("transB", w.transposed ? 1 : 0)}};
  ASSIGN_OR_RETURN(q.numbers, Tensor::create(DType::kInt8, dims));
  ASSIGN_OR_RETURN(q.scales, Tensor::create(DType::kFloat32, {w.n}));
  const auto to = q.numbers.mutable_elements<int8_t>();
  const auto scales = q.scales.mutable_elements<float>();
  std::fill(scales.begin(), scales.end(), 0.0f);
  for (int64_t row = 0; row < w.k; ++row) {
    for (int64_t n = 0; n < w.n; ++n) {
      float& scale = scales[static_cast<size_t>(n)];
      scale = std::max(scale, std::fabs(w.at(row, n)));
    }
  }
  for (float& scale : scales) scale /= 127.0f;
  for (int64_t row = 0; row < w.k; ++row) {
    for (int64_t n = 0; n < w.n; ++n) {
      const float scale = scales[static_cast<size_t>(n)];
      const float x = scale != 0.0f ? w.at(row, n) / scale : 0.0f;
      to[static_cast<size_t>(w.place(row, n))] =
          static_cast<int8_t>(std::clamp(std::nearbyint(x), -127.0f, 127.0f));
    }
  }
  return q;
}

constexpr int64_t kBlock = 32;

// One block of a column as MatMulNBits has it without zero points: (q - 8) * scale. The element of
// the largest magnitude is met exactly, but for the rounding of the scale.
float quantise_block(const Matrix& w, int64_t first, int64_t column, uint8_t* to) {
  const int64_t count = std::min(kBlock, w.k - first);
  float extreme = 0.0f;
  for (int64_t i = 0; i < count; ++i) {
    const float x = w.at(first + i, column);
    if (std::fabs(x) > std::fabs(extreme)) extreme = x;
  }
  const float scale = extreme / -8.0f;
  for (int64_t i = 0; i < kBlock; ++i) {
    const float x = i < count && scale != 0.0f ? w.at(first + i, column) / scale : 0.0f;
    const auto q = static_cast<uint8_t>(std::clamp(std::nearbyint(x) + 8.0f, 0.0f, 15.0f));
    to[i / 2] = static_cast<uint8_t>(i % 2 == 0 ? q : to[i / 2] | q << 4);
  }
  return scale;
}

Result<Quantised> by_blocks(const Matrix& w) {
  Quantised q{"MatMulNBits",
              kMicrosoftDomain,
              {},
              {},
              {Attribute::of_int("K", w.k), Attribute::of_int("N", w.n),
               Attribute::of_int("bits", 4), Attribute::of_int("block_size", kBlock)}};
  const int64_t blocks = (w.k + kBlock - 1) / kBlock;
  ASSIGN_OR_RETURN(q.numbers, Tensor::create(DType::kUint8, {w.n, blocks, kBlock / 2}));
  ASSIGN_OR_RETURN(q.scales, Tensor::create(DType::kFloat32, {w.n * blocks}));
  for (int64_t i = 0; i < w.n * blocks; ++i) {
    q.scales.mutable_elements<float>()[static_cast<size_t>(i)] =
        quantise_block(w, i % blocks * kBlock, i / blocks,
                       q.numbers.mutable_elements<uint8_t>().data() + i * (kBlock / 2));
  }
  return q;
}

class QuantisedWeights {
 public:
  QuantisedWeights(Graph& graph, WeightType type) : graph_(graph), type_(type) {}

  Result<int> run() {
    int converted = 0;
    const size_t bound = graph_.node_bound();
    for (NodeId id = 0; id < bound; ++id) {
      const Node* node = graph_.node(id);
      if (node == nullptr || !fits(*node)) continue;
      RETURN_IF_ERROR(replace(*node));
      ++converted;
    }
    return converted;
  }

 private:
  bool fits(const Node& node) const {
    const bool is_plain_gemm = node.is_op("Gemm") && node.int_attribute("transA", 0) == 0 &&
                               node.float_attribute("alpha", 1.0f) == 1.0f &&
                               node.float_attribute("beta", 1.0f) == 1.0f;
    const Value* value = graph_.value(node.input(1));
    const Tensor* weights = value != nullptr ? value->constant() : nullptr;
    const Shape* rows = known_shape(graph_, node.input(0));
    if ((!is_plain_gemm && !node.is_op("MatMul")) || !is_float32(graph_, node.input(0)) ||
        weights == nullptr || weights->dtype() != DType::kFloat32 || weights->dims().size() != 2 ||
        weights->byte_size() < kBytesMin || rows == nullptr || rows->size() < 2) {
      return false;
    }
    const int64_t depth = weights->dims()[is_plain_gemm && node.int_attribute("transB", 0) != 0];
    if (type_ == WeightType::kInt4 && depth < kBlock) return false;  // its blocks would be larger
    const auto all = weights->elements<float>();
    return std::all_of(all.begin(), all.end(), [](float x) { return std::isfinite(x); });
  }

  // In the place of a MatMul or Gemm a product by smaller numbers, and Add for Gemm's C.
  Status replace(const Node& node) {
    const Tensor weights = *graph_.value(node.input(1))->constant();
    const Dims& dims = weights.dims();
    const bool transposed = node.is_op("Gemm") && node.int_attribute("transB", 0) != 0;
    const Matrix w{weights.elements<float>().data(), dims[transposed ? 1 : 0],
                   dims[transposed ? 0 : 1], transposed};
    ASSIGN_OR_RETURN(Quantised q, type_ == WeightType::kInt8 ? by_columns(w, dims) : by_blocks(w));
    const std::string name = node.name(), stem = graph_.value(node.input(1))->name;
    const ValueId a = node.input(0), c = node.input(2), output = node.output(0);
    graph_.remove_node(node.id());
    ValueId result = output;
    if (c != kNoValue) {
      ASSIGN_OR_RETURN(result, graph_.add_value(graph_.unique_name(str_cat(name, "/product")),
                                                graph_.value(output)->type));
      RETURN_IF_ERROR(
          graph_.add_node("Add", "", graph_.unique_name(name), {result, c}, {output}).status());
    }
    if (q.domain == kMicrosoftDomain) import_domain(graph_, kMicrosoftDomain, 1);
    const ValueId b = graph_.add_constant(stem, std::move(q.numbers));
    const ValueId scales = graph_.add_constant(stem, std::move(q.scales));
    std::vector<ValueId> inputs = {a, b, scales};
    if (type_ == WeightType::kInt8) inputs = {a, b, kNoValue, kNoValue, scales};
    return graph_
        .add_node(std::string(q.op), std::string(q.domain), name, std::move(inputs), {result},
                  std::move(q.attributes))
        .status();
  }

  Graph& graph_;
  const WeightType type_;
};

}  // namespace

Result<int> convert_weights(Graph& graph, WeightType type) {
  if (type == WeightType::kModel) return 0;
  const bool is_16_bits = type == WeightType::kFloat16 || type == WeightType::kBfloat16;
  const DType half = type == WeightType::kFloat16 ? DType::kFloat16 : DType::kBfloat16;
  ASSIGN_OR_RETURN(int converted, is_16_bits ? HalfWeights(graph, half).run()
                                             : QuantisedWeights(graph, type).run());
  for (const Node& node : nodes_of(graph)) {
    for (Graph* body : node.subgraphs()) {
      ASSIGN_OR_RETURN(const int inside, convert_weights(*body, type));
      converted += inside;
    }
  }
  return converted;
}

}  // namespace ortc::aot
