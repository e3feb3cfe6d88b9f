// SPDX-License-Identifier: MIT
// MatMul(A, constant B[K, N])                                -> ortc.Gemm(A, B)
// Gemm(A, constant B, C), C a row or nothing                 -> ortc.Gemm(A, B, C), A turned first
//                                                               with transA = 1
// Gemm(A, tied B) with transB = 1                            -> ortc.BatchedMatMul(A, B)
// Tied weights, an embedding that is the output head too, stay row-major in one place.
// B may be float16 or bfloat16 beside a float32 A (half_precision.cc); it stays so.
#include <algorithm>

#include "providers/cpu/fusions/fusions.h"

namespace ortc::cpu {
namespace {

// Gemm's C as a bias of N numbers scaled by beta; nothing when it varies by row.
std::optional<ValueId> bias_of_gemm(Graph& graph, const Node& gemm, int64_t columns) {
  const ValueId c = gemm.input(2);
  const float beta = gemm.float_attribute("beta", 1.0f);
  if (c == kNoValue || beta == 0.0f) return kNoValue;  // whatever is in C then, infinities too
  const Tensor* constant = graph.value(c)->constant();
  if (constant == nullptr || constant->dtype() != DType::kFloat32) return std::nullopt;
  const Dims& dims = constant->dims();
  const bool is_row = constant->element_count() == columns &&
                      (dims.size() == 1 || (dims.size() == 2 && dims[0] == 1));
  if (!is_row && constant->element_count() != 1) return std::nullopt;
  auto bias = Tensor::create(DType::kFloat32, {columns});
  if (!bias.is_ok()) return std::nullopt;
  auto from = constant->elements<float>();
  auto to = bias->mutable_elements<float>();
  for (size_t i = 0; i < to.size(); ++i) to[i] = beta * from[from.size() == 1 ? 0 : i];
  return graph.add_constant(graph.value(c)->name, std::move(bias).value());
}

// From this size on, weights are not worth having in two orders.
constexpr size_t kTiedBytes = size_t{1} << 20;

// Large, and read by somebody who wants them as they are.
bool is_tied(const Graph& graph, const Value& weights) {
  if (weights.constant()->byte_size() < kTiedBytes) return false;
  return weights.is_read_elsewhere ||
         std::any_of(weights.uses.begin(), weights.uses.end(), [&](const Use& use) {
           if (use.is_implicit) return true;
           const Node& reader = *graph.node(use.node);
           const bool packs = reader.is_op("Gemm") || reader.is_op("Gemm", kInternalDomain) ||
                              reader.is_op("MatMul");
           return !packs || use.input != 1;
         });
}

Result<bool> replace(Graph& graph, NodeId id, std::string op_type, std::vector<ValueId> inputs,
                     std::vector<Attribute> attributes) {
  const std::string name = graph.node(id)->name();
  const std::vector<ValueId> outputs = {graph.node(id)->output(0)};
  graph.remove_node(id);
  auto added = graph.add_node(std::move(op_type), std::string(kInternalDomain), name,
                              std::move(inputs), outputs, std::move(attributes));
  if (!added.is_ok()) return added.status();
  return true;
}

// The transpose of a matrix, in front of `node`.
Result<ValueId> turn(Graph& graph, const Node& node, ValueId matrix) {
  Type type = graph.value(matrix)->type;
  std::swap(type.shape->front(), type.shape->back());
  ASSIGN_OR_RETURN(const ValueId turned, graph.add_value(graph.unique_name(node.name()), type));
  RETURN_IF_ERROR(graph
                      .add_node("Transpose", "", node.name(), {matrix}, {turned},
                                {Attribute::of_ints("perm", {1, 0})})
                      .status());
  return turned;
}

bool is_float_or_half(const Tensor& tensor) {
  constexpr TypeMask kTypes = mask_of(DType::kFloat32, DType::kFloat16, DType::kBfloat16);
  return (mask_of(tensor.dtype()) & kTypes) != 0;
}

Result<bool> rewrite(Graph& graph, NodeId id, bool can_multiply_batches) {
  const Node& node = *graph.node(id);
  const bool is_gemm = node.is_op("Gemm");
  if (!is_gemm && !node.is_op("MatMul")) return false;
  const Value* b = graph.value(node.input(1));
  const Tensor* weights = b != nullptr ? b->constant() : nullptr;
  if (weights == nullptr || !is_float_or_half(*weights) || weights->dims().size() != 2 ||
      weights->element_count() == 0 || !is_float32(graph, node.input(0)) ||
      known_shape(graph, node.input(0)) == nullptr || known_shape(graph, node.input(0))->empty()) {
    return false;
  }
  const int64_t transposed = is_gemm ? node.int_attribute("transB", 0) : 0;
  const int64_t columns = weights->dims()[transposed != 0 ? 0 : 1];
  std::vector<ValueId> inputs = {node.input(0), node.input(1)};
  if (is_gemm) {
    auto bias = bias_of_gemm(graph, node, columns);
    if (!bias) return false;
    if (*bias != kNoValue) inputs.push_back(*bias);
  }
  if (is_gemm && node.int_attribute("transA", 0) != 0) {
    ASSIGN_OR_RETURN(inputs[0], turn(graph, node, inputs[0]));
  }
  std::vector<Attribute> attributes = {Attribute::of_int("transB", transposed != 0 ? 1 : 0)};
  if (is_gemm)
    attributes.push_back(Attribute::of_float("alpha", node.float_attribute("alpha", 1.0f)));
  const bool stays = can_multiply_batches && transposed != 0 && inputs.size() == 2 &&
                     weights->dtype() == DType::kFloat32 && is_tied(graph, *b);
  return replace(graph, id, stays ? "BatchedMatMul" : "Gemm", std::move(inputs),
                 std::move(attributes));
}

}  // namespace

Result<int> constant_matmul(Graph& graph, const KernelRegistry& kernels) {
  if (!kernels.knows_operator("Gemm", kInternalDomain)) return 0;
  const bool can_multiply_batches = kernels.knows_operator("BatchedMatMul", kInternalDomain);
  int matches = 0;
  const size_t bound = graph.node_bound();
  for (NodeId id = 0; id < bound; ++id) {
    if (graph.node(id) == nullptr) continue;
    ASSIGN_OR_RETURN(bool matched, rewrite(graph, id, can_multiply_batches));
    matches += matched ? 1 : 0;
  }
  return matches;
}

}  // namespace ortc::cpu
