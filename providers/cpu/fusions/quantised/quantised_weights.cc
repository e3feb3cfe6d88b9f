// SPDX-License-Identifier: MIT
// Products of floats by constant weights that alone are integers; D is linear dequantisation:
//
//   MatMul(x, D(W of 8 bits, one scale or one a column))     -> MatMulNBits(x, W, scales, zeros)
//   MatMul(x, D(W of 4 or 8 bits, blocks along the depth))   -> the same
//   MatMul(x, D(W int8, one scale or one a column, no zero)) -> ortc.Gemm(x, W, scales)
//
// and Gemm with transA = 0, alpha = beta = 1 likewise, with Add for its C. The weights stay as
// small as they are in the file. Rows of x are rounded to 8 bits, blocks of 32 where the file has
// none, as ONNX Runtime does by default; where it computes in float32, which are columns of a
// transposed matrix of 8 bits, or where a session wants so, the first form gives way to the third.
// A matrix whose scale another node reads as well, as a table has it that is the output's matrix
// too, it multiplies in float32: so does the first form then, by unrounded rows.
#include <algorithm>

#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"
#include "providers/cpu/elements/small_integers.h"
#include "providers/cpu/fusions/quantised/quantised_match.h"
#include "providers/cpu/internal_ops.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kLevelInt8 = 4;
constexpr int64_t kColumnBlock = 32;  // ONNX Runtime's, for scales by column

// What stands in the place of a product by a matrix.
struct Smaller {
  std::string_view op, domain;
  std::vector<ValueId> inputs;
  std::vector<Attribute> attributes;
};

// Weights of 4 or 8 bits and the numbers that belong to them, as MatMulNBits wants them.
struct Codes {
  const Tensor *w, *scale, *zero;  // no zero: null
  bool transposed, by_blocks;
  int64_t block;

  int64_t k() const { return w->dims()[transposed ? 1 : 0]; }
  int64_t n() const { return w->dims()[transposed ? 0 : 1]; }
  int64_t blocks() const { return (k() + block - 1) / block; }
  int64_t bits() const { return dtype_bits(w->dtype()); }
  // What makes the numbers begin at 0.
  int32_t middle() const { return -integer_range(w->dtype()).lo; }
  int32_t code(int64_t depth, int64_t column) const {
    const int64_t at = transposed ? column * k() + depth : depth * n() + column;
    return integer_at(w->dtype(), w->data(), at) + middle();
  }
  // Where a block's scale and zero point stand.
  int64_t place(int64_t b, int64_t column) const {
    if (by_blocks) return transposed ? column * blocks() + b : b * n() + column;
    return scale->element_count() == 1 ? 0 : column;
  }
  int32_t zero_code(int64_t b, int64_t column) const {
    const auto z = zero != nullptr ? integer_at(w->dtype(), zero->data(), place(b, column)) : 0;
    return z + middle();
  }
};

// Numbers of one column, low bits first.
void put_code(uint8_t* column, int64_t i, int64_t bits, int32_t code) {
  column[i * bits / 8] |= static_cast<uint8_t>(code << (bits == 4 ? i % 2 * 4 : 0));
}

class WeightsAlone {
 public:
  // `rounds_rows`: rows of x may be rounded to 8 bits.
  WeightsAlone(Graph& graph, const KernelRegistry& kernels, bool rounds_rows)
      : graph_(graph),
        rounds_rows_(rounds_rows),
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
                                         : by_columns(node, *from, *w, transposed);
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

  // Whether rows of x are rounded to 8 bits. Those that were so before, with scales that come at
  // run time, are not rounded again.
  bool rounds(const Node& node, int64_t bits, bool transposed) const {
    const Node* rows = graph_.producer(node.input(0));
    const bool were_rounded = rows != nullptr && is_dequantize(*rows);
    return rounds_rows_ && (bits == 4 || (!transposed && !were_rounded));
  }

  bool is_shared(ValueId id) const {
    const Value* value = graph_.value(id);
    return value != nullptr && (value->uses.size() > 1 || value->is_read_elsewhere);
  }

  std::optional<Smaller> by_columns(const Node& node, const Node& from, const Tensor& w,
                                    bool transposed) {
    const auto weights = dequantised_weights(graph_, node.input(1));
    const size_t axis = transposed ? 0 : 1;
    if (!weights || (weights->scales.size() > 1 && weights->axis != axis)) return std::nullopt;
    const bool is_tied = is_shared(from.input(1));
    const bool fits_gemm = has_gemm_ && w.dtype() == DType::kInt8 && is_symmetric(weights->zero);
    const bool as_int8 = rounds(node, 8, transposed) && !is_tied;
    if (has_nbits_ && (as_int8 || (is_tied && !fits_gemm && !transposed))) {
      const Tensor* zero = weights->zero != kNoValue ? constant_of(graph_, weights->zero) : nullptr;
      return as_nbits(node,
                      {&w, constant_of(graph_, from.input(1)), zero, false, false, kColumnBlock},
                      as_int8);
    }
    if (!fits_gemm) return std::nullopt;
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
    constexpr TypeMask kTypes = mask_of(DType::kInt4, DType::kUint4, DType::kInt8, DType::kUint8);
    if (!has_nbits_ || (mask_of(w.dtype()) & kTypes) == 0 || block < 16 || block > 1 << 16 ||
        (block & (block - 1)) != 0 || axis != (transposed ? 1 : 0) || scale == nullptr ||
        scale->dtype() != DType::kFloat32 || (has_zero && zero == nullptr)) {
      return std::nullopt;
    }
    const Codes codes{&w, scale, zero, transposed, true, block};
    const Dims expected =
        transposed ? Dims{codes.n(), codes.blocks()} : Dims{codes.blocks(), codes.n()};
    if (scale->dims() != expected ||
        (has_zero && (zero->dims() != expected || zero->dtype() != w.dtype()))) {
      return std::nullopt;
    }
    return as_nbits(node, codes, rounds(node, codes.bits(), transposed));
  }

  std::optional<Smaller> as_nbits(const Node& node, const Codes& codes, bool as_int8) {
    const int64_t k = codes.k(), n = codes.n(), blocks = codes.blocks(), bits = codes.bits();
    const int64_t column_bytes = blocks * codes.block * bits / 8;
    const int64_t zero_bytes = (blocks * bits + 7) / 8;
    auto numbers = Tensor::create(DType::kUint8, {n, blocks, codes.block * bits / 8});
    auto scales = Tensor::create(DType::kFloat32, {n * blocks});
    auto zeros = Tensor::create(DType::kUint8, {n * zero_bytes});
    if (!numbers.is_ok() || !scales.is_ok() || !zeros.is_ok()) return std::nullopt;
    uint8_t* to = numbers->mutable_elements<uint8_t>().data();
    uint8_t* to_zero = zeros->mutable_elements<uint8_t>().data();
    float* to_scale = scales->mutable_elements<float>().data();
    const float* scale = codes.scale->elements<float>().data();
    std::fill_n(to, numbers->byte_size(), uint8_t{0});
    std::fill_n(to_zero, zeros->byte_size(), uint8_t{0});
    for (int64_t c = 0; c < n; ++c, to += column_bytes, to_zero += zero_bytes) {
      for (int64_t d = 0; d < k; ++d) put_code(to, d, bits, codes.code(d, c));
      for (int64_t b = 0; b < blocks; ++b) {
        *to_scale++ = scale[codes.place(b, c)];
        put_code(to_zero, b, bits, codes.zero_code(b, c));
      }
    }
    const std::string name = node.name();
    Smaller result{"MatMulNBits",
                   kMicrosoftDomain,
                   {node.input(0), graph_.add_constant(name, std::move(*numbers)),
                    graph_.add_constant(name, std::move(*scales))},
                   {Attribute::of_int("K", k), Attribute::of_int("N", n),
                    Attribute::of_int("bits", bits), Attribute::of_int("block_size", codes.block),
                    Attribute::of_int("accuracy_level", as_int8 ? kLevelInt8 : 1)}};
    if (codes.zero != nullptr || codes.middle() == 0) {
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
  const bool rounds_rows_, has_gemm_, has_nbits_;
};

Result<int> keep_weights(Graph& graph, const KernelRegistry& kernels, bool rounds_rows) {
  WeightsAlone weights(graph, kernels, rounds_rows);
  int matches = 0;
  const size_t bound = graph.node_bound();
  for (NodeId id = 0; id < bound; ++id) {
    if (graph.node(id) == nullptr) continue;
    ASSIGN_OR_RETURN(const bool done, weights.rewrite(id));
    matches += done ? 1 : 0;
  }
  return matches;
}

}  // namespace

Result<int> quantised_weights(Graph& graph, const KernelRegistry& kernels) {
  return keep_weights(graph, kernels, true);
}

Result<int> quantised_weights_in_float(Graph& graph, const KernelRegistry& kernels) {
  return keep_weights(graph, kernels, false);
}

}  // namespace ortc::cpu
