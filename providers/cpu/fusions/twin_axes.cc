// SPDX-License-Identifier: MIT
// Operators that name axes, on twins: see the header.
#include "providers/cpu/fusions/twin_axes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "core/rewrite/facts.h"

namespace ortc::cpu {
namespace {

constexpr std::string_view kReductions[] = {
    "ReduceMean", "ReduceSum", "ReduceMax",    "ReduceMin",       "ReduceProd",
    "ReduceL1",   "ReduceL2",  "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"};
constexpr std::string_view kImageMovements[] = {"Resize", "Upsample", "Slice", "Split",
                                                "Pad",    "Expand",   "Tile"};

// Operators with one axis as attribute, and what it is when none is named.
struct OneAxis {
  std::string_view op;
  int64_t otherwise;
  int64_t since;  // the opset from which on it means one axis
};
constexpr OneAxis kOneAxis[] = {{"Softmax", -1, 13}, {"LogSoftmax", -1, 13}, {"Hardmax", -1, 13},
                                {"ArgMax", 0, 1},    {"ArgMin", 0, 1},       {"Split", 0, 1}};

const OneAxis* one_axis(const Node& node) {
  const auto* found =
      std::ranges::find_if(kOneAxis, [&](const OneAxis& entry) { return node.is_op(entry.op); });
  const bool counts = found != std::end(kOneAxis) && node.graph()->opset("") >= found->since;
  return counts ? found : nullptr;
}

// The axes of the image, in the order in which the twin has them; of Pad those at the ends too.
constexpr std::array<int64_t, 4> kOrder = {0, 2, 3, 1};
constexpr std::array<int64_t, 8> kOrderOfEnds = {0, 2, 3, 1, 4, 6, 7, 5};

Result<Tensor> in_order(const Tensor& numbers, std::span<const int64_t> order) {
  ASSIGN_OR_RETURN(Tensor turned, Tensor::create(numbers.dtype(), numbers.dims()));
  const size_t size = numbers.byte_size() / order.size();
  auto* to = static_cast<std::byte*>(turned.mutable_data());
  for (const int64_t axis : order) {
    std::memcpy(to, numbers.bytes().data() + static_cast<size_t>(axis) * size, size);
    to += size;
  }
  return turned;
}

// Whether it is no value, an empty list, or one with `size` numbers.
bool can_turn(const Graph& graph, ValueId list, size_t size) {
  const Value* value = graph.value(list);
  if (value == nullptr) return true;
  const auto dims = value->type.dims();
  const auto wanted = static_cast<int64_t>(size);
  return dims && dims->size() == 1 && ((*dims)[0] == 0 || (*dims)[0] == wanted);
}

Result<ValueId> turned_list(Graph& graph, ValueId list, std::span<const int64_t> order) {
  const Value* value = graph.value(list);
  if (value == nullptr || (*value->type.dims())[0] == 0) return list;
  if (const Tensor* constant = value->constant()) {
    ASSIGN_OR_RETURN(Tensor turned, in_order(*constant, order));
    return graph.add_constant(value->name, std::move(turned));
  }
  const std::string name = graph.unique_name(str_cat(value->name, "/nhwc"));
  const Type type = value->type;
  const ValueId places = graph.add_constant(
      "axes", Tensor::from<int64_t>({static_cast<int64_t>(order.size())}, order));
  ASSIGN_OR_RETURN(const ValueId turned, graph.add_value(name, type));
  auto added = graph.add_node("Gather", "", name, {list, places}, {turned});
  if (!added.is_ok()) return added.status();
  return turned;
}

// Axes by attribute or as an input; nothing when they are computed. No axes are an empty list.
std::optional<std::vector<int64_t>> named_axes(const Node& node, size_t input, const TwinAxes& on) {
  std::vector<int64_t> axes = node.ints_attribute("axes");
  if (node.input(input) != kNoValue) {
    auto numbers = constant_integers(*node.graph(), node.input(input));
    if (!numbers) return std::nullopt;
    axes = std::move(*numbers);
  }
  if (!std::ranges::all_of(axes, [&](int64_t axis) { return on.has(axis); })) return std::nullopt;
  return axes;
}

void set(std::vector<Attribute>& attributes, Attribute attribute) {
  std::erase_if(attributes, [&](const Attribute& a) { return a.name == attribute.name; });
  attributes.push_back(std::move(attribute));
}

std::vector<int64_t> on_twin(std::vector<int64_t> axes, const TwinAxes& on) {
  std::ranges::transform(axes, axes.begin(), [&](int64_t axis) { return on.of(axis); });
  return axes;
}

// Where the node has its axes, as attribute or as an input, those of the twin.
void name_axes(Graph& graph, const Node& node, size_t input, const std::vector<int64_t>& axes,
               TwinForm& form) {
  if (node.attribute("axes") != nullptr) {
    return set(form.attributes, Attribute::of_ints("axes", axes));
  }
  if (form.inputs.size() <= input) form.inputs.resize(input + 1, kNoValue);
  form.inputs[input] =
      graph.add_constant("axes", Tensor::from<int64_t>({static_cast<int64_t>(axes.size())}, axes));
}

// From the order in which the twin has the axes that are left to that of the original; empty where
// they are the same.
std::vector<int64_t> turn_without(const std::vector<int64_t>& axes, const TwinAxes& on) {
  std::vector<int64_t> left(static_cast<size_t>(on.rank));
  std::iota(left.begin(), left.end(), 0);
  std::ranges::sort(left, {}, [&](int64_t axis) { return on.of(axis); });
  for (const int64_t axis : axes) std::erase(left, axis < 0 ? axis + on.rank : axis);
  std::vector<int64_t> turn(left.size());
  std::iota(turn.begin(), turn.end(), 0);
  std::ranges::sort(turn, {}, [&](int64_t place) { return left[static_cast<size_t>(place)]; });
  return std::ranges::is_sorted(turn) ? std::vector<int64_t>() : turn;
}

using Form = Result<std::optional<TwinForm>>;

Form reduction_form(Graph& graph, const Node& node, const TwinAxes& on, TwinForm form) {
  const auto axes = named_axes(node, 1, on);
  if (!axes) return std::optional<TwinForm>();
  form.gives_twin = node.int_attribute("keepdims", 1) != 0;
  if (axes->empty()) {  // all, or none at all
    if (node.int_attribute("noop_with_empty_axes", 0) != 0) return std::optional<TwinForm>();
    return std::optional(std::move(form));
  }
  std::vector<int64_t> reduced = on_twin(*axes, on);
  if (!form.gives_twin) {
    form.turn = turn_without(*axes, on);
    if (on.added) reduced.push_back(*on.added);
  }
  name_axes(graph, node, 1, reduced, form);
  return std::optional(std::move(form));
}

Form squeeze_form(Graph& graph, const Node& node, const TwinAxes& on, TwinForm form) {
  const auto axes = named_axes(node, 1, on);
  if (!axes || axes->empty()) return std::optional<TwinForm>();
  form.gives_twin = false;
  form.turn = turn_without(*axes, on);
  std::vector<int64_t> squeezed = on_twin(*axes, on);
  if (on.added) squeezed.push_back(*on.added);
  name_axes(graph, node, 1, squeezed, form);
  return std::optional(std::move(form));
}

Form one_axis_form(const Node& node, const OneAxis& entry, const TwinAxes& on, TwinForm form) {
  const int64_t axis = node.int_attribute("axis", entry.otherwise);
  if (!on.has(axis)) return std::optional<TwinForm>();
  if (node.op_type().starts_with("Arg")) {
    form.gives_twin = node.int_attribute("keepdims", 1) != 0;
    if (!form.gives_twin) {
      if (on.added) return std::optional<TwinForm>();  // it would stay
      form.turn = turn_without({axis}, on);
    }
  }
  set(form.attributes, Attribute::of_int("axis", on.of(axis)));
  return std::optional(std::move(form));
}

// Starts, ends and steps stay; axes are those of the twin. Without axes they are the first ones.
Form slice_form(Graph& graph, const Node& node, const TwinAxes& on, TwinForm form) {
  if (node.graph()->opset("") < 10) return std::optional<TwinForm>();
  auto axes = named_axes(node, 3, on);
  const Value* starts = graph.value(node.input(1));
  const auto dims = starts != nullptr ? starts->type.dims() : std::nullopt;
  if (!axes || !dims || dims->size() != 1 || (*dims)[0] > on.rank) return std::optional<TwinForm>();
  if (axes->empty()) {
    for (int64_t axis = 0; axis < (*dims)[0]; ++axis) axes->push_back(axis);
  }
  name_axes(graph, node, 3, on_twin(std::move(*axes), on), form);
  return std::optional(std::move(form));
}

// A number for each axis of an image in every list behind the first input.
Form lists_form(Graph& graph, TwinForm form, std::span<const int64_t> order, size_t first,
                size_t last) {
  last = std::min(last, form.inputs.size());
  for (size_t i = first; i < last; ++i) {
    if (!can_turn(graph, form.inputs[i], order.size())) return std::optional<TwinForm>();
  }
  for (size_t i = first; i < last; ++i) {
    ASSIGN_OR_RETURN(form.inputs[i], turned_list(graph, form.inputs[i], order));
  }
  return last > first ? std::optional(std::move(form)) : std::nullopt;
}

Form resize_form(Graph& graph, const Node& node, TwinForm form) {
  const bool has_region =
      node.string_attribute("coordinate_transformation_mode", "") == "tf_crop_and_resize";
  if (has_region) return std::optional<TwinForm>();
  if (node.attribute("axes") == nullptr) {
    return lists_form(graph, std::move(form), kOrder, 1, 4);
  }
  const auto axes = named_axes(node, 4, kChannelsLastAxes);
  if (!axes) return std::optional<TwinForm>();
  name_axes(graph, node, 4, on_twin(*axes, kChannelsLastAxes), form);
  return std::optional(std::move(form));
}

Form pad_form(Graph& graph, const Node& node, TwinForm form) {
  if (node.graph()->opset("") < 11) return std::optional<TwinForm>();
  if (node.input(3) == kNoValue) {
    return lists_form(graph, std::move(form), kOrderOfEnds, 1, 2);
  }
  const auto axes = named_axes(node, 3, kChannelsLastAxes);
  if (!axes || axes->empty()) return std::optional<TwinForm>();
  name_axes(graph, node, 3, on_twin(*axes, kChannelsLastAxes), form);
  return std::optional(std::move(form));
}

}  // namespace

bool narrows_image(const Node& node) {
  return is_one_of(node, kReductions) || node.is_op("Squeeze") ||
         (one_axis(node) != nullptr && !node.is_op("Split"));
}

bool moves_image(const Node& node) { return is_one_of(node, kImageMovements); }

Result<std::optional<TwinForm>> form_on_twin(Graph& graph, const Node& node, ValueId twin,
                                             const TwinAxes& axes) {
  TwinForm form{node.inputs(), node.attributes()};
  form.inputs[0] = twin;
  if (is_one_of(node, kReductions)) return reduction_form(graph, node, axes, std::move(form));
  if (node.is_op("Squeeze")) return squeeze_form(graph, node, axes, std::move(form));
  if (const OneAxis* entry = one_axis(node)) {
    return one_axis_form(node, *entry, axes, std::move(form));
  }
  if (node.is_op("Slice")) return slice_form(graph, node, axes, std::move(form));
  if (axes.added) return std::optional<TwinForm>();  // their lists would need another number
  if (node.is_op("Pad")) return pad_form(graph, node, std::move(form));
  if (node.is_op("Expand") || node.is_op("Tile")) {
    return lists_form(graph, std::move(form), kOrder, 1, 2);
  }
  return resize_form(graph, node, std::move(form));
}

}  // namespace ortc::cpu
