// SPDX-License-Identifier: MIT
// Operators of com.microsoft over images whose channels come last, between two Transposes, and
// transforms:
//
//   NhwcConv, NhwcFusedConv, NhwcMaxPool, QLinearConv     the operator of channels that come first
//   ConvTransposeWithDynamicPads                          ConvTranspose with the pads as attribute
//   GroupNorm, SkipGroupNorm                              InstanceNormalization of groups as rows
//   Rfft, Irfft                                           DFT over one axis after the other
#include <numeric>

#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/microsoft/microsoft_spellings.h"

namespace ortc::cpu {
namespace {

constexpr std::string_view kWindow = "auto_pad dilations group kernel_shape pads strides";

size_t rank(const Node& node, size_t i) {
  return rank_of(*node.graph(), node.input(i)).value_or(0);
}
bool takes_image(const Node& node) { return rank(node, 0) >= 3; }

// [n, .., c] to [n, c, ..], and back.
std::vector<int64_t> first_order(size_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.begin() + 1, order.end(), int64_t{0});
  order[0] = 0;
  order[1] = static_cast<int64_t>(rank) - 1;
  return order;
}
std::vector<int64_t> last_order(size_t rank) {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), int64_t{1});
  order[0] = 0;
  order[rank - 1] = 1;
  return order;
}
ValueId turned(Spelling& s, ValueId x, const std::vector<int64_t>& order) {
  Type type = s.type(x);
  if (type.shape && type.shape->size() == order.size()) {
    const Shape before = *type.shape;
    for (size_t d = 0; d < order.size(); ++d) {
      (*type.shape)[d] = before[static_cast<size_t>(order[d])];
    }
  }
  return s.add("Transpose", {x}, std::move(type), {Attribute::of_ints("perm", order)});
}
// Of a channels-last value, channels first.
Type turned_type(Type type, size_t rank) {
  const std::vector<int64_t> order = first_order(rank);
  if (type.shape && type.shape->size() == rank) {
    const Shape before = *type.shape;
    for (size_t d = 0; d < rank; ++d) (*type.shape)[d] = before[static_cast<size_t>(order[d])];
  }
  return type;
}
ValueId channels_first(Spelling& s, ValueId x, size_t rank) {
  return turned(s, x, first_order(rank));
}
void give_channels_last(Spelling& s, ValueId y, size_t rank) {
  s.give("Transpose", {y}, {Attribute::of_ints("perm", last_order(rank))});
}

// The rank is what channels_last asks for: then both Transposes go.
Type image_of(DType dtype, size_t rank) {
  Type type = elements_of(dtype);
  type.shape = Shape(rank, Dim::unknown());
  return type;
}

Result<bool> spell_nhwc_conv(Graph& graph, NodeId id) {
  const size_t dims = rank(*graph.node(id), 0);
  auto attributes = attributes_named(*graph.node(id), kWindow);
  Spelling s(graph, id);
  const ValueId x = channels_first(s, s.input(0), dims);
  const ValueId y = s.add("Conv", {x, s.input(1), s.input(2)}, image_of(s.type(x).dtype, dims),
                          std::move(attributes));
  give_channels_last(s, y, dims);
  return s.done();
}

// Over FusedConv, which is spelled out in its turn.
bool takes_nhwc_fused_conv(const Node& node) {
  return takes_image(node) && dtype_of(*node.graph(), node.input(0)) == DType::kFloat32;
}
Result<bool> spell_nhwc_fused_conv(Graph& graph, NodeId id) {
  const size_t dims = rank(*graph.node(id), 0);
  auto attributes =
      attributes_named(*graph.node(id), str_cat(kWindow, " activation activation_params"));
  Spelling s(graph, id);
  const ValueId x = channels_first(s, s.input(0), dims);
  const ValueId z = s.input(3) != kNoValue ? channels_first(s, s.input(3), dims) : kNoValue;
  const ValueId y =
      s.add("FusedConv", {x, s.input(1), s.input(2), z}, image_of(s.type(x).dtype, dims),
            std::move(attributes), std::string(kMicrosoftDomain));
  give_channels_last(s, y, dims);
  return s.done();
}

Result<bool> spell_nhwc_max_pool(Graph& graph, NodeId id) {
  const size_t dims = rank(*graph.node(id), 0);
  auto attributes =
      attributes_named(*graph.node(id), "auto_pad ceil_mode dilations kernel_shape pads strides");
  Spelling s(graph, id);
  const ValueId x = channels_first(s, s.input(0), dims);
  const ValueId y = s.add("MaxPool", {x}, image_of(s.type(x).dtype, dims), std::move(attributes));
  give_channels_last(s, y, dims);
  return s.done();
}

Result<bool> spell_q_linear_conv(Graph& graph, NodeId id) {
  const size_t dims = rank(*graph.node(id), 0);
  const bool is_last = graph.node(id)->int_attribute("channels_last", 0) != 0;
  auto attributes = attributes_named(*graph.node(id), kWindow);
  Spelling s(graph, id);
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < s.input_count(); ++i) inputs.push_back(s.input(i));
  if (!is_last) {
    s.give("QLinearConv", std::move(inputs), std::move(attributes));
    return s.done();
  }
  inputs[0] = channels_first(s, inputs[0], dims);
  const ValueId y = s.add("QLinearConv", std::move(inputs), turned_type(s.output_type(), dims),
                          std::move(attributes));
  give_channels_last(s, y, dims);
  return s.done();
}

bool takes_dynamic_pads(const Node& node) {
  return node.input(2) == kNoValue || constant_integers(*node.graph(), node.input(2)).has_value();
}
Result<bool> spell_dynamic_pads(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  auto attributes =
      attributes_named(node, "auto_pad dilations group kernel_shape output_padding strides");
  if (node.input(2) != kNoValue) {
    attributes.push_back(Attribute::of_ints("pads", *constant_integers(graph, node.input(2))));
  }
  Spelling s(graph, id);
  s.give("ConvTranspose", {s.input(0), s.input(1), s.input(3)}, std::move(attributes));
  return s.done();
}

// --- Groups of channels.

constexpr int64_t kGroupsMax = int64_t{1} << 16;  // each has two numbers in constants

// Of x, or of gamma when a run alone tells those of x; -1 when nothing does.
int64_t channels_of(const Node& node) {
  const bool is_last = node.int_attribute("channels_last", 1) != 0;
  const Shape* x = known_shape(*node.graph(), node.input(0));
  const Shape* gamma = known_shape(*node.graph(), node.input(1));
  if (x != nullptr && (*x)[is_last ? 3 : 1].is_known()) return (*x)[is_last ? 3 : 1].value;
  return gamma != nullptr && gamma->size() == 1 ? (*gamma)[0].value : -1;
}
bool takes_group_norm(const Node& node) {
  const int64_t activation = node.int_attribute("activation", 0);
  const int64_t groups = node.int_attribute("groups", 0);
  if (rank(node, 0) != 4 || groups < 1 || groups > kGroupsMax) return false;
  const int64_t channels = channels_of(node);
  return channels >= 0 && channels % groups == 0 && (activation == 0 || activation == 1);
}

struct GroupNorm {
  int64_t groups;
  float epsilon;
  bool is_last, has_silu;
};

// float32 inside; x is [n, c, h, w].
ValueId normalised(Spelling& s, ValueId x, const GroupNorm& norm) {
  const Type floats = elements_of(DType::kFloat32);
  const ValueId rows = s.add("Reshape", {x, int64_constant(s, {0, norm.groups, -1})}, floats);
  const std::vector<float> ones(static_cast<size_t>(norm.groups), 1.0f);
  const std::vector<float> zeros(ones.size());
  const ValueId y = s.add("InstanceNormalization",
                          {rows, s.constant(Tensor::from<float>({norm.groups}, ones)),
                           s.constant(Tensor::from<float>({norm.groups}, zeros))},
                          floats, {Attribute::of_float("epsilon", norm.epsilon)});
  return s.add("Reshape", {y, s.add("Shape", {x}, elements_of(DType::kInt64))}, s.type(x));
}

// One number a channel, to be broadcast over [n, c, h, w].
ValueId by_channel(Spelling& s, ValueId x) {
  return s.add("Reshape", {cast_to(s, x, DType::kFloat32), int64_constant(s, {-1, 1, 1})},
               elements_of(DType::kFloat32));
}

Result<bool> spell_group_norm(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  const GroupNorm norm{node.int_attribute("groups", 1), node.float_attribute("epsilon", 1e-5f),
                       node.int_attribute("channels_last", 1) != 0,
                       node.int_attribute("activation", 0) == 1};
  const bool has_skip = node.op_type() == "SkipGroupNorm";
  const bool skip_is_flat = has_skip && rank(node, 3) == 2;
  Spelling s(graph, id);
  const Type given = s.output_type();
  ValueId x = s.input(0);
  if (has_skip) {
    ValueId skip = s.input(3);
    if (skip_is_flat) {
      const std::vector<int64_t> dims =
          norm.is_last ? std::vector<int64_t>{0, 1, 1, -1} : std::vector<int64_t>{0, -1, 1, 1};
      skip = s.add("Reshape", {skip, int64_constant(s, dims)}, elements_of(given.dtype));
    }
    x = s.add("Add", {x, skip}, given);
    if (s.input(4) != kNoValue) {
      ValueId bias = s.input(4);
      if (!norm.is_last) {
        bias = s.add("Reshape", {bias, int64_constant(s, {-1, 1, 1})}, elements_of(given.dtype));
      }
      x = s.add("Add", {x, bias}, given);
    }
    if (s.output(1) != kNoValue) s.place("Identity", "", {x}, {s.output(1)});
  }
  x = cast_to(s, x, DType::kFloat32);
  if (norm.is_last) x = channels_first(s, x, 4);
  const Type floats = s.type(x);
  ValueId y = s.add("Mul", {normalised(s, x, norm), by_channel(s, s.input(1))}, floats);
  y = s.add("Add", {y, by_channel(s, s.input(2))}, floats);
  if (norm.has_silu) y = s.add("Mul", {y, s.add("Sigmoid", {y}, floats)}, floats);
  if (norm.is_last) y = turned(s, y, last_order(4));
  s.give("Cast", {y}, {Attribute::of_int("to", static_cast<int64_t>(given.dtype))});
  return s.done();
}

// --- Transforms of the last axes: DFT names its axis by an attribute before opset 20.

std::optional<int64_t> signal_rank(const Node& node) {
  const int64_t count = node.int_attribute("signal_ndim", 0);
  const bool is_plain =
      node.int_attribute("normalized", 0) == 0 && node.int_attribute("onesided", 1) == 1;
  return is_plain && count >= 1 && count <= 3 ? std::optional(count) : std::nullopt;
}
// A rank that only a run tells is no hindrance: axes are counted from behind.
bool has_rank(const Node& node, int64_t least) {
  const auto dims = rank_of(*node.graph(), node.input(0));
  return !dims || static_cast<int64_t>(*dims) >= least;
}
bool takes_rfft(const Node& node) {
  const auto count = signal_rank(node);
  return count && has_rank(node, *count);
}
bool takes_irfft(const Node& node) {
  const auto count = signal_rank(node);
  return count && has_rank(node, *count + 1) && node.graph()->opset("") >= 20;
}

constexpr int64_t kParts = -1;       // the axis of the two parts of a complex number
constexpr int64_t kLastSignal = -2;  // the last axis of the signals, in front of it

// The transform over `axis` of a tensor whose last axis has the parts of complex numbers.
ValueId transformed(Spelling& s, ValueId x, int64_t axis, ValueId length,
                    std::vector<Attribute> attributes) {
  const Type numbers = elements_of(s.type(x).dtype);
  if (s.graph().opset("") >= 20) {
    return s.add("DFT", {x, length, s.constant(Tensor::scalar(axis))}, numbers,
                 std::move(attributes));
  }
  attributes.push_back(Attribute::of_int("axis", axis));
  return s.add("DFT", {x, length}, numbers, std::move(attributes));
}

// Real numbers along the last axis first, then complex ones along the others.
Result<bool> spell_rfft(Graph& graph, NodeId id) {
  const int64_t count = *signal_rank(*graph.node(id));
  Spelling s(graph, id);
  ValueId x = s.add("Unsqueeze", {s.input(0), int64_constant(s, {kParts})},
                    elements_of(s.type(s.input(0)).dtype));
  x = transformed(s, x, kLastSignal, kNoValue, {Attribute::of_int("onesided", 1)});
  for (int64_t axis = kLastSignal - count + 1; axis < kLastSignal; ++axis) {
    x = transformed(s, x, axis, kNoValue, {});
  }
  s.give("Identity", {x});
  return s.done();
}

// n/2 + 1 bins are those of n numbers, n even.
Result<bool> spell_irfft(Graph& graph, NodeId id) {
  const int64_t count = *signal_rank(*graph.node(id));
  Spelling s(graph, id);
  const Type counts = elements_of(DType::kInt64);
  ValueId x = s.input(0);
  for (int64_t axis = kLastSignal - count + 1; axis < kLastSignal; ++axis) {
    x = transformed(s, x, axis, kNoValue, {Attribute::of_int("inverse", 1)});
  }
  const ValueId shape = s.add("Shape", {x}, counts);
  const ValueId bins = s.add("Gather", {shape, s.constant(Tensor::scalar(kLastSignal))},
                             Type::tensor(DType::kInt64, Shape{}));
  const auto number = [&](int64_t value) { return s.constant(Tensor::scalar(value)); };
  const ValueId less = s.add("Sub", {bins, number(1)}, Type::tensor(DType::kInt64, Shape{}));
  const ValueId length = s.add("Mul", {less, number(2)}, Type::tensor(DType::kInt64, Shape{}));
  x = transformed(s, x, kLastSignal, length,
                  {Attribute::of_int("onesided", 1), Attribute::of_int("inverse", 1)});
  s.give("Squeeze", {x, int64_constant(s, {kParts})});
  return s.done();
}

constexpr Spelled kLayouts[] = {
    {"ConvTransposeWithDynamicPads", takes_dynamic_pads, spell_dynamic_pads},
    {"GroupNorm", takes_group_norm, spell_group_norm},
    {"Irfft", takes_irfft, spell_irfft, 20},
    {"NhwcConv", takes_image, spell_nhwc_conv},
    {"NhwcFusedConv", takes_nhwc_fused_conv, spell_nhwc_fused_conv},
    {"NhwcMaxPool", takes_image, spell_nhwc_max_pool, 12},
    {"QLinearConv", takes_image, spell_q_linear_conv},
    {"Rfft", takes_rfft, spell_rfft, 17},
    {"SkipGroupNorm", takes_group_norm, spell_group_norm},
};

}  // namespace

std::span<const Spelled> layout_spellings() { return kLayouts; }

}  // namespace ortc::cpu
