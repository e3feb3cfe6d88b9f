// SPDX-License-Identifier: MIT
// Products of floats by constant weights that alone are integers; D is linear dequantisation:
//
//   MatMul(x, D(W int8, one scale or one a column))         -> ortc.Gemm(x, W, scales)
//   MatMul(x, D(W int4 or uint4, blocks along the depth))   -> MatMulNBits(x, W, scales, zeros)
//
// and Gemm with transA = 0, alpha = beta = 1 likewise, with Add for its C. The weights stay as
// small as they are in the file. MatMulNBits gets the accuracy level 4 that ONNX Runtime's default
// for such graphs is.
#include <algorithm>

#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"
#include "providers/cpu/elements/small_integers.h"
#include "providers/cpu/fusions/quantised_match.h"
#include "providers/cpu/internal_ops.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kLevelInt8 = 4;

// What stands in the place of a product by a matrix.
struct Smaller {
  std::string_view op, domain;
  std::vector<ValueId> inputs;
  std::vector<Attribute> attributes;
};

class WeightsAlone {
 public:
  WeightsAlone(Graph& graph, const KernelRegistry& kernels)
      : graph_(graph),
        has_gemm_(kernels.knows_operator("Gemm", kInternalDomain)),
        has_nbits_(kernels.knows_operator("MatMulNBits", kMicrosoftDomain)) {}

  Result<bool> rewrite(NodeId id) {
    const Node& node = *graph_.node(id);
    const Node* from = graph_.producer(node.input(1));
    if (!is_product(node) || from == nullptr || !is_dequantize(*from) ||
        !is_float32(graph_, node.input(1))) {
      return false;
    }
    const Tensor* w = constant_of(graph_, from->input(0));
    if (w == nullptr || w->dims().size() != 2 || w->element_count() == 0) return false;
    const bool transposed = node.is_op("Gemm") && node.int_attribute("transB", 0) != 0;
    std::optional<Smaller> smaller = from->int_attribute("block_size", 0) != 0
                                         ? by_blocks(node, *from, *w, transposed)
                                         : by_columns(node, *w, transposed);
    if (!smaller) return false;
    return replace(id, std::move(*smaller));
  }

 private:
  bool is_product(const Node& node) const {
    const bool is_plain_gemm = node.is_op("Gemm") && node.int_attribute("transA", 0) == 0 &&
                               node.float_attribute("alpha", 1.0f) == 1.0f &&
                               node.float_attribute("beta", 1.0f) == 1.0f;
    const Shape* rows = known_shape(graph_, node.input(0));
    return (is_plain_gemm || node.is_op("MatMul")) && is_float32(graph_, node.input(0)) &&
           rows != nullptr && !rows->empty();
  }

  std::optional<Smaller> by_columns(const Node& node, const Tensor& w, bool transposed) {
    const auto weights = dequantised_weights(graph_, node.input(1));
    const size_t axis = transposed ? 0 : 1;
    if (!has_gemm_ || !weights || w.dtype() != DType::kInt8 ||
        (weights->scales.size() > 1 && weights->axis != axis) || !is_symmetric(weights->zero)) {
      return std::nullopt;
    }
    std::vector<float> scales = weights->scales;
    if (scales.size() == 1) scales.assign(static_cast<size_t>(w.dims()[axis]), scales[0]);
    const ValueId column_scale = add_floats(graph_, str_cat(node.name(), "/scale"), scales);
    return Smaller{"Gemm",
                   kInternalDomain,
                   {node.input(0), weights->w, kNoValue, kNoValue, column_scale},
                   {Attribute::of_int("transB", transposed ? 1 : 0)}};
  }

  bool is_symmetric(ValueId zero) const {
    if (zero == kNoValue) return true;
    const auto numbers = constant_of(graph_, zero)->elements<int8_t>();
    return std::all_of(numbers.begin(), numbers.end(), [](int8_t z) { return z == 0; });
  }

  std::optional<Smaller> by_blocks(const Node& node, const Node& from, const Tensor& w,
                                   bool transposed) {
    const int64_t block = from.int_attribute("block_size", 0);
    int64_t axis = from.int_attribute("axis", 1);
    if (axis < 0) axis += 2;
    const Tensor* scale = constant_of(graph_, from.input(1));
    const bool has_zero = from.input(2) != kNoValue;
    const Tensor* zero = has_zero ? constant_of(graph_, from.input(2)) : nullptr;
    const bool is_signed = w.dtype() == DType::kInt4;
    if (!has_nbits_ || (!is_signed && w.dtype() != DType::kUint4) || block < 16 ||
        block > 1 << 16 || (block & (block - 1)) != 0 || axis != (transposed ? 1 : 0) ||
        scale == nullptr || scale->dtype() != DType::kFloat32 || (has_zero && zero == nullptr)) {
      return std::nullopt;
    }
    const int64_t k = w.dims()[transposed ? 1 : 0], n = w.dims()[transposed ? 0 : 1];
    const int64_t blocks = (k + block - 1) / block;
    const Dims expected = transposed ? Dims{n, blocks} : Dims{blocks, n};
    if (scale->dims() != expected ||
        (has_zero && (zero->dims() != expected || zero->dtype() != w.dtype()))) {
      return std::nullopt;
    }
    const auto place = [&](int64_t depth, int64_t column, int64_t depths) {
      return transposed ? column * depths + depth : depth * n + column;
    };
    const int32_t middle = is_signed ? 8 : 0;  // what makes the numbers 0 to 15
    auto numbers = Tensor::create(DType::kUint8, {n, blocks, block / 2});
    auto scales = Tensor::create(DType::kFloat32, {n * blocks});
    auto zeros = Tensor::create(DType::kUint8, {n * ((blocks + 1) / 2)});
    if (!numbers.is_ok() || !scales.is_ok() || !zeros.is_ok()) return std::nullopt;
    uint8_t* to = numbers->mutable_elements<uint8_t>().data();
    uint8_t* to_zero = zeros->mutable_elements<uint8_t>().data();
    std::fill_n(to, numbers->byte_size(), uint8_t{0});
    std::fill_n(to_zero, zeros->byte_size(), uint8_t{0});
    for (int64_t c = 0; c < n; ++c) {
      for (int64_t d = 0; d < k; ++d) {
        const int32_t q = integer_at(w.dtype(), w.data(), place(d, c, k)) + middle;
        to[(c * blocks * block + d) / 2] |= static_cast<uint8_t>(q << (d % 2 * 4));
      }
      for (int64_t b = 0; b < blocks; ++b) {
        const int64_t from_place = place(b, c, blocks);
        scales->mutable_elements<float>()[static_cast<size_t>(c * blocks + b)] =
            scale->elements<float>()[static_cast<size_t>(from_place)];
        const int32_t z = (has_zero ? integer_at(w.dtype(), zero->data(), from_place) : 0) + middle;
        to_zero[c * ((blocks + 1) / 2) + b / 2] |= static_cast<uint8_t>(z << (b % 2 * 4));
      }
    }
    const std::string name = node.name();
    Smaller result{
        "MatMulNBits",
        kMicrosoftDomain,
        {node.input(0), graph_.add_constant(name, std::move(*numbers)),
         graph_.add_constant(name, std::move(*scales))},
        {Attribute::of_int("K", k), Attribute::of_int("N", n), Attribute::of_int("bits", 4),
         Attribute::of_int("block_size", block), Attribute::of_int("accuracy_level", kLevelInt8)}};
    if (has_zero || !is_signed) {
      result.inputs.push_back(graph_.add_constant(name, std::move(*zeros)));
    }
    return result;
  }

  Result<bool> replace(NodeId id, Smaller smaller) {
    const Node& node = *graph_.node(id);
    const std::string name = node.name();
    const ValueId c = node.input(2), output = node.output(0);
    graph_.remove_node(id);
    ValueId result = output;
    if (c != kNoValue) {
      ASSIGN_OR_RETURN(result, graph_.add_value(graph_.unique_name(str_cat(name, "/product")),
                                                graph_.value(output)->type));
      RETURN_IF_ERROR(
          graph_.add_node("Add", "", graph_.unique_name(name), {result, c}, {output}).status());
    }
    if (smaller.domain == kMicrosoftDomain) import_domain(graph_, kMicrosoftDomain, 1);
    auto added =
        graph_.add_node(std::string(smaller.op), std::string(smaller.domain), name,
                        std::move(smaller.inputs), {result}, std::move(smaller.attributes));
    if (!added.is_ok()) return added.status();
    return true;
  }

  Graph& graph_;
  const bool has_gemm_, has_nbits_;
};

}  // namespace

Result<int> keep_small_weights(Graph& graph, const KernelRegistry& kernels) {
  WeightsAlone weights(graph, kernels);
  int matches = 0;
  const size_t bound = graph.node_bound();
  for (NodeId id = 0; id < bound; ++id) {
    if (graph.node(id) == nullptr) continue;
    ASSIGN_OR_RETURN(const bool done, weights.rewrite(id));
    matches += done ? 1 : 0;
  }
  return matches;
}

}  // namespace ortc::cpu
