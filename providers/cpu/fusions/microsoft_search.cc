// SPDX-License-Identifier: MIT
// Searches for tokens (com.microsoft) over a decoder in the file: GreedySearch, Sampling and
// BeamSearch of `model_type` 0, spelled out as a Loop whose body is the decoder and a step:
//
//   rows, positions, seen, .. = SearchStart(input_ids, ..)
//   Loop(trips): logits, present.. = decoder(rows, positions, seen, past..)
//                goes_on, rows, positions, seen, .. = NextTokens or NextBeams(logits, ..)
//                past.. = present.. of the rows that the beams go on with
//   BestBeams(..) for BeamSearch
//
// Where there is an `init_decoder`, it and a step stand in front of the Loop.
#include "core/base/hash.h"
#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/microsoft_spellings.h"
#include "providers/cpu/fusions/search_bodies.h"
#include "providers/cpu/search_ops.h"

namespace ortc::cpu {
namespace {

constexpr TypeMask kFloats = mask_of(DType::kFloat32, DType::kFloat16, DType::kBfloat16);
constexpr size_t kFirstPast = 3;  // among the decoder's inputs
const std::string kOurs(kInternalDomain);

// Which input of the node is what.
struct Inputs {
  size_t min_length, repetition_penalty, vocab_mask, prefix_mask, mask, presence, seed;
  size_t beams, returned, length_penalty;
};
constexpr size_t kNone = 99;
constexpr Inputs kTokenInputs = {2, 3, 4, 5, 6, 7, 8, kNone, kNone, kNone};
constexpr Inputs kBeamInputs = {2, 6, 7, 8, 9, kNone, kNone, 3, 4, 5};

bool is_beam_search(const Node& node) { return node.op_type() == "BeamSearch"; }

// --- What is taken.

bool is_tensor(const Graph& graph, ValueId id, TypeMask types, size_t rank) {
  const Type& type = graph.value(id)->type;
  return (mask_of(type.dtype) & types) != 0 && (!type.has_shape() || type.shape->size() == rank);
}

// [2, rows, heads, places, size]: known but for the second and fourth.
bool is_past(const Graph& graph, ValueId id) {
  const Type& type = graph.value(id)->type;
  if (!is_tensor(graph, id, kFloats, 5) || !type.has_shape()) return false;
  const Shape& shape = *type.shape;
  return shape[0].is_known() && shape[0].value == 2 && shape[2].is_known() && shape[4].is_known();
}

// A past for each present, and no buffers that both share.
bool is_decoder(const Graph* decoder) {
  if (decoder == nullptr) return false;
  const auto &inputs = decoder->inputs(), &outputs = decoder->outputs();
  if (outputs.size() < 2 || inputs.size() != outputs.size() + kFirstPast - 1) return false;
  bool fits = is_tensor(*decoder, outputs[0], kFloats, 3);
  for (size_t i = 0; i < kFirstPast; ++i) {
    fits = fits && is_tensor(*decoder, inputs[i], mask_of(DType::kInt32), 2);
  }
  for (size_t i = kFirstPast; i < inputs.size(); ++i) {
    fits = fits && is_past(*decoder, inputs[i]) &&
           is_tensor(*decoder, outputs[i - kFirstPast + 1],
                     mask_of(decoder->value(inputs[i])->type.dtype), 5);
  }
  return fits;
}

bool takes_search(const Node& node) {
  const Graph *decoder = graph_of(node, "decoder"), *first = graph_of(node, "init_decoder");
  if (node.int_attribute("model_type", 0) != 0 || !is_decoder(decoder)) return false;
  if (first != nullptr) {
    const bool is_alike = is_decoder(first) && first->inputs().size() == decoder->inputs().size();
    // All scores would have to be those of both.
    if (!is_alike || (is_beam_search(node) && node.output(2) != kNoValue)) return false;
  }
  if (is_beam_search(node)) {
    const bool has_more = node.input(10) != kNoValue || node.input(11) != kNoValue;
    return node.input(3) != kNoValue && !has_more;
  }
  return node.output(1) == kNoValue;  // the filtered scores, of Sampling
}

// --- The parts.

std::vector<Attribute> step_attributes(const Node& node) {
  auto attributes = attributes_named(
      node,
      "custom early_stopping eos_token_id filter_value min_tokens_to_keep no_repeat_ngram_size "
      "pad_token_id presence_penalty temperature top_p vocab_size");
  if (node.op_type() == "Sampling") attributes.push_back(Attribute::of_int("samples", 1));
  return attributes;
}

// Without a seed: a number of the node's own.
int64_t seed_of(const Node& node) {
  Hasher hasher;
  hasher.add(node.graph()->value(node.output(0))->name);
  return static_cast<int64_t>(hasher.finish().low % INT32_MAX);
}

class Search {
 public:
  Search(Graph& graph, NodeId id)
      : is_beams_(is_beam_search(*graph.node(id))),
        at_(is_beams_ ? kBeamInputs : kTokenInputs),
        attributes_(step_attributes(*graph.node(id))),
        padding_(attributes_named(*graph.node(id), "pad_token_id")),
        seed_(seed_of(*graph.node(id))),
        decoder_(body_copy(graph, *graph.node(id), "decoder")),
        first_(body_copy(graph, *graph.node(id), "init_decoder")),
        s_(graph, id) {}

  Result<bool> replace() {
    read_inputs();
    start();
    if (first_ != nullptr) RETURN_IF_ERROR(first_step());
    RETURN_IF_ERROR(loop());
    if (is_beams_) best_beams();
    return s_.done();
  }

 private:
  // What the steps read beside their state; values of the graph around the Loop.
  struct Fixed {
    ValueId lengths, min_length, repetition_penalty, vocab_mask, prefix_mask, length_penalty,
        presence;
  };
  // What goes from step to step, and `past` with it.
  struct State {
    ValueId rows, positions, seen, sequences;
    std::vector<ValueId> others;  // kEnded.. of NextTokens or NextBeams
  };
  struct Step {
    ValueId goes_on;
    State state;
    ValueId past_rows = kNoValue, scores = kNoValue;
  };

  void read_inputs() {
    const auto float32 = [this](size_t i) {
      const ValueId x = s_.input(i);
      return x != kNoValue ? cast_to(s_, x, DType::kFloat32) : kNoValue;
    };
    fixed_ = {kNoValue,
              s_.input(at_.min_length),
              float32(at_.repetition_penalty),
              s_.input(at_.vocab_mask),
              s_.input(at_.prefix_mask),
              float32(at_.length_penalty),
              s_.input(at_.presence)};
  }

  // --- In front of the Loop.

  void start() {
    using S = SearchStart;
    std::vector<ValueId> out;
    const DType dtypes[] = {DType::kInt32,   DType::kInt32, DType::kInt32,   DType::kInt32,
                            DType::kInt32,   DType::kInt64, DType::kInt64,   DType::kBool,
                            DType::kFloat32, DType::kInt32, DType::kFloat32, DType::kInt32};
    const size_t ranks[] = {2, 2, 2, 1, 2, 0, 1, 1, 1, 3, 2, 2};
    const size_t count = is_beams_ ? S::kOutputCount : S::kEnded + 1;
    for (size_t i = 0; i < count; ++i) out.push_back(s_.value(ranked_type(dtypes[i], ranks[i])));
    s_.place(
        "SearchStart", kOurs,
        {s_.input(0), s_.input(1), s_.input(at_.beams), s_.input(at_.returned), s_.input(at_.mask)},
        out, padding_);
    fixed_.lengths = out[S::kLengths];
    trips_ = out[S::kTrips];
    state_ = {out[S::kRows], out[S::kPositions], out[S::kSeen], out[S::kSequences], {}};
    state_.others.assign(out.begin() + S::kEnded, out.end());
    if (!is_beams_) state_.others.push_back(engine());
    for (size_t i = kFirstPast; i < decoder_->inputs().size(); ++i) {
      past_.push_back(empty_past(decoder_->value(decoder_->inputs()[i])->type, out[S::kRowCount]));
    }
  }

  ValueId engine() {
    const ValueId seed = s_.input(at_.seed);
    return seed == kNoValue ? s_.constant(Tensor::scalar(seed_)) : cast_to(s_, seed, DType::kInt64);
  }

  ValueId empty_past(const Type& type, ValueId rows) {
    const ValueId dims =
        s_.add("Concat",
               {int64_constant(s_, {2}), rows,
                int64_constant(s_, {(*type.shape)[2].value, 0, (*type.shape)[4].value})},
               ranked_type(DType::kInt64, 1), {Attribute::of_int("axis", 0)});
    auto zero = Tensor::create(type.dtype, {1});
    std::vector<Attribute> value;
    if (zero.is_ok()) value.push_back(Attribute::of_tensor("value", std::move(*zero)));
    return s_.add("ConstantOfShape", {dims}, ranked_type(type.dtype, 5), std::move(value));
  }

  // The first logits are those of another decoder.
  Status first_step() {
    std::vector<ValueId> inputs = {state_.rows, state_.positions, state_.seen};
    inputs.insert(inputs.end(), past_.begin(), past_.end());
    const auto out = run_once(s_, first_, inputs);
    const ValueId zero = s_.constant(Tensor::scalar(int64_t{0}));
    const Step step = add_step(s_, fixed_, state_, out[0], zero);
    past_ = next_past(s_, {out.begin() + 1, out.end()}, step.past_rows);
    state_ = step.state;
    goes_on_ = step.goes_on;
    trips_ = s_.add("Sub", {trips_, s_.constant(Tensor::scalar(int64_t{1}))},
                    scalar_type(DType::kInt64));
    fixed_.prefix_mask = kNoValue;  // of the first step alone
    return s_.done().status();
  }

  // --- A step, in the Loop or in front of it.

  Step add_step(Spelling& s, const Fixed& fixed, const State& state, ValueId logits,
                ValueId number) {
    std::vector<ValueId> inputs = {cast_to(s, logits, DType::kFloat32),
                                   state.sequences,
                                   number,
                                   fixed.lengths,
                                   state.seen,
                                   fixed.min_length,
                                   fixed.repetition_penalty,
                                   fixed.vocab_mask,
                                   fixed.prefix_mask};
    inputs.insert(inputs.end(), state.others.begin(), state.others.end());
    inputs.push_back(is_beams_ ? fixed.length_penalty : fixed.presence);
    const ValueId row = s.value(ranked_type(DType::kInt32, 2));
    Step step{s.value(scalar_type(DType::kBool)),
              {row,
               s.value(ranked_type(DType::kInt32, 2)),
               s.value(ranked_type(DType::kInt32, 2)),
               s.value(ranked_type(DType::kInt32, 2)),
               {}}};
    std::vector<ValueId> outputs = {step.goes_on, step.state.rows, step.state.positions,
                                    step.state.seen, step.state.sequences};
    for (const ValueId id : state.others) step.state.others.push_back(s.value(s.type(id)));
    outputs.insert(outputs.end(), step.state.others.begin(), step.state.others.end());
    if (is_beams_) {
      outputs.push_back(step.past_rows = s.value(ranked_type(DType::kInt64, 1)));
      const bool has_scores = s_.output(2) != kNoValue;
      if (has_scores) outputs.push_back(step.scores = s.value(ranked_type(DType::kFloat32, 3)));
    }
    s.place(is_beams_ ? "NextBeams" : "NextTokens", kOurs, std::move(inputs), std::move(outputs),
            attributes_);
    return step;
  }

  std::vector<ValueId> next_past(Spelling& s, std::vector<ValueId> present, ValueId rows) const {
    if (rows == kNoValue) return present;
    for (ValueId& id : present) {
      const DType dtype = s.type(id).dtype;
      id = s.add("Gather", {id, rows}, ranked_type(dtype, 5), {Attribute::of_int("axis", 1)});
    }
    return present;
  }

  // --- The Loop.

  Status loop() {
    Spelling b(*decoder_, s_.name());
    const std::vector<ValueId> own = decoder_->inputs(), results = decoder_->outputs();
    const ValueId turn = b.value(scalar_type(DType::kInt64)),
                  condition = b.value(scalar_type(DType::kBool));
    State before{own[0], own[1], own[2], b.value(s_.type(state_.sequences)), {}};
    for (const ValueId id : state_.others) before.others.push_back(b.value(s_.type(id)));
    ASSIGN_OR_RETURN(const Fixed fixed, captured(b));
    ValueId number = turn;
    if (first_ != nullptr) {
      number =
          b.add("Add", {turn, b.constant(Tensor::scalar(int64_t{1}))}, scalar_type(DType::kInt64));
    }
    const Step step = add_step(b, fixed, before, results[0], number);
    const auto past = next_past(b, {results.begin() + 1, results.end()}, step.past_rows);
    RETURN_IF_ERROR(b.done().status());

    std::vector<ValueId> in = {turn, condition}, out = {step.goes_on}, fed = {trips_, goes_on_},
                         given;
    carry(before, {own.begin() + kFirstPast, own.end()}, in);
    carry(step.state, past, out);
    carry(state_, past_, fed);
    if (step.scores != kNoValue) out.push_back(step.scores);
    decoder_->set_inputs(std::move(in));
    decoder_->set_outputs(std::move(out));
    state_ = fresh(state_);
    carry(state_, std::vector<ValueId>(past_.size(), kNoValue), given);
    if (step.scores != kNoValue)
      given.push_back(history_ = s_.value(ranked_type(DType::kFloat32, 4)));
    s_.place("Loop", "", std::move(fed), std::move(given), {body_attribute(std::move(decoder_))});
    return Status::ok();
  }

  static void carry(const State& state, const std::vector<ValueId>& past,
                    std::vector<ValueId>& list) {
    list.insert(list.end(), {state.rows, state.positions, state.seen});
    list.insert(list.end(), past.begin(), past.end());
    list.push_back(state.sequences);
    list.insert(list.end(), state.others.begin(), state.others.end());
  }

  // What the search gives: of the state what is read behind the Loop.
  State fresh(const State& old) {
    State state{kNoValue, kNoValue, kNoValue, s_.output(0),
                std::vector<ValueId>(old.others.size(), kNoValue)};
    if (!is_beams_) return state;
    state.seen = s_.value(s_.type(old.seen));
    state.sequences = s_.value(s_.type(old.sequences));
    for (size_t i = 0; i < old.others.size(); ++i) {
      state.others[i] = s_.value(s_.type(old.others[i]));
    }
    return state;
  }

  Result<Fixed> captured(Spelling& b) {
    RETURN_IF_ERROR(s_.done().status());
    Fixed fixed = fixed_;
    for (ValueId* id :
         {&fixed.lengths, &fixed.min_length, &fixed.repetition_penalty, &fixed.vocab_mask,
          &fixed.prefix_mask, &fixed.length_penalty, &fixed.presence}) {
      if (*id == kNoValue) continue;
      ASSIGN_OR_RETURN(*id, decoder_->capture(*id));
    }
    RETURN_IF_ERROR(b.done().status());
    return fixed;
  }

  // --- Behind it.

  void best_beams() {
    const ValueId best = s_.output(0);
    const ValueId scores = s_.value(ranked_type(DType::kFloat32, 2));
    const bool has_history = history_ != kNoValue;
    const ValueId all = has_history ? s_.value(ranked_type(DType::kFloat32, 4)) : kNoValue;
    std::vector<ValueId> inputs = {state_.sequences, state_.seen};
    inputs.insert(inputs.end(), state_.others.begin(), state_.others.end());
    inputs.insert(inputs.end(), {s_.input(at_.returned), fixed_.length_penalty, history_});
    std::vector<ValueId> outputs = {best, scores};
    if (has_history) outputs.push_back(all);
    s_.place("BestBeams", kOurs, std::move(inputs), std::move(outputs), padding_);
    give_as(scores, s_.output(1));
    give_as(all, s_.output(2));
  }
  void give_as(ValueId x, ValueId output) {
    if (output == kNoValue) return;
    const auto to = static_cast<int64_t>(s_.type(output).dtype);
    s_.place("Cast", "", {x}, {output}, {Attribute::of_int("to", to)});
  }

  const bool is_beams_;
  const Inputs at_;
  const std::vector<Attribute> attributes_, padding_;
  const int64_t seed_;
  std::shared_ptr<Graph> decoder_;
  const std::shared_ptr<Graph> first_;
  Spelling s_;
  Fixed fixed_{};
  State state_{};
  std::vector<ValueId> past_;
  ValueId trips_ = kNoValue, goes_on_ = kNoValue, history_ = kNoValue;
};

Result<bool> spell_search(Graph& graph, NodeId id) { return Search(graph, id).replace(); }

constexpr Spelled kSpelled[] = {
    {"BeamSearch", takes_search, spell_search},
    {"GreedySearch", takes_search, spell_search},
    {"Sampling", takes_search, spell_search},
};

}  // namespace

std::span<const Spelled> search_spellings() { return kSpelled; }

}  // namespace ortc::cpu
