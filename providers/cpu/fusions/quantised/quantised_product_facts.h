// SPDX-License-Identifier: MIT
// What the rewrites of products of integers ask of a graph: operands of 8 bits, and scales and zero
// points that fit them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/quantised/quantised_match.h"

namespace ortc::cpu {

class ProductFacts {
 public:
  explicit ProductFacts(const Graph& graph) : facts_(graph) {}

  bool is_float_product(const Node& node) const {
    const bool is_dynamic = node.is_op("DynamicQuantizeMatMul", kMicrosoftDomain);
    if (!is_dynamic && !node.is_op("MatMulIntegerToFloat", kMicrosoftDomain)) return false;
    const ValueId w = node.input(1);
    if (!is_byte_matrix(w) || !has_rows(node.input(0))) return false;
    const bool fits = is_dynamic
                          ? is_float32(facts_, node.input(0))
                          : is_bytes(node.input(0)) && is_single(node.input(4)) &&
                                is_float32(facts_, node.input(2)) && is_single(node.input(2));
    const int64_t count = constant(w)->dims()[1];
    const FloatProduct from = float_product_inputs(node);
    const Tensor* bias = constant(from.bias);
    const bool has_good_bias =
        from.bias == kNoValue ||
        (bias != nullptr && bias->dtype() == DType::kFloat32 && bias->element_count() == count);
    return fits && has_good_bias && scales_at(from.b_scale, count) &&
           is_constant_zero(from.b_zero, count);
  }

 protected:
  // Inputs of MatMulIntegerToFloat and DynamicQuantizeMatMul.
  struct FloatProduct {
    ValueId b_scale, b_zero, bias;
  };
  static FloatProduct float_product_inputs(const Node& node) {
    if (node.is_op("DynamicQuantizeMatMul", kMicrosoftDomain)) {
      return {node.input(2), node.input(3), node.input(4)};
    }
    return {node.input(3), node.input(5), node.input(6)};
  }

  const Tensor* constant(ValueId id) const {
    const Value* value = facts_.value(id);
    return value != nullptr ? value->constant() : nullptr;
  }

  bool has_rank(ValueId id, size_t rank) const {
    const Shape* shape = known_shape(facts_, id);
    return shape != nullptr && shape->size() == rank;
  }

  bool has_rows(ValueId id) const {
    const Shape* shape = known_shape(facts_, id);
    return shape != nullptr && !shape->empty();
  }

  bool is_bytes(ValueId id) const {
    const Value* value = facts_.value(id);
    return value != nullptr && value->type.is_tensor() &&
           (mask_of(value->type.dtype) & kInt8Types) != 0;
  }

  bool is_byte_matrix(ValueId id) const {
    const Tensor* tensor = constant(id);
    return tensor != nullptr && (mask_of(tensor->dtype()) & kInt8Types) != 0 &&
           tensor->dims().size() == 2 && tensor->element_count() > 0;
  }

  // Whether sums of so many products of two bytes, less their zero points, stay within 32 bits,
  // whatever the bytes are. The floats of a file with deeper products do not wrap.
  static bool fits_int32(int64_t depth) { return bias_room(depth) >= 0; }

  // One number for all, as far as the shape says so; nothing at all is one too.
  bool is_single(ValueId id) const {
    if (id == kNoValue) return true;
    const Value* value = facts_.value(id);
    const auto dims = value->type.dims();
    return dims && dims->size() <= 1 && (dims->empty() || (*dims)[0] == 1);
  }

  // Constant float32 numbers, one or `count`.
  std::optional<std::vector<float>> scales_at(ValueId id, int64_t count) const {
    const Tensor* tensor = constant(id);
    if (tensor == nullptr || tensor->dtype() != DType::kFloat32 || tensor->dims().size() > 1 ||
        (tensor->element_count() != 1 && tensor->element_count() != count)) {
      return std::nullopt;
    }
    return std::vector<float>(tensor->elements<float>().begin(), tensor->elements<float>().end());
  }

  // The same beside an image: one number, or one a channel.
  std::optional<std::vector<float>> channel_scales_at(ValueId id, int64_t count) const {
    const Tensor* tensor = constant(id);
    if (tensor == nullptr || tensor->dtype() != DType::kFloat32 || tensor->dims().size() > 4) {
      return std::nullopt;
    }
    const Dims& dims = tensor->dims();
    const size_t channel = dims.size() - 3;
    const bool is_by_channel = dims.size() >= 3 && dims[channel] == count &&
                               tensor->element_count() == count && dims.back() == 1;
    if (tensor->element_count() != 1 && !is_by_channel) return std::nullopt;
    return std::vector<float>(tensor->elements<float>().begin(), tensor->elements<float>().end());
  }

  // A constant zero point of 8 bits, one or `count` numbers in one row, or none.
  bool is_constant_zero(ValueId id, int64_t count) const {
    if (id == kNoValue) return true;
    const Tensor* tensor = constant(id);
    return tensor != nullptr && (mask_of(tensor->dtype()) & kInt8Types) != 0 &&
           tensor->dims().size() <= 1 &&
           (tensor->element_count() == 1 || tensor->element_count() == count);
  }

 private:
  const Graph& facts_;
};

}  // namespace ortc::cpu
