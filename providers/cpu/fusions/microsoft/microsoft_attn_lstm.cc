// SPDX-License-Identifier: MIT
// AttnLSTM (com.microsoft): an LSTM that looks at a memory after each step, and reads what it saw
// there beside its next input. Spelled out as a Scan over time for each direction:
//
//   keys = M MW
//   Scan(X): h, c  = LSTM of one step (concat(x, seen), h, c)
//            align = softmax(V . tanh(keys + h QW)), of the memory's own length
//            seen  = align M, or concat(h, align M) AW where there is an AW
//
// Behind the end of a sequence the state stays as it is and Y is 0; so a backward pass begins with
// the last step of each sequence.
#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/microsoft/attn_lstm_gates.h"
#include "providers/cpu/fusions/microsoft/microsoft_spellings.h"
#include "providers/cpu/fusions/microsoft/search_bodies.h"

namespace ortc::cpu {
namespace {

constexpr size_t kX = 0, kW = 1, kR = 2, kB = 3, kLengths = 4, kH = 5, kC = 6, kP = 7;
constexpr size_t kQueryWeights = 8, kMemoryWeights = 9, kV = 10, kMemory = 11, kMemoryLengths = 12,
                 kSeenWeights = 13;

bool takes_attn_lstm(const Node& node) {
  for (const size_t i : {kX, kW, kR, kQueryWeights, kMemoryWeights, kV, kMemory}) {
    if (node.input(i) == kNoValue) return false;
  }
  const bool has_two = node.string_attribute("direction", "forward") == "bidirectional";
  for (size_t d = 0; d < (has_two ? 2 : 1); ++d) {
    const auto gates = attn_lstm_gates(node, d);
    if (!gates.is_ok() && gates.status().code() == Code::kNotImplemented) return false;
  }
  const DType dtype = node.graph()->value(node.input(kX))->type.dtype;
  return (mask_of(dtype) & mask_of(DType::kFloat32, DType::kFloat64)) != 0;
}

ValueId unsqueezed(Spelling& s, ValueId x, std::vector<int64_t> axes, size_t rank) {
  const Type type = ranked_type(s.type(x).dtype, rank);
  if (s.graph().opset("") >= kAxesAreInput) {
    return s.add("Unsqueeze", {x, int64_constant(s, axes)}, type);
  }
  return s.add("Unsqueeze", {x}, type, {Attribute::of_ints("axes", std::move(axes))});
}

Attribute axis_of(int64_t axis) { return Attribute::of_int("axis", axis); }
Attribute turned(std::vector<int64_t> perm) { return Attribute::of_ints("perm", std::move(perm)); }

class AttnLstm {
 public:
  AttnLstm(Graph& graph, NodeId id)
      : graph_(graph),
        direction_(graph.node(id)->string_attribute("direction", "forward")),
        count_(direction_ == "bidirectional" ? 2 : 1),
        dtype_(graph.value(graph.node(id)->input(kX))->type.dtype) {
    for (size_t d = 0; d < count_; ++d) {
      gates_.push_back(attn_lstm_gates(*graph.node(id), d));
    }
    s_.emplace(graph, id);
  }

  Result<bool> replace() {
    memory_ = s_->input(kMemory);
    by_time_ = s_->add("Transpose", {memory_}, ranked(3), {turned({1, 0, 2})});
    visible_ = length_mask(kMemoryLengths, memory_, 1);
    if (visible_ != kNoValue) visible_ = unsqueezed(*s_, visible_, {1}, 3);
    lasts_ = length_mask(kLengths, s_->input(kX), 0);
    std::vector<ValueId> results[3];  // Y, Y_h and Y_c
    for (size_t d = 0; d < count_; ++d) {
      ASSIGN_OR_RETURN(const std::vector<ValueId> given, direction(d));
      for (size_t i = 0; i < 3; ++i) results[i].push_back(given[i]);
    }
    for (size_t i = 0; i < 3; ++i) give(i, results[i]);
    return s_->done();
  }

 private:
  // What a step reads beside its state and its input, in the graph around the Scan.
  struct Fixed {
    ValueId w, r, bias, peepholes, keys, query_weights, v, seen_weights, memory, visible;
  };
  struct State {
    ValueId h, c, seen;
  };

  Type ranked(size_t rank) const { return ranked_type(dtype_, rank); }

  // [batch, places]; without lengths every place counts.
  ValueId length_mask(size_t lengths, ValueId x, int64_t axis) {
    if (s_->input(lengths) == kNoValue) return kNoValue;
    return s_->add("LengthMask", {s_->input(lengths), x}, ranked_type(DType::kBool, 2),
                   {axis_of(axis)}, std::string(kInternalDomain));
  }

  // What direction d has of input i, with an axis of 1 in front or without it.
  ValueId part(size_t i, size_t d, bool has_axis) {
    const ValueId x = s_->input(i);
    if (x == kNoValue || (has_axis && count_ == 1)) return x;
    const auto from = static_cast<int64_t>(d);
    if (const Tensor* constant = constant_of(graph_, x)) {
      if (auto own = constant_part(*constant, d, has_axis)) return s_->constant(std::move(*own));
    }
    const Type type = s_->type(x);
    const size_t rank = type.has_shape() ? type.shape->size() : 3;
    if (!has_axis) {
      return s_->add("Gather", {x, s_->constant(Tensor::scalar(from))},
                     ranked_type(type.dtype, rank - 1), {axis_of(0)});
    }
    return s_->add(
        "Slice",
        {x, int64_constant(*s_, {from}), int64_constant(*s_, {from + 1}), int64_constant(*s_, {0})},
        ranked_type(type.dtype, rank));
  }
  std::optional<Tensor> constant_part(const Tensor& x, size_t d, bool has_axis) const {
    Dims dims = x.dims();
    if (dims.empty() || dims[0] != static_cast<int64_t>(count_)) return std::nullopt;
    dims[0] = 1;
    if (!has_axis) dims.erase(dims.begin());
    const size_t size = x.byte_size() / count_;
    auto own = Tensor::view(x.dtype(), dims, x.bytes().subspan(d * size, size), x.owner());
    return own.is_ok() ? std::optional(std::move(*own)) : std::nullopt;
  }

  // [1, batch, as many as the last axis of input i has]
  ValueId zeros(size_t i) {
    const Type vector = ranked_type(DType::kInt64, 1);
    const auto dim = [&](ValueId x, int64_t axis) {
      const ValueId dims = s_->add("Shape", {x}, vector);
      return s_->add("Gather", {dims, int64_constant(*s_, {axis})}, vector, {axis_of(0)});
    };
    const ValueId dims =
        s_->add("Concat", {int64_constant(*s_, {1}), dim(s_->input(kX), 1), dim(s_->input(i), 2)},
                vector, {axis_of(0)});
    auto zero = Tensor::create(dtype_, {1});
    if (!zero.is_ok()) return kNoValue;
    return s_->add("ConstantOfShape", {dims}, ranked(3),
                   {Attribute::of_tensor("value", std::move(*zero))});
  }

  Result<std::vector<ValueId>> direction(size_t d) {
    const ValueId memory_weights = part(kMemoryWeights, d, false);
    const ValueId keys = s_->add("MatMul", {by_time_, memory_weights}, ranked(3));
    const Fixed fixed = {part(kW, d, true),
                         part(kR, d, true),
                         part(kB, d, true),
                         part(kP, d, true),
                         keys,
                         part(kQueryWeights, d, false),
                         part(kV, d, false),
                         part(kSeenWeights, d, false),
                         memory_,
                         visible_};
    const bool has_seen_weights = fixed.seen_weights != kNoValue;
    State state = {part(kH, d, true), part(kC, d, true),
                   zeros(has_seen_weights ? kSeenWeights : kMemory)};
    for (ValueId* id : {&state.h, &state.c}) {
      if (*id == kNoValue) *id = zeros(kR);
    }
    RETURN_IF_ERROR(s_->done().status());
    ASSIGN_OR_RETURN(auto body, body_of(d, fixed));
    const std::vector<ValueId> given = {s_->value(ranked(4)), s_->value(ranked(3)),
                                        s_->value(ranked(3))};
    const bool turns = d == 1 || direction_ == "reverse";
    std::vector<ValueId> fed = {state.h, state.c, state.seen, s_->input(kX)};
    std::vector<int64_t> axes = {0}, turned_inputs = {turns ? 1 : 0};
    if (lasts_ != kNoValue) {
      fed.push_back(lasts_);
      axes.push_back(1);
      turned_inputs.push_back(turned_inputs[0]);
    }
    const auto scanned = static_cast<int64_t>(axes.size());
    s_->place("Scan", "", std::move(fed), {given[1], given[2], kNoValue, given[0]},
              {Attribute::of_int("num_scan_inputs", scanned),
               Attribute::of_ints("scan_input_axes", std::move(axes)),
               Attribute::of_ints("scan_input_directions", std::move(turned_inputs)),
               Attribute::of_ints("scan_output_directions", {turns ? 1 : 0}),
               body_attribute(std::move(body))});
    return given;
  }

  Result<std::shared_ptr<Graph>> body_of(size_t d, const Fixed& outer) {
    auto body = std::make_shared<Graph>(graph_.opsets(), &graph_);
    Fixed fixed = outer;
    for (ValueId* id :
         {&fixed.w, &fixed.r, &fixed.bias, &fixed.peepholes, &fixed.keys, &fixed.query_weights,
          &fixed.v, &fixed.seen_weights, &fixed.memory, &fixed.visible}) {
      if (*id == kNoValue) continue;
      ASSIGN_OR_RETURN(*id, body->capture(*id));
    }
    Spelling b(*body, s_->name());
    const State before = {b.value(ranked(3)), b.value(ranked(3)), b.value(ranked(3))};
    const ValueId x = b.value(ranked(2));
    std::vector<ValueId> in = {before.h, before.c, before.seen, x};
    if (lasts_ != kNoValue) in.push_back(b.value(ranked_type(DType::kBool, 1)));
    RETURN_IF_ERROR_WHILE(gates_[d].status(), "AttnLSTM '", s_->name(), "'");
    AttnLstmGates gates = *gates_[d];
    State now = {b.value(ranked(3)), b.value(ranked(3)), kNoValue};
    const ValueId joined =
        b.add("Concat", {unsqueezed(b, x, {0}, 3), before.seen}, ranked(3), {axis_of(2)});
    b.place("LSTM", "",
            {joined, fixed.w, fixed.r, fixed.bias, kNoValue, before.h, before.c, fixed.peepholes},
            {kNoValue, now.h, now.c}, std::move(gates.attributes));
    if (!gates.last.empty()) {
      now.h = b.add("Mul", {now.h, b.add(gates.last, {now.c}, ranked(3))}, ranked(3));
    }
    now.seen = look(b, fixed, now.h);
    ValueId y = now.h;
    if (lasts_ != kNoValue) {
      const ValueId lasts = unsqueezed(b, in.back(), {0, 2}, 3);
      y = b.add("Where", {lasts, now.h, number(b, 0)}, ranked(3));
      now.h = b.add("Where", {lasts, now.h, before.h}, ranked(3));
      now.c = b.add("Where", {lasts, now.c, before.c}, ranked(3));
      now.seen = b.add("Where", {lasts, now.seen, before.seen}, ranked(3));
    } else {
      y = b.add("Identity", {y}, ranked(3));
    }
    RETURN_IF_ERROR(b.done().status());
    body->set_inputs(std::move(in));
    body->set_outputs({now.h, now.c, now.seen, y});
    return body;
  }

  // [1, batch, size] of what h [1, batch, hidden] sees.
  ValueId look(Spelling& b, const Fixed& fixed, ValueId h) const {
    const ValueId query = b.add("MatMul", {h, fixed.query_weights}, ranked(3));
    const ValueId tanh = b.add("Tanh", {b.add("Add", {fixed.keys, query}, ranked(3))}, ranked(3));
    const ValueId by_time = b.add("MatMul", {tanh, fixed.v}, ranked(2));
    ValueId align = b.add("Transpose", {by_time}, ranked(2), {turned({1, 0})});
    align = unsqueezed(b, align, {1}, 3);
    if (fixed.visible != kNoValue) {
      align =
          b.add("Where", {fixed.visible, align, number(b, std::numeric_limits<float>::lowest())},
                ranked(3));
    }
    align = b.add("Softmax", {align}, ranked(3), {axis_of(-1)});
    ValueId seen = b.add("MatMul", {align, fixed.memory}, ranked(3));
    seen = b.add("Transpose", {seen}, ranked(3), {turned({1, 0, 2})});
    if (fixed.seen_weights == kNoValue) return seen;
    const ValueId joined = b.add("Concat", {h, seen}, ranked(3), {axis_of(2)});
    return b.add("MatMul", {joined, fixed.seen_weights}, ranked(3));
  }

  ValueId number(Spelling& b, float value) const {
    return b.constant(dtype_ == DType::kFloat64 ? Tensor::scalar(double{value})
                                                : Tensor::scalar(value));
  }

  void give(size_t output, const std::vector<ValueId>& parts) {
    if (s_->output(output) == kNoValue) return;
    if (parts.size() == 1) {
      s_->place("Identity", "", parts, {s_->output(output)});
    } else {
      s_->place("Concat", "", parts, {s_->output(output)}, {axis_of(output == 0 ? 1 : 0)});
    }
  }

  Graph& graph_;
  const std::string direction_;
  const size_t count_;
  const DType dtype_;
  std::vector<Result<AttnLstmGates>> gates_;
  std::optional<Spelling> s_;
  ValueId memory_ = kNoValue, by_time_ = kNoValue;
  ValueId visible_ = kNoValue, lasts_ = kNoValue;
};

Result<bool> spell_attn_lstm(Graph& graph, NodeId id) { return AttnLstm(graph, id).replace(); }

constexpr Spelled kSpelled[] = {
    {"AttnLSTM", takes_attn_lstm, spell_attn_lstm, 11, true},
};

}  // namespace

std::span<const Spelled> attn_lstm_spellings() { return kSpelled; }

}  // namespace ortc::cpu
