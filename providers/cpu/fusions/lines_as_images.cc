// SPDX-License-Identifier: MIT
// Convolutions and pools over one axis, and the elementwise operators between them, work on images
// of one row: everything that is made for two axes serves them too.
//
//   x[n,c,w] -> Unsqueeze -> x'[n,c,1,w] -> Conv of kernel 1 by k -> Relu -> ... -> Squeeze
//
// Both are views: no byte moves.
#include <algorithm>

#include "providers/cpu/fusions/twin_rewrite.h"
#include "providers/cpu/products/narrow_panels.h"

namespace ortc::cpu {
namespace {

constexpr std::string_view kUnary[] = {
    "Relu", "LeakyRelu", "Sigmoid", "Tanh", "Clip", "HardSwish", "HardSigmoid",
    "Elu",  "Selu",      "Celu",    "Exp",  "Log",  "Softplus",  "Softsign",
    "Sqrt", "Abs",       "Neg",     "Erf",  "Gelu", "Mish",      "Identity"};
constexpr std::string_view kBinary[] = {"Add", "Sub", "Mul", "Div"};
constexpr std::string_view kPools[] = {"MaxPool", "AveragePool", "GlobalAveragePool",
                                       "GlobalMaxPool"};
constexpr std::string_view kAttributes[] = {"kernel_shape", "strides", "dilations",
                                            "output_padding"};
constexpr int64_t kAxesAreInput = 13;  // of Squeeze and Unsqueeze, from this opset on

template <size_t N>
bool is_one_of(const Node& node, const std::string_view (&names)[N]) {
  return node.domain().empty() && node.custom() == nullptr &&
         std::find(std::begin(names), std::end(names), node.op_type()) != std::end(names);
}

class LinesAsImages final : private TwinRewrite {
 public:
  explicit LinesAsImages(Graph& graph) : TwinRewrite(graph, "/image", 3) {}

  Result<int> run() {
    int matches = 0;
    ASSIGN_OR_RETURN(const auto order, graph_.topological_order());
    for (NodeId id : order) {
      ASSIGN_OR_RETURN(bool done, convert(*graph_.node(id)));
      matches += done ? 1 : 0;
    }
    RETURN_IF_ERROR(make_originals());
    return matches;
  }

 private:
  Shape twin_shape(const Shape& s) const override { return Shape{s[0], s[1], Dim::known(1), s[2]}; }
  Status add_way_there(ValueId original, ValueId twin) override {
    return add_view("Unsqueeze", original, twin);
  }
  Status add_way_back(ValueId twin, ValueId original) override {
    return add_view("Squeeze", twin, original);
  }

  Status add_view(std::string op, ValueId from, ValueId to) {
    std::vector<ValueId> inputs = {from};
    std::vector<Attribute> attributes;
    if (graph_.opset("") >= kAxesAreInput) {
      const int64_t axis = 2;
      inputs.push_back(graph_.add_constant("image_axis", Tensor::from<int64_t>({1}, {&axis, 1})));
    } else {
      attributes.push_back(Attribute::of_ints("axes", {2}));
    }
    const std::string name = str_cat(graph_.value(to)->name, "/view");
    auto added =
        graph_.add_node(std::move(op), "", name, std::move(inputs), {to}, std::move(attributes));
    return added.is_ok() ? Status::ok() : added.status();
  }

  bool is_line(ValueId id) const {
    const Shape* shape = known_shape(graph_, id);
    return shape != nullptr && shape->size() == 3 && is_float32(graph_, id);
  }

  Result<bool> convert(const Node& node) {
    if (node.outputs().empty() || !is_line(node.output(0))) return false;
    if (node.is_op("Conv") || node.is_op("ConvTranspose")) return convert_conv(node);
    if (is_one_of(node, kPools)) return convert_pool(node);
    if (is_one_of(node, kBinary)) return convert_binary(node);
    const bool is_unary = is_one_of(node, kUnary) || node.is_op("Gelu", kMicrosoftDomain);
    if (!is_unary || known_twin(node.input(0)) == kNoValue) return false;
    std::vector<ValueId> inputs = node.inputs();
    inputs[0] = known_twin(inputs[0]);
    return replace(node, node.op_type(), node.domain(), std::move(inputs), node.attributes());
  }

  // The attributes of one axis, for a row of images.
  static std::vector<Attribute> for_images(const Node& node) {
    std::vector<Attribute> attributes;
    for (const Attribute& attribute : node.attributes()) {
      const auto numbers = node.ints_attribute(attribute.name);
      const bool is_by_axis = std::find(std::begin(kAttributes), std::end(kAttributes),
                                        attribute.name) != std::end(kAttributes);
      if (is_by_axis && numbers.size() == 1) {
        const int64_t other = attribute.name == "output_padding" ? 0 : 1;
        attributes.push_back(Attribute::of_ints(attribute.name, {other, numbers[0]}));
      } else if (attribute.name == "pads" && numbers.size() == 2) {
        attributes.push_back(Attribute::of_ints("pads", {0, numbers[0], 0, numbers[1]}));
      } else {
        attributes.push_back(attribute);
      }
    }
    return attributes;
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
    if (node.inputs().size() != 2) return false;
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

Result<int> show_lines_as_images(Graph& graph, const KernelRegistry&) {
  return LinesAsImages(graph).run();
}

}  // namespace ortc::cpu
