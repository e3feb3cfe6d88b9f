// SPDX-License-Identifier: MIT
// Convolutions, pools and what lies between them (elementwise operators, those that name axes,
// shuffled channels) work on channels-last twins of their values:
//
//   x[n,c,h,w] -> Transpose -> x'[n,h,w,c] -> ortc.Conv -> y' -> Relu -> z' -> ... -> Transpose
//
// Weights keep ONNX's layout here: the kernel packs them. A convolution that stands alone stays in
// ONNX's layout where turning its result would cost more than another form saves.
#include <algorithm>
#include <array>

#include "core/rewrite/changes.h"
#include "core/rewrite/facts.h"
#include "providers/cpu/arith/conv_dots_f32/conv_dots_f32.h"
#include "providers/cpu/fusions/quantised/quantised_match.h"
#include "providers/cpu/fusions/twin_axes.h"
#include "providers/cpu/fusions/twin_rewrite.h"
#include "providers/cpu/fusions/twin_turns.h"
#include "providers/cpu/internal_ops.h"
#include "providers/cpu/products/plane_product.h"

namespace ortc::cpu {
namespace {

constexpr std::string_view kUnary[] = {
    "Relu", "LeakyRelu",  "Sigmoid",  "Tanh",     "Clip",     "HardSwish", "HardSigmoid",
    "Elu",  "Selu",       "Celu",     "Softplus", "Softsign", "Exp",       "Log",
    "Sqrt", "Abs",        "Neg",      "Erf",      "Gelu",     "Mish",      "Floor",
    "Ceil", "Reciprocal", "Identity", "Cast",     "Not"};
constexpr std::string_view kBroadcast[] = {
    "Add",   "Sub",  "Mul",   "Div",     "Pow",  "Max",         "Min",
    "Sum",   "Mean", "PRelu", "Greater", "Less", "LessOrEqual", "GreaterOrEqual",
    "Equal", "And",  "Or",    "Where"};
constexpr TypeMask kFloatOrBytes = mask_of(DType::kFloat32, DType::kUint8, DType::kInt8);
constexpr TypeMask kHalves = mask_of(DType::kFloat16, DType::kBfloat16);
constexpr TypeMask kImageTypes =
    kFloatOrBytes | kHalves | mask_of(DType::kInt32, DType::kInt64, DType::kBool);
// Where a convolution that stands alone is better off in ONNX's layout (bench/operators Conv):
// pixels of the result, for windows over all channels and for others; channels for single pixels.
constexpr int64_t kSomePixels = 128, kManyPixels = 576;
constexpr int64_t kLightRows = 3;  // rows of a product that cost no more than turning pixels
constexpr int64_t kFewOutputs = 24, kDepthwise = 8;  // channels of a transposed convolution
constexpr int64_t kPixelDepth = 320;  // terms of one pixel up to which copies of it are worth it
// Readers that have no use for channels last.
constexpr std::string_view kEnds[] = {"Reshape", "Flatten", "Squeeze"};
constexpr std::string_view kViews[] = {"Reshape", "Unsqueeze", "Transpose"};

constexpr int64_t kToImage[] = {0, 3, 1, 2};
constexpr int64_t kShapeIsInput = 5;  // of Reshape, from this opset on
constexpr int kFarReader = 32;        // nodes from a value to a reader that counts

class ChannelsLast final : private TwinRewrite {
 public:
  ChannelsLast(Graph& graph, const KernelRegistry& kernels)
      : TwinRewrite(graph, "/nhwc", 4), kernels_(kernels) {}

  Result<int> run() {
    ASSIGN_OR_RETURN(const auto order, graph_.topological_order());
    for (NodeId id : order) {
      if (graph_.node(id) == nullptr) continue;  // a Transpose back to what it came from
      const Node& node = *graph_.node(id);
      reader_ = node.label();
      ASSIGN_OR_RETURN(bool done, convert(node));
      matches_ += done ? 1 : 0;
    }
    RETURN_IF_ERROR(make_originals());
    return matches_;
  }

 private:
  bool has_kernel(std::string_view op) const {
    return kernels_.knows_operator(op, kInternalDomain);
  }

  bool has_type(ValueId id, TypeMask types) const {
    const Value* value = graph_.value(id);
    return value != nullptr && value->type.is_tensor() && (mask_of(value->type.dtype) & types) != 0;
  }

  bool is_image(ValueId id, TypeMask types = mask_of(DType::kFloat32)) const {
    const Shape* shape = known_shape(graph_, id);
    return shape != nullptr && shape->size() == 4 && has_type(id, types);
  }

  Shape twin_shape(const Shape& s) const override { return Shape{s[0], s[2], s[3], s[1]}; }
  // Where the rank follows from the reader alone, this is where a wrong one is found: the name says
  // whose input it is.
  Status add_way_there(ValueId original, ValueId twin) override {
    const std::string name = str_cat(graph_.value(original)->name, " for ", reader_);
    ASSIGN_OR_RETURN(const bool is_done, turn_line(graph_, name, original, twin));
    return is_done ? Status::ok() : add_transpose(graph_, name, original, twin, {0, 2, 3, 1});
  }
  Status add_way_back(ValueId twin, ValueId original) override {
    return add_transpose(graph_, transpose_name(original), twin, original, {0, 3, 1, 2});
  }

  std::string transpose_name(ValueId to) const {
    return str_cat(graph_.value(to)->name, "/transpose");
  }
  // A constant that varies along one axis at most, for an operand beside channels-last values.
  ValueId constant_twin(ValueId id) {
    const Tensor* constant = graph_.value(id)->constant();
    if (constant == nullptr || constant->dims().size() > 4) return kNoValue;
    Dims dims(4 - constant->dims().size(), 1);
    dims.insert(dims.end(), constant->dims().begin(), constant->dims().end());
    if (std::count_if(dims.begin() + 1, dims.end(), [](int64_t d) { return d != 1; }) > 1)
      return kNoValue;
    if (constant->element_count() == 1) return id;
    return graph_.add_constant(graph_.value(id)->name,
                               constant->reshaped({dims[0], dims[2], dims[3], dims[1]}));
  }

  Result<bool> convert(const Node& node) {
    if (node.is_op("Shape")) return convert_shape(node);
    if (node.outputs().empty() || !is_image(node.output(0), kImageTypes)) {
      if (node.is_op("Transpose")) return convert_transpose(node);
      return node.is_op("Reshape") ? convert_to_line(node) : convert_by_axes(node);
    }
    if (node.is_op("QConv", kInternalDomain)) return convert_qconv(node);
    if (is_quantised_binary(node)) return convert_quantised_binary(node);
    if (node.is_op("QLinearGlobalAveragePool", kMicrosoftDomain))
      return convert_quantised_average(node);
    if (node.is_op("Conv") || node.is_op("ConvTranspose")) return convert_conv(node);
    if (is_one_of(node, kPoolings)) return convert_pool(node);
    if (node.is_op("Concat")) return convert_concat(node);
    if (node.is_op("Reshape")) return convert_shuffle(node);
    if (is_by_element(node) && known_twin(node.input(0)) != kNoValue) {
      std::vector<ValueId> inputs = node.inputs();
      inputs[0] = known_twin(inputs[0]);
      return replace(node, node.op_type(), node.domain(), std::move(inputs), node.attributes());
    }
    if (is_one_of(node, kBroadcast)) return convert_broadcast(node);
    return node.is_op("Transpose") ? convert_transpose(node) : convert_by_axes(node);
  }

  // Whether nobody who reads it works on channels last.
  bool ends_at(ValueId id) const {
    return std::ranges::all_of(graph_.value(id)->uses, [&](const Use& use) {
      return is_one_of(*graph_.node(use.node), kEnds);
    });
  }

  // Nothing before or behind it is channels last. What is rounded to half precision is read behind
  // that.
  bool stands_alone(const Node& node) const {
    const UseList& uses = graph_.value(node.output(0))->uses;
    const Node* reader = uses.size() == 1 ? graph_.node(uses[0].node) : nullptr;
    const bool is_rounded = reader != nullptr && reader->is_op("Cast");
    return known_twin(node.input(0)) == kNoValue &&
           ends_at(is_rounded ? reader->output(0) : node.output(0));
  }

  // So few products of single pixels are no more than turning what is read, where that is no view
  // that turns for nothing; strides leave most of it out.
  bool is_light(const Node& node, int64_t rows, int64_t depth) const {
    const Node* producer = graph_.producer(node.input(0));
    const auto strides = node.ints_attribute("strides");
    const bool is_strided = std::ranges::any_of(strides, [](int64_t s) { return s > 1; });
    return rows <= kLightRows && (!is_strided || depth == 1) &&
           (producer == nullptr || !is_one_of(*producer, kViews));
  }

  // Panels of channels would be mostly empty. Dots are as good for the fewest.
  static bool has_few_rows(const Dims& w, int64_t groups) {
    return w[0] / groups <= kPlaneRows && (groups > 1 || w[0] > int64_t{kDotsOut});
  }

  // Few terms per pixel, few channels of the result in a group, a filter per channel, or windows of
  // one pixel; without an epilogue, which is for channels last.
  bool is_better_over_planes(const Node& node) const {
    const Dims& w = constant_of(graph_, node.input(1))->dims();
    const Shape* y = known_shape(graph_, node.output(0));
    const bool is_plain = node.is_op("Conv") && node.inputs().size() <= 3 &&
                          node.string_attribute("activation", "").empty();
    if (!is_plain || w.size() != 4) return false;
    if (!(*y)[2].is_known() || !(*y)[3].is_known()) return false;
    const int64_t width = (*y)[3].value, pixels = checked_mul((*y)[2].value, width).value_or(0);
    const auto taps = checked_mul(w[2], w[3]);
    if (!taps) return false;
    const auto depth = checked_mul(w[1], *taps);
    const auto dilations = node.ints_attribute("dilations");
    const auto reach = checked_mul(w[3] - 1, dilations.size() == 2 ? dilations[1] : 1);
    // Narrow images are mostly borders.
    if (!depth || !reach || *reach > width / 2) return false;
    const int64_t groups = node.int_attribute("group", 1);
    if (*taps == 1 && is_light(node, w[0] / groups, w[1])) return true;
    if (w[1] == 1 && groups > 1) return pixels >= (w[0] > groups ? kSomePixels : kManyPixels);
    if (pixels < kSomePixels) return false;
    if (*taps != 1) return *depth <= kPlaneDepth || has_few_rows(w, groups);
    return *depth <= kPixelDepth || reads_in_place(w[0] / groups, *depth, pixels);
  }

  // A transposed convolution of single pixels, or to few channels of each group: lines of pixels
  // are added. Channels last, which multiplies groups one by one, has packed its weights before,
  // and adds filters of one channel for all of them.
  bool is_better_spread(const Node& node) const {
    if (!node.is_op("ConvTranspose") || node.inputs().size() > 3) return false;
    const Dims& w = constant_of(graph_, node.input(1))->dims();
    const Shape* x = known_shape(graph_, node.input(0));
    if (w.size() != 4 || x == nullptr || !node.string_attribute("activation", "").empty()) {
      return false;
    }
    if (w[2] == 1 && w[3] == 1) return true;
    if (!(*x)[2].is_known() || !(*x)[3].is_known()) return false;
    const int64_t groups = node.int_attribute("group", 1);
    const bool is_depthwise = groups >= kDepthwise && w[0] == groups && w[1] == 1;
    const int64_t pixels = checked_mul((*x)[2].value, (*x)[3].value).value_or(0);
    // Taps that do not overlap need no sums.
    const auto strides = node.ints_attribute("strides");
    const bool is_disjoint = strides.size() == 2 && strides[0] >= w[2] && strides[1] >= w[3];
    const int64_t most = is_disjoint ? pixels : pixels / 2;
    return !is_depthwise && w[1] <= kFewOutputs && w[1] * w[2] * w[3] <= most;
  }

  // Nothing is turned to be measured.
  Result<bool> convert_shape(const Node& node) {
    const ValueId twin = known_twin(node.input(0));
    if (twin == kNoValue || graph_.producer(node.input(0)) != nullptr ||
        graph_.value(node.input(0))->is_input) {
      return false;
    }
    return take_shape_of(graph_, node.id(), twin, kToImage);
  }

  Result<bool> convert_to_line(const Node& node) {
    const ValueId twin = known_twin(node.input(0));
    return twin != kNoValue ? join_pixels(graph_, node.id(), twin) : false;
  }

  // What the epilogue rewrite takes for fusable must all be converted here.
  Result<bool> convert_conv(const Node& node) {
    const Value* weights = graph_.value(node.input(1));
    const Value* bias = graph_.value(node.input(2));
    const bool fits = has_kernel(node.op_type()) && may_have_twin(node.input(0)) &&
                      weights != nullptr && weights->constant() != nullptr &&
                      (bias == nullptr || bias->constant() != nullptr);
    if (!fits) return false;
    if (stands_alone(node) && (is_better_over_planes(node) || is_better_spread(node))) return false;
    std::vector<ValueId> inputs = node.inputs();
    ASSIGN_OR_RETURN(inputs[0], twin_of(inputs[0]));
    if (node.input(ProductInput::kResidual) != kNoValue) {
      ASSIGN_OR_RETURN(inputs[ProductInput::kResidual], twin_of(inputs[ProductInput::kResidual]));
    }
    return replace(node, node.op_type(), kInternalDomain, std::move(inputs), node.attributes());
  }

  // Made in ONNX's layout, with an attribute that says so, in order to be converted here.
  Result<bool> convert_qconv(const Node& node) {
    std::vector<ValueId> inputs = node.inputs();
    ASSIGN_OR_RETURN(inputs[0], twin_of(inputs[0]));
    if (node.input(QProductInput::kResidual) != kNoValue) {
      ASSIGN_OR_RETURN(inputs[QProductInput::kResidual], twin_of(inputs[QProductInput::kResidual]));
    }
    std::vector<Attribute> attributes;
    for (const Attribute& attribute : node.attributes()) {
      if (attribute.name != "nchw") attributes.push_back(attribute);
    }
    return replace(node, "QConv", kInternalDomain, std::move(inputs), std::move(attributes));
  }

  // Each element of the result comes from one of the first input, wherever they lie.
  bool is_by_element(const Node& node) const {
    return is_one_of(node, kUnary) || node.is_op("Gelu", kMicrosoftDomain) ||
           node.is_op("QuickGelu", kMicrosoftDomain) || node.is_op("Lookup", kInternalDomain) ||
           is_plain_quantisation(node);
  }

  static bool is_quantised_binary(const Node& node) {
    return node.is_op("QAdd", kInternalDomain) || node.is_op("QMul", kInternalDomain);
  }

  // A quantisation or its reverse with one scale for all.
  bool is_plain_quantisation(const Node& node) const {
    const Value* scale = graph_.value(node.input(1));
    const auto dims = scale != nullptr ? scale->type.dims() : std::nullopt;
    const bool is_one = dims && dims->size() <= 1 && (dims->empty() || (*dims)[0] == 1);
    return is_one && node.int_attribute("block_size", 0) == 0 &&
           (is_quantize(node) || is_dequantize(node));
  }

  Result<bool> convert_quantised_binary(const Node& node) {
    ASSIGN_OR_RETURN(const auto operands, operand_twins({node.input(0), node.input(3)}));
    if (operands.empty()) return false;
    std::vector<ValueId> inputs = node.inputs();
    inputs[0] = operands[0];
    inputs[3] = operands[1];
    return replace(node, node.op_type(), node.domain(), std::move(inputs), node.attributes());
  }

  Result<bool> convert_quantised_average(const Node& node) {
    const ValueId twin = known_twin(node.input(0));
    if (twin == kNoValue || !has_kernel("QGlobalAveragePool") ||
        node.int_attribute("channels_last", 0) != 0) {
      return false;
    }
    std::vector<ValueId> inputs = node.inputs();
    inputs[0] = twin;
    return replace(node, "QGlobalAveragePool", kInternalDomain, std::move(inputs), {});
  }

  Result<bool> convert_pool(const Node& node) {
    const TypeMask types = node.is_op("MaxPool") ? kFloatOrBytes : mask_of(DType::kFloat32);
    // A pool alone is not worth another form.
    const ValueId twin = known_twin(node.input(0));
    if (twin == kNoValue || !has_kernel(node.op_type()) || !is_image(node.input(0), types) ||
        node.output(1) != kNoValue) {
      return false;
    }
    return replace(node, node.op_type(), kInternalDomain, {twin}, node.attributes());
  }

  Result<bool> convert_concat(const Node& node) {
    const int64_t axis = node.int_attribute("axis", 1);
    std::vector<ValueId> inputs;
    for (ValueId id : node.inputs()) {
      if (known_twin(id) == kNoValue) return false;
      inputs.push_back(known_twin(id));
    }
    if (!kChannelsLastAxes.has(axis)) return false;
    return replace(node, "Concat", "", std::move(inputs),
                   {Attribute::of_int("axis", kChannelsLastAxes.of(axis))});
  }

  // Where the result may be larger than the input, what follows must be channels last too: else it
  // is better to turn the input.
  Result<bool> convert_by_axes(const Node& node) {
    const ValueId twin = known_twin(node.input(0));
    const bool narrows = narrows_image(node);
    if (twin == kNoValue || !(narrows || moves_image(node))) return false;
    const bool is_read = std::ranges::any_of(
        node.outputs(), [&](ValueId id) { return id != kNoValue && is_read_as_image(id); });
    if (!narrows && !is_read) return false;
    ASSIGN_OR_RETURN(auto form, form_on_twin(graph_, node, twin, kChannelsLastAxes));
    if (!form) return false;
    return take_form(node, std::move(*form));
  }

  // Whether a reader of the value, or of what follows from it element by element, will be channels
  // last.
  bool is_read_as_image(ValueId id, int steps = kFarReader) const {
    return std::ranges::any_of(graph_.value(id)->uses, [&](const Use& use) {
      if (use.is_implicit) return false;
      const Node& reader = *graph_.node(use.node);
      if (is_by_element(reader) || moves_image(reader)) {
        return use.input == 0 && steps > 0 &&
               std::ranges::any_of(reader.outputs(), [&](ValueId output) {
                 return output != kNoValue && is_read_as_image(output, steps - 1);
               });
      }
      return reader.is_op("Conv") || reader.is_op("ConvTranspose") || reader.is_op("Concat") ||
             reader.is_op("QConv", kInternalDomain) || is_quantised_binary(reader) ||
             is_one_of(reader, kPoolings) || is_one_of(reader, kBroadcast);
    });
  }

  Result<bool> convert_broadcast(const Node& node) {
    if (!broadcasts_as_numpy(node)) return false;
    ASSIGN_OR_RETURN(auto inputs, operand_twins(node.inputs()));
    if (inputs.empty()) return false;
    return replace(node, node.op_type(), "", std::move(inputs), node.attributes());
  }

  // Twins of operands that are broadcast together; none when no operand has one so far, or when one
  // cannot have one.
  Result<std::vector<ValueId>> operand_twins(const std::vector<ValueId>& operands) {
    const bool any = std::any_of(operands.begin(), operands.end(),
                                 [&](ValueId id) { return known_twin(id) != kNoValue; });
    std::vector<ValueId> twins;
    for (ValueId id : operands) {
      if (!any) return twins;
      ValueId twin = known_twin(id);
      if (twin == kNoValue) twin = constant_twin(id);
      if (twin == kNoValue && is_image(id, kImageTypes) &&
          graph_.value(id)->constant() == nullptr) {
        ASSIGN_OR_RETURN(twin, twin_of(id));
      }
      if (twin == kNoValue) return std::vector<ValueId>();
      twins.push_back(twin);
    }
    return twins;
  }

  // A Transpose of a value that has a twin reads the twin; one to ONNX's layout gives a value whose
  // twin it reads.
  Result<bool> convert_transpose(const Node& node) {
    auto perm = node.ints_attribute("perm");
    if (known_twin(node.input(0)) == kNoValue)
      return std::ranges::equal(perm, kToImage) && make_twin(node);
    const auto has = [](int64_t axis) { return kChannelsLastAxes.has(axis); };
    if (perm.size() != 4 || !std::ranges::all_of(perm, has)) return false;
    std::ranges::transform(perm, perm.begin(),
                           [](int64_t axis) { return kChannelsLastAxes.of(axis); });
    const ValueId twin = known_twin(node.input(0));
    const bool is_same = std::ranges::is_sorted(perm);
    if (is_same && bypass(graph_, node.id(), twin)) return true;
    Node& transpose = *graph_.node(node.id());
    graph_.set_input(node.id(), 0, twin);
    if (is_same) {
      transpose.remove_attribute("perm");
      transpose.set_op("Identity", "");
    } else {
      transpose.set_attribute(Attribute::of_ints("perm", std::move(perm)));
    }
    return true;
  }

  bool make_twin(const Node& node) {
    if (!is_image(node.output(0), kImageTypes) || !is_read_as_image(node.output(0))) return false;
    set_twin(node.output(0), node.input(0));
    graph_.remove_node(node.id());
    return true;
  }

  // The channels of groups between each other, as ShuffleNet has it:
  //
  //   [n,c,h,w] -> [n,g,c/g,h,w] -> [n,c/g,g,h,w] -> [n,c,h,w]
  //
  // and of the twin [n,h,w,c] -> [n,h,w,g,c/g] -> [n,h,w,c/g,g] -> [n,h,w,c].
  Result<bool> convert_shuffle(const Node& node) {
    const Node* turn = graph_.producer(node.input(0));
    const Node* split = turn != nullptr ? graph_.producer(turn->input(0)) : nullptr;
    if (split == nullptr || !turn->is_op("Transpose") || !split->is_op("Reshape")) return false;
    const ValueId image = split->input(0), twin = known_twin(image);
    const auto groups = dims_of(graph_, turn->input(0)), dims = dims_of(graph_, image);
    const bool fits = twin != kNoValue && groups && groups->size() == 5 && dims &&
                      graph_.opset("") >= kShapeIsInput &&
                      std::ranges::find(*dims, 0) == dims->end() &&
                      turn->ints_attribute("perm") == std::vector<int64_t>{0, 2, 1, 3, 4} &&
                      same_static_shape(graph_, image, node.output(0)) &&
                      (*groups)[3] == (*dims)[2] && (*groups)[4] == (*dims)[3] &&
                      (*groups)[0] == (*dims)[0] && is_read_as_image(node.output(0));
    if (!fits) return false;
    const Dims& d = *dims;
    const DType dtype = graph_.value(image)->type.dtype;
    const Dims apart = {d[0], d[2], d[3], (*groups)[1], (*groups)[2]};
    const Dims turned = {d[0], d[2], d[3], (*groups)[2], (*groups)[1]};
    ASSIGN_OR_RETURN(const ValueId a, add_step(node.name() + "/groups", "Reshape",
                                               {twin, list_of(apart)}, dtype, apart, {}));
    ASSIGN_OR_RETURN(const ValueId b,
                     add_step(node.name() + "/turned", "Transpose", {a}, dtype, turned,
                              {Attribute::of_ints("perm", {0, 1, 2, 4, 3})}));
    return replace(node, "Reshape", "", {b, list_of({d[0], d[2], d[3], d[1]})}, {});
  }

  ValueId list_of(const Dims& dims) {
    return graph_.add_constant("shape",
                               Tensor::from<int64_t>({static_cast<int64_t>(dims.size())}, dims));
  }

  Result<ValueId> add_step(const std::string& name, std::string op, std::vector<ValueId> inputs,
                           DType dtype, const Dims& dims, std::vector<Attribute> attributes) {
    ASSIGN_OR_RETURN(const ValueId output,
                     graph_.add_value(graph_.unique_name(name),
                                      Type::tensor(dtype, Shape(dims.begin(), dims.end()))));
    auto added = graph_.add_node(std::move(op), "", graph_.unique_name(name), std::move(inputs),
                                 {output}, std::move(attributes));
    if (!added.is_ok()) return added.status();
    return output;
  }

  const KernelRegistry& kernels_;
  std::string reader_;  // the node that is looked at
  int matches_ = 0;
};

}  // namespace

Result<int> channels_last(Graph& graph, const KernelRegistry& kernels) {
  return ChannelsLast(graph, kernels).run();
}

}  // namespace ortc::cpu
