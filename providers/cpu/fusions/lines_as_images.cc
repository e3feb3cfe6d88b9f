// SPDX-License-Identifier: MIT
// Convolutions and pools over one axis, and what lies between them (elementwise operators, those
// that name axes), work on images of one row: everything that is made for two axes serves them too.
//
//   x[n,c,w] -> Unsqueeze -> x'[n,c,1,w] -> Conv of kernel 1 by k -> Relu -> ... -> Squeeze
//
// Both are views: no byte moves.
#include <algorithm>

#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/line_rewrite.h"
#include "providers/cpu/products/narrow_panels.h"

namespace ortc::cpu {
namespace {

constexpr std::string_view kLineUnary[] = {
    "Relu", "LeakyRelu", "Sigmoid", "Tanh", "Clip",       "HardSwish", "HardSigmoid", "Elu",
    "Selu", "Celu",      "Exp",     "Log",  "Softplus",   "Softsign",  "Sqrt",        "Abs",
    "Neg",  "Erf",       "Gelu",    "Mish", "Reciprocal", "Floor",     "Ceil",        "Identity"};
constexpr std::string_view kLineBinary[] = {"Add", "Sub", "Mul", "Div",
                                            "Max", "Min", "Pow", "PRelu"};

class LinesAsImages final : private LineRewrite {
 public:
  explicit LinesAsImages(Graph& graph) : LineRewrite(graph) {}

  using LineRewrite::run;

 private:
  bool is_line(ValueId id) const {
    const Shape* shape = known_shape(graph_, id);
    return shape != nullptr && shape->size() == 3 && is_float32(graph_, id);
  }

  Result<bool> convert(const Node& node) override {
    if (node.outputs().empty() || node.output(0) == kNoValue) return false;
    if (narrows_image(node)) return convert_by_axes(node);
    if (!is_line(node.output(0))) return false;
    if (node.is_op("Split") || node.is_op("Slice")) return convert_by_axes(node);
    if (node.is_op("Concat")) return convert_concat(node);
    if (node.is_op("Conv") || node.is_op("ConvTranspose")) return convert_conv(node);
    if (is_one_of(node, kPoolings)) return convert_pool(node);
    if (is_one_of(node, kLineBinary)) return convert_binary(node);
    // What it reads besides is along the channels; but `spatial` once told of all elements.
    const bool is_batch_norm = node.is_op("BatchNormalization") && node.outputs().size() == 1 &&
                               node.int_attribute("spatial", 1) != 0;
    const bool is_unary = is_batch_norm || is_one_of(node, kLineUnary) ||
                          node.is_op("Gelu", kMicrosoftDomain) ||
                          node.is_op("QuickGelu", kMicrosoftDomain);
    if (!is_unary || known_twin(node.input(0)) == kNoValue) return false;
    std::vector<ValueId> inputs = node.inputs();
    inputs[0] = known_twin(inputs[0]);
    return replace(node, node.op_type(), node.domain(), std::move(inputs), node.attributes());
  }

  Result<bool> convert_conv(const Node& node) {
    const Tensor* weights = constant_of(graph_, node.input(1));
    const bool fits =
        may_have_twin(node.input(0)) && weights != nullptr && weights->dims().size() == 3 &&
        (weights->dtype() == DType::kFloat32 || is_half(weights->dtype())) &&
        (node.input(2) == kNoValue || constant_of(graph_, node.input(2)) != nullptr) &&
        node.ints_attribute("output_shape").empty();
    if (!fits) return false;
    const Dims& dims = weights->dims();
    std::vector<ValueId> inputs = node.inputs();
    inputs[1] = graph_.add_constant(graph_.value(inputs[1])->name,
                                    weights->reshaped({dims[0], dims[1], 1, dims[2]}));
    ASSIGN_OR_RETURN(inputs[0], twin_of(inputs[0]));
    return replace(node, node.op_type(), "", std::move(inputs), for_images(node));
  }

  Result<bool> convert_pool(const Node& node) {
    if (!is_line(node.input(0)) || node.output(1) != kNoValue) return false;
    // A pool alone is not worth a change of layout, which images come to.
    if (known_twin(node.input(0)) == kNoValue) return false;
    return replace(node, node.op_type(), "", {known_twin(node.input(0))}, for_images(node));
  }

  Result<bool> convert_by_axes(const Node& node) {
    const ValueId twin = known_twin(node.input(0));
    if (twin == kNoValue) return false;
    ASSIGN_OR_RETURN(auto form, form_on_twin(graph_, node, twin, kLineAxes));
    if (!form) return false;
    return take_form(node, std::move(*form));
  }

  Result<bool> convert_concat(const Node& node) {
    const int64_t axis = node.int_attribute("axis", 1);
    const bool fits = kLineAxes.has(axis) &&
                      std::ranges::any_of(node.inputs(),
                                          [&](ValueId id) { return known_twin(id) != kNoValue; }) &&
                      std::ranges::all_of(node.inputs(), [&](ValueId id) { return is_line(id); });
    if (!fits) return false;
    std::vector<ValueId> inputs;
    for (const ValueId id : node.inputs()) {
      ASSIGN_OR_RETURN(const ValueId twin, twin_of(id));
      inputs.push_back(twin);
    }
    return replace(node, "Concat", "", std::move(inputs),
                   {Attribute::of_int("axis", kLineAxes.of(axis))});
  }

  // A constant with a row of one in it.
  ValueId constant_twin(ValueId id) {
    const Tensor* constant = constant_of(graph_, id);
    if (constant == nullptr || constant->dims().size() > 3) return kNoValue;
    if (constant->dims().size() <= 1) return id;  // along the last axis, or one number
    Dims dims = constant->dims();
    dims.insert(dims.end() - 1, 1);
    return graph_.add_constant(graph_.value(id)->name, constant->reshaped(std::move(dims)));
  }

  Result<bool> convert_binary(const Node& node) {
    if (node.inputs().size() != 2 || !broadcasts_as_numpy(node)) return false;
    const auto has_twin = [&](ValueId id) { return known_twin(id) != kNoValue; };
    const auto fits = [&](ValueId id) {
      const Tensor* constant = constant_of(graph_, id);
      return constant != nullptr ? constant->dims().size() <= 3 : is_line(id);
    };
    if (!std::any_of(node.inputs().begin(), node.inputs().end(), has_twin) ||
        !std::all_of(node.inputs().begin(), node.inputs().end(), fits)) {
      return false;
    }
    std::vector<ValueId> inputs;
    for (ValueId id : node.inputs()) {
      inputs.push_back(constant_twin(id));
      if (inputs.back() == kNoValue) {
        ASSIGN_OR_RETURN(inputs.back(), twin_of(id));
      }
    }
    return replace(node, node.op_type(), "", std::move(inputs), node.attributes());
  }
};

}  // namespace

Result<int> lines_as_images(Graph& graph, const KernelRegistry&) {
  return LinesAsImages(graph).run();
}

}  // namespace ortc::cpu
