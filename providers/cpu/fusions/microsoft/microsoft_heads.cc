// SPDX-License-Identifier: MIT
// Attention operators of com.microsoft that are others in a row, and UnfoldTensor:
//
//   PackedAttention                   MatMul, Add, Split, PackedMultiHeadAttention
//   DecoderMaskedMultiHeadAttention   MultiHeadAttention; caches have their plain layout
//   GatedRelativePositionBias         a gate of each query times the biases of the places
//   UnfoldTensor                      Gather of the places of each window
#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/microsoft/microsoft_spellings.h"

namespace ortc::cpu {
namespace {

// --- PackedAttention.

std::vector<int64_t> hidden_sizes(const Node& node) {
  auto sizes = node.ints_attribute("qkv_hidden_sizes");
  if (!sizes.empty()) return sizes;
  const auto w = dims_of(*node.graph(), node.input(1));
  if (!w || w->size() != 2 || (*w)[1] % 3 != 0) return {};
  return {(*w)[1] / 3, (*w)[1] / 3, (*w)[1] / 3};
}

bool takes_packed_attention(const Node& node) { return hidden_sizes(node).size() == 3; }
Result<bool> spell_packed_attention(Graph& graph, NodeId id) {
  const auto sizes = hidden_sizes(*graph.node(id));
  auto attributes = attributes_named(*graph.node(id), "num_heads scale");
  Spelling s(graph, id);
  const Type rows = elements_of(s.output_type().dtype);
  ValueId sum = s.add("MatMul", {s.input(0), s.input(1)}, rows);
  if (s.input(2) != kNoValue) sum = s.add("Add", {sum, s.input(2)}, rows);
  std::vector<ValueId> parts;
  for (size_t i = 0; i < 3; ++i) parts.push_back(s.value(rows));
  s.place("Split", "", {sum, int64_constant(s, sizes)}, parts, {Attribute::of_int("axis", -1)});
  s.give("PackedMultiHeadAttention",
         {parts[0], parts[1], parts[2], kNoValue, s.input(3), s.input(4), s.input(5)},
         std::move(attributes), std::string(kMicrosoftDomain));
  return s.done();
}

// --- DecoderMaskedMultiHeadAttention.

enum DecoderInput : size_t {
  kQ,
  kK,
  kV,
  kMask,
  kScoreBias,
  kPastK,
  kPastV,
  kPast,
  kBeams,
  kFrom,
  kBias
};

// Columns of queries, of keys and of values, as many each, in one tensor; 0 where they are apart,
// or not known.
int64_t packed_columns(const Node& node) {
  const auto q = dims_of(*node.graph(), node.input(kQ));
  const bool is_apart = node.input(kK) != kNoValue || node.input(kV) != kNoValue;
  return is_apart || !q || q->size() != 3 || (*q)[2] % 3 != 0 ? 0 : (*q)[2] / 3;
}

// Keys of another sequence have neither past nor length.
bool shares_buffer(const Node& node) {
  return node.int_attribute("past_present_share_buffer", 0) != 0 && node.input(kPastK) != kNoValue;
}

bool takes_decoder_attention(const Node& node) {
  const bool is_apart = node.input(kK) != kNoValue && node.input(kV) != kNoValue;
  const bool has_lost_beams =
      node.input(kFrom) != kNoValue && node.input(kPastK) != kNoValue && !shares_buffer(node);
  return (is_apart || packed_columns(node) > 0) && !has_lost_beams;
}
Result<bool> spell_decoder_attention(Graph& graph, NodeId id) {
  const Node& node = *graph.node(id);
  auto attributes = attributes_named(node, "mask_filter_value num_heads scale");
  const bool shares = shares_buffer(node);
  const int64_t columns = packed_columns(node);
  Spelling s(graph, id);
  std::vector<ValueId> heads = {s.input(kQ), s.input(kK), s.input(kV)};
  for (int64_t i = 0; i < 3 && columns > 0; ++i) {
    heads[static_cast<size_t>(i)] =
        s.add("Slice",
              {s.input(kQ), int64_constant(s, {i * columns}),
               int64_constant(s, {(i + 1) * columns}), int64_constant(s, {-1})},
              elements_of(s.output_type().dtype));
  }
  std::vector<ValueId> outputs;
  for (size_t i = 0; i < 4; ++i) outputs.push_back(s.output(i));
  while (outputs.back() == kNoValue) outputs.pop_back();
  std::vector<ValueId> inputs = {heads[0],        heads[1],       heads[2],
                                 s.input(kBias),  s.input(kMask), s.input(kScoreBias),
                                 s.input(kPastK), s.input(kPastV)};
  if (shares) inputs.insert(inputs.end(), {s.input(kPast), s.input(kFrom)});
  s.place("MultiHeadAttention", std::string(kMicrosoftDomain), std::move(inputs),
          std::move(outputs), std::move(attributes));
  return s.done();
}

// --- GatedRelativePositionBias.

bool takes_gated_bias(const Node& node) {
  const auto weight = dims_of(*node.graph(), node.input(3));
  return node.input(6) == kNoValue && weight && weight->size() == 2 && (*weight)[1] % 2 == 0 &&
         rank_of(*node.graph(), node.input(0)) == size_t{3} &&
         node.int_attribute("num_heads", 0) > 0;
}
Result<bool> spell_gated_bias(Graph& graph, NodeId id) {
  const int64_t heads = graph.node(id)->int_attribute("num_heads", 1);
  const int64_t half = (*dims_of(graph, graph.node(id)->input(3)))[1] / 2;
  Spelling s(graph, id);
  const DType dtype = s.output_type().dtype;
  const Type x = elements_of(dtype);
  const auto number = [&](float value) {
    return cast_to(s, s.constant(Tensor::scalar(value)), dtype);
  };
  const ValueId sum = s.add("Add", {s.input(0), s.input(1)}, x);
  const ValueId split = s.add("Reshape", {sum, int64_constant(s, {0, 0, heads, -1})}, x);
  const ValueId turned = s.add("Transpose", {split}, x, {Attribute::of_ints("perm", {0, 2, 1, 3})});
  const ValueId gates = s.add("Add", {s.add("MatMul", {turned, s.input(3)}, x), s.input(4)}, x);
  const ValueId pairs = s.add("Reshape", {gates, int64_constant(s, {0, 0, 0, 2, half})}, x);
  const ValueId sums =
      s.add("ReduceSum", {pairs, int64_constant(s, {-1})}, x, {Attribute::of_int("keepdims", 0)});
  const ValueId open = s.add("Sigmoid", {sums}, x);
  const auto part = [&](int64_t from) {
    return s.add(
        "Slice",
        {open, int64_constant(s, {from}), int64_constant(s, {from + 1}), int64_constant(s, {-1})},
        x);
  };
  const ValueId scaled = s.add("Mul", {part(1), s.input(5)}, x);
  const ValueId less = s.add("Sub", {scaled, number(1)}, x);
  const ValueId gate = s.add("Add", {s.add("Mul", {part(0), less}, x), number(2)}, x);
  s.give("Mul", {gate, s.input(2)});
  return s.done();
}

// --- UnfoldTensor.

constexpr int64_t kPlacesMax = int64_t{1} << 17;  // of all windows, that become a constant
struct Unfold {
  int64_t axis, count, size, step;
};
std::optional<Unfold> unfold_of(const Node& node) {
  const Shape* shape = known_shape(*node.graph(), node.input(0));
  if (shape == nullptr || shape->empty()) return std::nullopt;
  const auto rank = static_cast<int64_t>(shape->size());
  Unfold u{node.int_attribute("dim", -1), 0, node.int_attribute("size", 0),
           node.int_attribute("step", 1)};
  u.axis += u.axis < 0 ? rank : 0;
  if (u.axis < 0 || u.axis >= rank || u.size < 1 || u.step < 1) return std::nullopt;
  const Dim& length = (*shape)[static_cast<size_t>(u.axis)];
  if (!length.is_known() || length.value < u.size) return std::nullopt;
  u.count = (length.value - u.size) / u.step + 1;
  return u;
}
bool takes_unfold(const Node& node) { return unfold_of(node).has_value(); }

// [count, size]: where each element of each window stands. Many of them are made by the run.
ValueId places_of(Spelling& s, const Unfold& u) {
  if (u.count > kPlacesMax / u.size) {
    const Type numbers = elements_of(DType::kInt64);
    const auto range = [&](int64_t last, int64_t step) {
      return s.add("Range",
                   {s.constant(Tensor::scalar(int64_t{0})), s.constant(Tensor::scalar(last + 1)),
                    s.constant(Tensor::scalar(step))},
                   numbers);
    };
    const ValueId begins = range((u.count - 1) * u.step, u.step);
    const ValueId column = s.add("Reshape", {begins, int64_constant(s, {-1, 1})}, numbers);
    return s.add("Add", {column, range(u.size - 1, 1)}, numbers);
  }
  std::vector<int64_t> places;
  for (int64_t i = 0; i < u.count * u.size; ++i) {
    places.push_back(i / u.size * u.step + i % u.size);
  }
  return s.constant(Tensor::from<int64_t>({u.count, u.size}, places));
}

// Gather puts the windows' elements behind the axis; they belong at the end.
Result<bool> spell_unfold(Graph& graph, NodeId id) {
  const Unfold u = *unfold_of(*graph.node(id));
  const auto rank = static_cast<int64_t>(*rank_of(graph, graph.node(id)->input(0)));
  std::vector<int64_t> order;
  for (int64_t d = 0; d <= rank; ++d) {
    if (d != u.axis + 1) order.push_back(d);
  }
  order.push_back(u.axis + 1);
  Spelling s(graph, id);
  const ValueId windows =
      s.add("Gather", {s.input(0), places_of(s, u)}, elements_of(s.output_type().dtype),
            {Attribute::of_int("axis", u.axis)});
  s.give("Transpose", {windows}, {Attribute::of_ints("perm", order)});
  return s.done();
}

constexpr Spelled kHeads[] = {
    {"DecoderMaskedMultiHeadAttention", takes_decoder_attention, spell_decoder_attention},
    {"GatedRelativePositionBias", takes_gated_bias, spell_gated_bias, 13},
    {"PackedAttention", takes_packed_attention, spell_packed_attention, 13},
    {"UnfoldTensor", takes_unfold, spell_unfold},
};

}  // namespace

std::span<const Spelled> head_spellings() { return kHeads; }

}  // namespace ortc::cpu
