// SPDX-License-Identifier: MIT
// Searches for tokens (com.microsoft) over a decoder in the file: GreedySearch, Sampling,
// BeamSearch and WhisperBeamSearch, spelled out as a Loop whose body is the decoder and a step:
//
//   rows, positions, seen, .. = SearchStart(input_ids, ..)
//   Loop(trips): logits, present.. = decoder(rows, positions, seen, past..)
//                goes_on, rows, positions, seen, .. = NextTokens or NextBeams(logits, ..)
//                past.. = present.. of the rows that the beams go on with
//   BestBeams(..) for beams
//
// Where there is an `init_decoder`, it and a step stand in front of the Loop; of `model_type` 1 and
// 2 the encoder, which gives all turns what they read of it.
#include "core/base/hash.h"
#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/microsoft/microsoft_spellings.h"
#include "providers/cpu/fusions/microsoft/search_bodies.h"
#include "providers/cpu/fusions/microsoft/search_forms.h"
#include "providers/cpu/fusions/microsoft/search_speech.h"
#include "providers/cpu/search_ops.h"

namespace ortc::cpu {
namespace {

// Which input of the node is what.
struct Inputs {
  size_t min_length, repetition_penalty, vocab_mask, prefix_mask, mask, presence, seed;
  size_t beams, returned, length_penalty, processor, temperature;
};
constexpr size_t kNone = 99;
constexpr Inputs kTokenInputs = {2, 3, 4, 5, 6, 7, 8, kNone, kNone, kNone, kNone, kNone};
constexpr Inputs kBeamInputs = {2,     6, 7, 8, BeamInputs::kMask,      kNone,
                                kNone, 3, 4, 5, BeamInputs::kProcessor, BeamInputs::kTemperature};

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
        start_token_(graph.node(id)->int_attribute("decoder_start_token_id", -1)),
        no_speech_token_(graph.node(id)->int_attribute("no_speech_token_id", -1)),
        vocabulary_(graph.node(id)->int_attribute("vocab_size", -1)),
        form_(form_of_search(*graph.node(id))),
        timestamp_tokens_(timestamp_tokens(*graph.node(id))),
        encoder_(body_copy(graph, *graph.node(id), "encoder")),
        decoder_(body_copy(graph, *graph.node(id), "decoder")),
        first_(body_copy(graph, *graph.node(id), "init_decoder")),
        s_(graph, id) {}

  Result<bool> replace() {
    read_inputs();
    start();
    if (form_.has_encoder) {
      RETURN_IF_ERROR(encode());
    } else if (first_ != nullptr) {
      RETURN_IF_ERROR(first_of_two());
    }
    RETURN_IF_ERROR(loop());
    if (is_beams_) best_beams();
    return s_.done();
  }

 private:
  // What the steps read beside their state; values of the graph around the Loop.
  struct Fixed {
    ValueId lengths, min_length, repetition_penalty, vocab_mask, prefix_mask, length_penalty,
        presence, temperature, processor, timestamps;
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
              s_.input(at_.presence),
              float32(at_.temperature),
              form_.is_speech ? s_.input(at_.processor) : kNoValue,
              kNoValue};
    if (fixed_.processor != kNoValue) fixed_.timestamps = s_.constant(timestamp_tokens_);
  }

  // --- In front of the Loop.

  void start() {
    using S = SearchStart;
    std::vector<ValueId> out;
    constexpr DType kI32 = DType::kInt32, kI64 = DType::kInt64, kF32 = DType::kFloat32;
    const DType dtypes[] = {kI32, kI32,         kI32, kI32, kI32, kI64, kI64,
                            kI64, DType::kBool, kF32, kI32, kF32, kI32};
    const size_t ranks[] = {2, 2, 2, 1, 2, 0, 1, 1, 1, 1, 3, 2, 2};
    const size_t count = is_beams_ ? S::kOutputCount : S::kEnded + 1;
    for (size_t i = 0; i < count; ++i) out.push_back(s_.value(ranked_type(dtypes[i], ranks[i])));
    start_tokens_ = form_.is_speech ? s_.input(BeamInputs::kFirstTokens) : kNoValue;
    if (!form_.has_encoder) start_tokens_ = s_.input(0);
    if (start_tokens_ == kNoValue) start_tokens_ = tokens_of_start();
    const ValueId mask = form_.has_encoder ? kNoValue : s_.input(at_.mask);
    s_.place("SearchStart", std::string(kInternalDomain),
             {start_tokens_, s_.input(1), s_.input(at_.beams), s_.input(at_.returned), mask}, out,
             padding_);
    fixed_.lengths = out[S::kLengths];
    trips_ = out[S::kTrips];
    entries_ = out[S::kEntries];
    state_ = {out[S::kRows], out[S::kPositions], out[S::kSeen], out[S::kSequences], {}};
    state_.others.assign(out.begin() + S::kEnded, out.end());
    if (!is_beams_) state_.others.push_back(engine());
    if (form_.begins_in_encoder) return;
    for (size_t i = 0; i < form_.past_count; ++i) {
      const ValueId id = decoder_->inputs()[form_.first_past + i];
      past_.push_back(empty_past(decoder_->value(id)->type, out[S::kRowCount]));
    }
  }

  // [batch, 1]: with an encoder the sequences begin anew.
  ValueId tokens_of_start() {
    const Type vector = ranked_type(DType::kInt64, 1);
    const ValueId dims = s_.add("Shape", {s_.input(0)}, vector);
    const ValueId batch =
        s_.add("Gather", {dims, int64_constant(s_, {0})}, vector, {Attribute::of_int("axis", 0)});
    const ValueId shape =
        s_.add("Concat", {batch, int64_constant(s_, {1})}, vector, {Attribute::of_int("axis", 0)});
    const auto token = static_cast<int32_t>(start_token_);
    const std::vector<int32_t> value = {token};
    return s_.add("ConstantOfShape", {shape}, ranked_type(DType::kInt32, 2),
                  {Attribute::of_tensor("value", Tensor::from<int32_t>({1}, value))});
  }

  ValueId engine() {
    const ValueId seed = s_.input(at_.seed);
    return seed == kNoValue ? s_.constant(Tensor::scalar(seed_)) : cast_to(s_, seed, DType::kInt64);
  }

  ValueId empty_past(const Type& type, ValueId rows) {
    std::vector<ValueId> parts;
    if (form_.row_axis == 1) parts.push_back(int64_constant(s_, {2}));  // keys and values
    parts.push_back(rows);
    parts.push_back(
        int64_constant(s_, {(*type.shape)[form_.head_axis].value, 0, type.shape->back().value}));
    const ValueId dims = s_.add("Concat", std::move(parts), ranked_type(DType::kInt64, 1),
                                {Attribute::of_int("axis", 0)});
    auto zero = Tensor::create(type.dtype, {1});
    std::vector<Attribute> value;
    if (zero.is_ok()) value.push_back(Attribute::of_tensor("value", std::move(*zero)));
    return s_.add("ConstantOfShape", {dims}, ranked_type(type.dtype, form_.past_rank),
                  std::move(value));
  }

  // The first logits are those of another decoder.
  Status first_of_two() {
    std::vector<ValueId> inputs = {state_.rows, state_.positions, state_.seen};
    inputs.insert(inputs.end(), past_.begin(), past_.end());
    const auto out = run_once(s_, first_, inputs);
    return first_step(out[0], {out.begin() + 1, out.end()});
  }

  // A step in front of the Loop.
  Status first_step(ValueId logits, std::vector<ValueId> present) {
    const ValueId zero = s_.constant(Tensor::scalar(int64_t{0}));
    const Step step = add_step(s_, fixed_, state_, logits, zero);
    past_ = next_past(s_, std::move(present), step.past_rows);
    first_scores_ = step.scores;
    state_ = step.state;
    goes_on_ = step.goes_on;
    trips_ = s_.add("Sub", {trips_, s_.constant(Tensor::scalar(int64_t{1}))},
                    scalar_type(DType::kInt64));
    fixed_.prefix_mask = kNoValue;  // of the first step alone
    return s_.done().status();
  }

  // --- An encoder in front of the Loop.

  Status encode() {
    std::vector<ValueId> inputs = {s_.input(0)};
    if (form_.has_mask) inputs.push_back(encoder_mask());
    size_t place = 1;
    if (form_.has_mask) from_encoder_.push_back({place++, for_beams(inputs[1])});
    if (form_.begins_in_encoder) inputs.push_back(start_tokens_);
    std::vector<ValueId> out = run_once(s_, encoder_, inputs);
    RETURN_IF_ERROR(s_.done().status());
    if (const ValueId likely = s_.output(BeamOutputs::kNoSpeech); likely != kNoValue) {
      give_as(token_probability(s_, out[0], vocabulary_, no_speech_token_), likely);
    }
    for (ValueId& id : out) id = for_beams(id);
    size_t next = 0;
    std::vector<ValueId> present;
    if (form_.begins_in_encoder) {
      if (form_.first_past > place) from_encoder_.push_back({place, out[1]});
      present.assign(out.begin() + 2, out.begin() + 2 + static_cast<ptrdiff_t>(form_.past_count));
      next = 2 + form_.past_count;
    }
    for (size_t i = form_.first_past + form_.past_count; next < out.size(); ++i) {
      from_encoder_.push_back({i, out[next++]});
    }
    return form_.begins_in_encoder ? first_step(out[0], std::move(present)) : Status::ok();
  }

  // Without a mask padding is masked that stands in front of the first word.
  ValueId encoder_mask() {
    if (s_.input(at_.mask) != kNoValue) return s_.input(at_.mask);
    const Type type = ranked_type(DType::kInt32, 2), flags = ranked_type(DType::kBool, 2);
    const auto to = Attribute::of_int("to", static_cast<int64_t>(DType::kInt32));
    const auto padding = static_cast<int32_t>(padding_[0].i);
    const ValueId pads =
        s_.add("Equal", {s_.input(0), s_.constant(Tensor::scalar(padding))}, flags);
    const ValueId words = s_.add("Cast", {s_.add("Not", {pads}, flags)}, type, {to});
    const ValueId before = s_.add("CumSum", {words, s_.constant(Tensor::scalar(int64_t{1}))}, type);
    const ValueId some =
        s_.add("Greater", {before, s_.constant(Tensor::scalar(int32_t{0}))}, flags);
    return s_.add("Cast", {some}, type, {to});
  }

  ValueId for_beams(ValueId x) {
    return s_.add("Gather", {x, entries_}, s_.type(x), {Attribute::of_int("axis", 0)});
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
    if (is_beams_) {
      inputs.insert(inputs.end(), {fixed.temperature, fixed.processor, fixed.timestamps});
    }
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
    s.place(is_beams_ ? "NextBeams" : "NextTokens", std::string(kInternalDomain), std::move(inputs),
            std::move(outputs), attributes_);
    return step;
  }

  std::vector<ValueId> next_past(Spelling& s, std::vector<ValueId> present, ValueId rows) const {
    if (rows == kNoValue) return present;
    for (ValueId& id : present) {
      const DType dtype = s.type(id).dtype;
      id = s.add("Gather", {id, rows}, ranked_type(dtype, form_.past_rank),
                 {Attribute::of_int("axis", static_cast<int64_t>(form_.row_axis))});
    }
    return present;
  }

  // --- The Loop.

  Status loop() {
    Spelling b(*decoder_, s_.name());
    const std::vector<ValueId> own = decoder_->inputs(), results = decoder_->outputs();
    const ValueId turn = b.value(scalar_type(DType::kInt64)),
                  condition = b.value(scalar_type(DType::kBool));
    const State before = state_of_body(b);
    ASSIGN_OR_RETURN(const Fixed fixed, captured());
    ValueId number = turn;
    if (goes_on_ != kNoValue) {  // a step stands in front
      number =
          b.add("Add", {turn, b.constant(Tensor::scalar(int64_t{1}))}, scalar_type(DType::kInt64));
    }
    const Step step = add_step(b, fixed, before, results[0], number);
    const auto past = next_past(b, {results.begin() + 1, results.end()}, step.past_rows);
    RETURN_IF_ERROR(b.done().status());

    std::vector<ValueId> in = {turn, condition}, out = {step.goes_on}, fed = {trips_, goes_on_};
    const auto first = own.begin() + static_cast<ptrdiff_t>(form_.first_past);
    carry(before, {first, first + static_cast<ptrdiff_t>(form_.past_count)}, in);
    carry(step.state, past, out);
    carry(state_, past_, fed);
    if (step.scores != kNoValue) out.push_back(step.scores);
    decoder_->set_inputs(std::move(in));
    decoder_->set_outputs(std::move(out));
    for (const auto& [place, unused] : from_encoder_) decoder_->remove_value(own[place]);
    place_loop(std::move(fed), step.scores != kNoValue);
    return Status::ok();
  }

  // What comes from the encoder, every turn reads as it is.
  Result<Fixed> captured() {
    RETURN_IF_ERROR(s_.done().status());
    Fixed fixed = fixed_;
    for (ValueId* id : {&fixed.lengths, &fixed.min_length, &fixed.repetition_penalty,
                        &fixed.vocab_mask, &fixed.prefix_mask, &fixed.length_penalty,
                        &fixed.presence, &fixed.temperature, &fixed.processor, &fixed.timestamps}) {
      if (*id == kNoValue) continue;
      ASSIGN_OR_RETURN(*id, decoder_->capture(*id));
    }
    for (const auto& [place, outer] : from_encoder_) {
      ASSIGN_OR_RETURN(const ValueId inner, decoder_->capture(outer));
      if (!decoder_->replace_uses(decoder_->inputs()[place], inner)) {
        return not_implemented("a decoder that gives its input ", place, " as an output");
      }
    }
    return fixed;
  }

  State state_of_body(Spelling& b) const {
    const std::vector<ValueId>& own = decoder_->inputs();
    State state{own[0], kNoValue, kNoValue, b.value(s_.type(state_.sequences)), {}};
    const bool reads_places = !form_.has_encoder;
    state.positions = reads_places ? own[1] : b.value(s_.type(state_.positions));
    state.seen = reads_places ? own[2] : b.value(s_.type(state_.seen));
    for (const ValueId id : state_.others) state.others.push_back(b.value(s_.type(id)));
    return state;
  }

  void place_loop(std::vector<ValueId> fed, bool has_scores) {
    std::vector<ValueId> given;
    state_ = fresh(state_);
    carry(state_, std::vector<ValueId>(past_.size(), kNoValue), given);
    if (has_scores) given.push_back(history_ = s_.value(ranked_type(DType::kFloat32, 4)));
    s_.place("Loop", "", std::move(fed), std::move(given), {body_attribute(std::move(decoder_))});
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

  // --- Behind it.

  void best_beams() {
    const ValueId best = s_.output(0);
    const ValueId scores = s_.value(ranked_type(DType::kFloat32, 2));
    const bool has_history = history_ != kNoValue;
    const ValueId all = has_history ? s_.value(ranked_type(DType::kFloat32, 4)) : kNoValue;
    std::vector<ValueId> inputs = {state_.sequences, state_.seen};
    inputs.insert(inputs.end(), state_.others.begin(), state_.others.end());
    inputs.insert(inputs.end(),
                  {s_.input(at_.returned), fixed_.length_penalty, history_, first_scores_});
    std::vector<ValueId> outputs = {best, scores};
    if (has_history) outputs.push_back(all);
    s_.place("BestBeams", std::string(kInternalDomain), std::move(inputs), std::move(outputs),
             padding_);
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
  const int64_t start_token_, no_speech_token_, vocabulary_;
  const DecoderForm form_;
  const Tensor timestamp_tokens_;
  const std::shared_ptr<Graph> encoder_;
  std::shared_ptr<Graph> decoder_;
  const std::shared_ptr<Graph> first_;
  Spelling s_;
  Fixed fixed_{};
  State state_{};
  std::vector<ValueId> past_;
  std::vector<std::pair<size_t, ValueId>> from_encoder_;  // inputs of the decoder
  ValueId start_tokens_ = kNoValue, entries_ = kNoValue;
  ValueId trips_ = kNoValue, goes_on_ = kNoValue;
  ValueId history_ = kNoValue, first_scores_ = kNoValue;
};

Result<bool> spell_search(Graph& graph, NodeId id) { return Search(graph, id).replace(); }

constexpr Spelled kSpelled[] = {
    {"BeamSearch", takes_search, spell_search, 11, true},
    {"GreedySearch", takes_search, spell_search, 11, true},
    {"Sampling", takes_search, spell_search, 11, true},
    {"WhisperBeamSearch", takes_search, spell_search, 11, true},
};

}  // namespace

std::span<const Spelled> search_spellings() { return kSpelled; }

}  // namespace ortc::cpu
