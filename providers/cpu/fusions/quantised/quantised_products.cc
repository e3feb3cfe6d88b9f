// SPDX-License-Identifier: MIT
// Products of integers, with x an 8-bit tensor and W constant 8-bit weights:
//
//   MatMul(D(x), D(W))             -> ortc.QGemm(x, W) {scale}           float32
//   MatMul(D(x), D(y)), scaled     -> ortc.QMatMul(x, y) {scale}         float32, y computed
//   Gemm(D(x), D(W), bias)         -> ortc.QGemm(x, W) {scale, bias}
//   Conv(D(x), D(W), bias)         -> ortc.QConv(x, W) {scale, bias}     rank 4
//   QLinearMatMul, QLinearConv     -> ortc.QGemm, ortc.QConv {scale, bias, y_scale, y_zero}
//   MatMulInteger, ConvInteger     -> ortc.QGemm, ortc.QConv             int32
//   MatMulIntegerToFloat           -> ortc.QGemm {scale, a_scale, bias}
//   DynamicQuantizeMatMul          -> DynamicQuantizeLinear, ortc.QGemm {scale, a_scale, bias}
//   Mul(Cast(ortc.QGemm), s)       -> ortc.QGemm {scale: constant factors of s, a_scale: others};
//                                     ortc.QConv likewise, s one number or one a channel
//
// W is never expanded to floats. A QConv keeps ONNX's layout, said by its attribute `nchw`, until
// the channels-last rewrite takes it: it takes all of them.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/rewrite/changes.h"
#include "providers/cpu/arith/depthwise_f32/depthwise_f32.h"
#include "providers/cpu/fusions/quantised/quantised_match.h"
#include "providers/cpu/fusions/quantised/quantised_product_facts.h"
#include "providers/cpu/fusions/spelling.h"
#include "providers/cpu/internal_ops.h"

namespace ortc::cpu {
namespace {

// How far the scale of a bias may be from the product of the others' that it stands for.
constexpr float kScaleTolerance = 1e-5f;

constexpr int64_t kDynamicOpset = 11;  // the first with DynamicQuantizeLinear

using Input = QProductInput;

struct Product {
  Product() { inputs.fill(kNoValue); }
  std::array<ValueId, Input::kCount> inputs;  // of QGemm or QConv
  std::vector<Attribute> attributes;
};

class Products : private ProductFacts {
 public:
  Products(Graph& graph, const KernelRegistry& kernels)
      : ProductFacts(graph),
        graph_(graph),
        has_gemm_(kernels.knows_operator("QGemm", kInternalDomain)),
        has_conv_(kernels.knows_operator("QConv", kInternalDomain)),
        has_matmul_(kernels.knows_operator("QMatMul", kInternalDomain)) {}

  Result<int> run() {
    return for_nodes(graph_, [&](Node& node) { return rewrite(node.id()); });
  }

 private:
  Result<bool> rewrite(NodeId id) {
    const Node& node = *graph_.node(id);
    if (node.is_op("Conv") || node.is_op("QLinearConv") || node.is_op("ConvInteger")) {
      if (!has_conv_) return false;
      if (node.is_op("Conv")) return rewrite_conv(node);
      return node.is_op("QLinearConv") ? rewrite_qlinear_conv(node) : rewrite_conv_integer(node);
    }
    if (!has_gemm_) return false;
    if (node.is_op("MatMul")) return rewrite_matmul(node);
    if (node.is_op("Gemm")) return rewrite_gemm(node);
    if (node.is_op("QLinearMatMul")) return rewrite_qlinear_matmul(node);
    if (node.is_op("MatMulInteger")) return rewrite_matmul_integer(node);
    if (node.is_op("MatMulIntegerToFloat", kMicrosoftDomain)) return rewrite_to_float(node);
    if (node.is_op("DynamicQuantizeMatMul", kMicrosoftDomain)) return rewrite_dynamic(node);
    return false;
  }

  static std::vector<float> times(std::vector<float> scales, float factor) {
    for (float& scale : scales) scale = factor * scale;
    return scales;
  }

  // --- Changes.

  Result<bool> replace(NodeId id, std::string op, Product product) {
    const Node& node = *graph_.node(id);
    const std::vector<ValueId> outputs = {node.output(0)};
    const std::string name = node.name();
    std::vector<ValueId> inputs(product.inputs.begin(), product.inputs.end());
    while (inputs.back() == kNoValue) inputs.pop_back();
    graph_.remove_node(id);
    auto added = graph_.add_node(std::move(op), std::string(kInternalDomain), name, inputs, outputs,
                                 std::move(product.attributes));
    if (!added.is_ok()) return added.status();
    return true;
  }

  // A and W of a product whose operands are dequantised; scales come with it.
  std::vector<float> take_operands(Product& product, const Dequantised& a,
                                   const DequantisedWeights& w) {
    product.inputs[Input::kA] = a.x;
    product.inputs[Input::kAZero] = add_zero(graph_, a.params);
    product.inputs[Input::kB] = w.w;
    product.inputs[Input::kBZero] = w.zero;
    return times(w.scales, a.params.scale);
  }

  // Whether a bias of integers can be added to sums of `depth` products, which have these scales.
  bool joins_sums(const ConstantNumbers& bias, int64_t depth, const std::vector<float>& scales) {
    if (bias.integers == kNoValue) return false;
    const auto integers = constant(bias.integers)->elements<int32_t>();
    for (size_t i = 0; i < integers.size(); ++i) {
      const float found = bias.scales[bias.scales.size() > 1 ? i : 0];
      const float expected = scales[scales.size() > 1 ? i : 0];
      if (!(std::fabs(found - expected) <= kScaleTolerance * expected) ||
          std::abs(int64_t{integers[i]}) > bias_room(depth)) {
        return false;
      }
    }
    return true;
  }

  // The bias times `factor`, nothing of it for 0.
  bool take_bias(Product& product, ValueId bias, int64_t count, int64_t depth,
                 const std::vector<float>& scales, float factor) {
    if (bias == kNoValue || factor == 0.0f) return true;
    auto numbers = constant_vector(graph_, bias, count);
    if (!numbers) return false;
    if (factor == 1.0f && joins_sums(*numbers, depth, scales)) {
      product.inputs[Input::kBiasI32] = numbers->integers;
      return true;
    }
    for (float& number : numbers->numbers) number *= factor;
    product.inputs[Input::kBiasF32] =
        add_floats(graph_, graph_.value(bias)->name, numbers->numbers);
    return true;
  }

  void take_scales(Product& product, const Node& node, const std::vector<float>& scales) {
    product.inputs[Input::kScale] = add_floats(graph_, str_cat(node.name(), "/scale"), scales);
  }

  // --- Matrices.

  Result<bool> rewrite_matmul(const Node& node) {
    const auto a = dequantised(graph_, node.input(0));
    const auto w = dequantised_weights(graph_, node.input(1));
    if (!w) return rewrite_computed(node);
    if (!a || !is_byte_matrix(w->w) || !has_rows(node.input(0))) return false;
    if (w->scales.size() > 1 && w->axis != 1) return false;
    if (!fits_int32(constant(w->w)->dims()[0])) return false;
    Product product;
    take_scales(product, node, take_operands(product, *a, *w));
    return replace(node.id(), "QGemm", std::move(product));
  }

  // The number that a Mul or Div with a constant multiplies `x` by.
  std::optional<float> factor_behind(const Node& next, ValueId x, size_t rank) const {
    const bool first = next.input(0) == x;
    const bool is_div = next.is_op("Div") && first;
    const Shape* scaled = known_shape(graph_, next.output(0));
    if ((!is_div && !next.is_op("Mul")) || scaled == nullptr || scaled->size() != rank) {
      return std::nullopt;
    }
    const std::optional<float> number = constant_scalar(graph_, next.input(first ? 1 : 0));
    if (!number.has_value()) return std::nullopt;
    return is_div ? 1.0f / *number : *number;
  }

  // Both operands are computed. One number that the product is multiplied by or divided by
  // afterwards joins the scale.
  Result<bool> rewrite_computed(const Node& node) {
    const auto a = dequantised(graph_, node.input(0)), b = dequantised(graph_, node.input(1));
    const Shape* y = known_shape(graph_, node.output(0));
    if (!a || !b || y == nullptr || !has_matmul_) return false;
    // What is deeper only in a run is the kernel's to see.
    const Shape* x = known_shape(graph_, node.input(0));
    if (x != nullptr && !x->empty() && !fits_int32(x->back().value)) return false;
    float scale = a->params.scale * b->params.scale;
    NodeId last = node.id();
    if (const Node* next = graph_.only_consumer(node.output(0))) {
      const std::optional<float> factor = factor_behind(*next, node.output(0), y->size());
      if (factor.has_value()) {
        scale *= *factor;
        last = next->id();
        graph_.remove_node(node.id());
      }
    }
    const ValueId output = graph_.node(last)->output(0);
    const std::string name = graph_.node(last)->name();
    graph_.remove_node(last);
    auto added = graph_.add_node(
        "QMatMul", std::string(kInternalDomain), name, {a->x, b->x}, {output},
        {Attribute::of_float("scale", scale), Attribute::of_int("a_zero", a->params.zero),
         Attribute::of_int("b_zero", b->params.zero)});
    if (!added.is_ok()) return added.status();
    return true;
  }

  Result<bool> rewrite_gemm(const Node& node) {
    const auto a = dequantised(graph_, node.input(0));
    const auto w = dequantised_weights(graph_, node.input(1));
    const size_t columns = node.int_attribute("transB", 0) != 0 ? 0 : 1;
    if (!a || !w || !is_byte_matrix(w->w) || !has_rank(node.input(0), 2) ||
        node.int_attribute("transA", 0) != 0 || (w->scales.size() > 1 && w->axis != columns)) {
      return false;
    }
    const int64_t count = constant(w->w)->dims()[columns];
    const int64_t depth = constant(w->w)->dims()[1 - columns];
    if (!fits_int32(depth)) return false;
    const float alpha = node.float_attribute("alpha", 1.0f);
    Product product;
    const std::vector<float> scales = times(take_operands(product, *a, *w), alpha);
    const float beta = node.float_attribute("beta", 1.0f);
    if (!take_bias(product, node.input(2), count, depth, scales, beta)) {
      return false;
    }
    take_scales(product, node, scales);
    product.attributes.push_back(Attribute::of_int("transB", columns == 0 ? 1 : 0));
    return replace(node.id(), "QGemm", std::move(product));
  }

  Result<bool> rewrite_qlinear_matmul(const Node& node) {
    const ValueId w = node.input(3);
    if (!is_byte_matrix(w) || !has_rows(node.input(0))) return false;
    const int64_t count = constant(w)->dims()[1];
    Product product;
    if (!take_qlinear(product, node, count)) return false;
    return replace(node.id(), "QGemm", std::move(product));
  }

  // Inputs 0 to 7 of QLinearMatMul and QLinearConv.
  bool take_qlinear(Product& product, const Node& node, int64_t count) {
    const auto a_scale = scales_at(node.input(1), 1), w_scale = scales_at(node.input(4), count);
    const auto y_scale = scales_at(node.input(6), 1);
    if (!a_scale || !w_scale || !y_scale || !is_constant_zero(node.input(2), 1) ||
        !is_constant_zero(node.input(5), count) || !is_constant_zero(node.input(7), 1) ||
        constant(node.input(7)) == nullptr) {
      return false;
    }
    product.inputs[Input::kA] = node.input(0);
    product.inputs[Input::kB] = node.input(3);
    product.inputs[Input::kAZero] = node.input(2);
    product.inputs[Input::kBZero] = node.input(5);
    product.inputs[Input::kYZero] = node.input(7);
    take_scales(product, node, times(*w_scale, (*a_scale)[0]));
    product.attributes.push_back(Attribute::of_float("y_scale", (*y_scale)[0]));
    return true;
  }

  Result<bool> rewrite_matmul_integer(const Node& node) {
    const ValueId w = node.input(1);
    if (!is_byte_matrix(w) || !has_rows(node.input(0)) || !is_bytes(node.input(0)) ||
        !is_single(node.input(2)) || !is_constant_zero(node.input(3), constant(w)->dims()[1])) {
      return false;
    }
    Product product;
    product.inputs[Input::kA] = node.input(0);
    product.inputs[Input::kB] = w;
    product.inputs[Input::kAZero] = node.input(2);
    product.inputs[Input::kBZero] = node.input(3);
    const NodeId last = take_factor(product, node, constant(w)->dims()[1], false);
    return replace(last, "QGemm", std::move(product));
  }

  // Mul(Cast(product), s) behind the product: s is a constant, or Mul of a computed number and a
  // constant. The node in whose place the new one is made: that Mul, the others are gone then; or
  // the product itself.
  NodeId take_factor(Product& product, const Node& node, int64_t count, bool is_conv) {
    const NodeId id = node.id();
    Node* cast = graph_.only_consumer(node.output(0));
    if (cast == nullptr || !cast->is_op("Cast") || !is_float32(graph_, cast->output(0))) return id;
    Node* mul = graph_.only_consumer(cast->output(0));
    if (mul == nullptr || !mul->is_op("Mul")) return id;
    const ValueId factor = mul->input(mul->input(0) == cast->output(0) ? 1 : 0);
    if (factor == cast->output(0) || !is_float32(graph_, factor)) return id;
    const auto numbers = [&](ValueId v) {
      return is_conv ? channel_scales_at(v, count) : scales_at(v, count);
    };
    auto scales = numbers(factor);
    ValueId a_scale = kNoValue;
    if (const Node* parts = graph_.producer(factor); parts != nullptr && parts->is_op("Mul")) {
      const size_t second = constant(parts->input(1)) != nullptr ? 1 : 0;
      scales = numbers(parts->input(second));
      a_scale = parts->input(1 - second);
      if (!is_single(a_scale)) scales.reset();
    }
    if (!scales) return id;
    product.inputs[Input::kAScale] = a_scale;
    take_scales(product, node, *scales);
    const NodeId last = mul->id();
    graph_.remove_node(cast->id());
    graph_.remove_node(id);
    return last;
  }

  // B, its scale and zero point and the bias of the two operators of com.microsoft.
  void take_float_product(Product& product, const Node& node) {
    const FloatProduct from = float_product_inputs(node);
    const ValueId w = node.input(1);
    product.inputs[Input::kB] = w;
    product.inputs[Input::kBZero] = from.b_zero;
    product.inputs[Input::kBiasF32] = from.bias;
    take_scales(product, node, *scales_at(from.b_scale, constant(w)->dims()[1]));
  }

  Result<bool> rewrite_to_float(const Node& node) {
    Product product;
    if (!is_float_product(node)) return false;
    take_float_product(product, node);
    product.inputs[Input::kA] = node.input(0);
    product.inputs[Input::kAScale] = node.input(2);
    product.inputs[Input::kAZero] = node.input(4);
    return replace(node.id(), "QGemm", std::move(product));
  }

  Result<bool> rewrite_dynamic(const Node& node) {
    Product product;
    if (!is_float_product(node)) return false;
    take_float_product(product, node);
    const Value& a = *graph_.value(node.input(0));
    const std::string stem = a.name;
    const Type type = Type::tensor(DType::kUint8, a.type.shape);
    std::vector<ValueId> parts;
    for (const auto& [suffix, part] : {std::pair<std::string_view, Type>{"/quantised", type},
                                       {"/scale", Type::tensor(DType::kFloat32, Shape{})},
                                       {"/zero_point", Type::tensor(DType::kUint8, Shape{})}}) {
      ASSIGN_OR_RETURN(const ValueId id,
                       graph_.add_value(graph_.unique_name(str_cat(stem, suffix)), part));
      parts.push_back(id);
    }
    auto added = graph_.add_node("DynamicQuantizeLinear", "", str_cat(node.name(), "/quantize"),
                                 {node.input(0)}, parts);
    if (!added.is_ok()) return added.status();
    read_with(graph_, (*added)->id(), kDynamicOpset);
    product.inputs[Input::kA] = parts[0];
    product.inputs[Input::kAScale] = parts[1];
    product.inputs[Input::kAZero] = parts[2];
    return replace(node.id(), "QGemm", std::move(product));
  }

  // --- Convolutions.

  // Weights of rank 4 with channels, over an image of rank 4.
  bool is_image_conv(const Node& node, ValueId x, ValueId w) const {
    const Tensor* weights = constant(w);
    return weights != nullptr && (mask_of(weights->dtype()) & kInt8Types) != 0 &&
           weights->dims().size() == 4 && weights->element_count() > 0 && has_rank(x, 4) &&
           has_rank(node.output(0), 4);
  }

  // Many groups of few channels: channels last, each window of each group would be brought
  // together byte by byte. The operators themselves copy lines. Single channels of few filters are
  // depthwise.
  bool has_thin_groups(const Node& node, ValueId w) const {
    constexpr int64_t kThin = 4;
    const Dims& dims = constant(w)->dims();
    const int64_t groups = node.int_attribute("group", 1);
    if (groups <= 1 || dims[1] >= kThin) return false;
    return dims[1] > 1 || static_cast<size_t>(dims[0] / groups) > kMostFilters;
  }

  // Whether a convolution whose sums are all that is wanted is better left alone: channels last, x
  // and the sums would be turned for it only. Where windows are long and far apart, or pixels few,
  // it is the weights that matter, which are packed for channels last once and for all.
  bool stays_alone(const Node& node, ValueId w) const {
    constexpr int64_t kFewPixels = 100, kShortWindow = 100, kRun = 4;
    const Dims& dims = constant(w)->dims();
    const int64_t groups = node.int_attribute("group", 1);
    if (groups > 1 && dims[1] == 1 && dims[0] == groups) return false;  // depthwise
    const Shape* y = known_shape(graph_, node.output(0));
    if (y == nullptr || y->size() != 4) return false;
    const Dim &height = (*y)[2], &width = (*y)[3];
    const auto pixels = height.is_known() && width.is_known()
                            ? checked_mul(height.value, width.value)
                            : std::nullopt;
    if (pixels && *pixels < kFewPixels) return false;
    const auto strides = node.ints_attribute("strides");
    const bool is_dense = std::ranges::all_of(strides, [](int64_t n) { return n == 1; });
    return is_dense || dims[1] * dims[2] * dims[3] <= kShortWindow ||
           (groups > 1 && dims[1] % kRun != 0);
  }

  // `attributes` are those of the convolution, in whose place or behind which `id` is.
  Result<bool> replace_conv(NodeId id, Product product, const std::vector<Attribute>& attributes) {
    for (const Attribute& attribute : attributes) product.attributes.push_back(attribute);
    product.attributes.push_back(Attribute::of_int("nchw", 1));
    return replace(id, "QConv", std::move(product));
  }

  Result<bool> rewrite_conv(const Node& node) {
    const auto a = dequantised(graph_, node.input(0));
    const auto w = dequantised_weights(graph_, node.input(1));
    if (!a || !w || !is_image_conv(node, node.input(0), w->w) ||
        (w->scales.size() > 1 && w->axis != 0)) {
      return false;
    }
    const Tensor& weights = *constant(w->w);
    const int64_t filters = weights.dims()[0];
    const int64_t depth = weights.element_count() / filters;
    if (!fits_int32(depth)) return false;
    Product product;
    const std::vector<float> scales = take_operands(product, *a, *w);
    if (!take_bias(product, node.input(2), filters, depth, scales, 1.0f)) return false;
    take_scales(product, node, scales);
    return replace_conv(node.id(), std::move(product), node.attributes());
  }

  Result<bool> rewrite_qlinear_conv(const Node& node) {
    const ValueId bias = node.input(8);
    if (!is_image_conv(node, node.input(0), node.input(3)) || !is_bytes(node.input(0)) ||
        has_thin_groups(node, node.input(3))) {
      return false;
    }
    Product product;
    if (!take_qlinear(product, node, constant(node.input(3))->dims()[0])) return false;
    if (bias != kNoValue && constant(bias) == nullptr) return false;
    product.inputs[Input::kBiasI32] = bias;
    return replace_conv(node.id(), std::move(product), node.attributes());
  }

  Result<bool> rewrite_conv_integer(const Node& node) {
    if (!is_image_conv(node, node.input(0), node.input(1)) || !is_bytes(node.input(0)) ||
        !is_single(node.input(2)) || has_thin_groups(node, node.input(1)) ||
        !is_constant_zero(node.input(3), constant(node.input(1))->dims()[0])) {
      return false;
    }
    Product product;
    product.inputs[Input::kA] = node.input(0);
    product.inputs[Input::kB] = node.input(1);
    product.inputs[Input::kAZero] = node.input(2);
    product.inputs[Input::kBZero] = node.input(3);
    const std::vector<Attribute> attributes = node.attributes();
    const NodeId id = node.id();  // which is gone where a factor was taken
    const NodeId last = take_factor(product, node, constant(node.input(1))->dims()[0], true);
    if (last == id && stays_alone(node, node.input(1))) return false;
    return replace_conv(last, std::move(product), attributes);
  }

  Graph& graph_;
  const bool has_gemm_, has_conv_, has_matmul_;
};

}  // namespace

Result<int> quantised_products(Graph& graph, const KernelRegistry& kernels) {
  return Products(graph, kernels).run();
}

}  // namespace ortc::cpu
