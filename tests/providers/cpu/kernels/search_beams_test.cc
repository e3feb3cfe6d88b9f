// SPDX-License-Identifier: MIT
// The search for beams: where it starts, which beams follow, and what it gives in the end, against
// plain loops over the scores that a step gives.
#include "tests/providers/cpu/kernels/search_testing.h"

namespace ortc::test {
namespace {

using N = cpu::NextBeams;
using B = cpu::BestBeams;
using S = cpu::SearchStart;

// --- One step, plainly.

struct Found {
  float score;
  std::vector<int32_t> tokens;
};

struct Entry {
  std::vector<Found> found;  // the best first, of equal ones the older
  bool has_ended = false;
};

void offer(Entry& entry, int64_t beams, Found candidate) {
  auto at = entry.found.end();
  while (at != entry.found.begin() && candidate.score > (at - 1)->score) --at;
  entry.found.insert(at, std::move(candidate));
  if (static_cast<int64_t>(entry.found.size()) > beams) entry.found.pop_back();
}

struct Choice {
  float score;
  int64_t beam, token;
};

// The best of all beams of an entry, as many as twice the beams.
std::vector<Choice> best_of(const StepState& s, int64_t entry, const std::vector<float>& scores) {
  std::vector<Choice> all;
  for (int64_t beam = 0; beam < s.beams; ++beam) {
    for (int64_t token = 0; token < s.words; ++token) {
      const int64_t row = entry * s.beams + beam;
      all.push_back({scores[static_cast<size_t>(row * s.words + token)], beam, token});
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Choice& a, const Choice& b) { return a.score > b.score; });
  all.resize(std::min(all.size(), static_cast<size_t>(2 * s.beams)));
  return all;
}

struct Next {
  std::vector<Entry> entries;
  std::vector<float> totals;
  std::vector<int32_t> tokens;
  std::vector<int64_t> from;
};

// Scores that decide whether more can be found are those of the entry's place in a list of all:
// ONNX Runtime looks `beams` further for each entry, though each has twice as many.
float score_that_decides(const std::vector<std::vector<Choice>>& best, int64_t entry,
                         int64_t beams) {
  std::vector<float> list;
  for (const auto& own : best) {
    for (const Choice& choice : own) list.push_back(choice.score);
    list.resize(static_cast<size_t>(2 * beams) * (static_cast<size_t>(&own - best.data()) + 1),
                kLowest);
  }
  const auto first = list.begin() + entry * beams;
  return *std::max_element(first, first + 2 * beams);
}

Next plain_step(const StepState& s, std::vector<Entry> entries, const std::vector<float>& scores,
                float penalty, bool stops_early) {
  const auto of_length = [&](float total) {
    return total / std::pow(static_cast<float>(s.length), penalty);
  };
  std::vector<std::vector<Choice>> best;
  for (int64_t e = 0; e < s.batch; ++e) best.push_back(best_of(s, e, scores));
  Next next{std::move(entries), {}, {}, {}};
  for (int64_t e = 0; e < s.batch; ++e) {
    Entry& entry = next.entries[static_cast<size_t>(e)];
    if (entry.has_ended) {
      for (int64_t i = 0; i < s.beams; ++i) {
        next.totals.push_back(0), next.from.push_back(0);
        next.tokens.push_back(static_cast<int32_t>(s.padding));
      }
      continue;
    }
    int64_t rank = 0, kept = 0;
    for (const Choice& choice : best[static_cast<size_t>(e)]) {
      const int64_t row = e * s.beams + choice.beam;
      if (choice.token == s.end) {
        const int32_t* own = s.sequence(row);
        if (rank < s.beams) offer(entry, s.beams, {of_length(choice.score), {own, own + s.length}});
      } else if (kept < s.beams) {
        next.totals.push_back(choice.score), next.from.push_back(row);
        next.tokens.push_back(static_cast<int32_t>(choice.token));
        ++kept;
      }
      ++rank;
      if (kept == s.beams) break;
    }
    const bool is_full = static_cast<int64_t>(entry.found.size()) == s.beams;
    const float top = of_length(score_that_decides(best, e, s.beams));
    entry.has_ended = is_full && (stops_early || !(entry.found.back().score < top));
  }
  return next;
}

// Entries as the kernel's tensors, and compared with them.
BeamState beams_of(const StepState& s, const std::vector<Entry>& entries) {
  BeamState state(s);
  for (size_t e = 0; e < entries.size(); ++e) {
    state.ended[e] = entries[e].has_ended ? 1 : 0;
    for (size_t i = 0; i < entries[e].found.size(); ++i) {
      const size_t at = e * static_cast<size_t>(s.beams) + i;
      const Found& found = entries[e].found[i];
      state.found_scores[at] = found.score;
      state.found_lengths[at] = static_cast<int32_t>(found.tokens.size());
      std::copy(found.tokens.begin(), found.tokens.end(),
                state.found.begin() + static_cast<int64_t>(at) * s.longest);
    }
  }
  return state;
}

void check_entries(const StepState& s, const std::vector<Entry>& entries,
                   const std::vector<Tensor>& outputs) {
  const BeamState expected = beams_of(s, entries);
  const auto* ended = static_cast<const uint8_t*>(outputs[N::kEndedNow].data());
  CHECK(std::equal(expected.ended.begin(), expected.ended.end(), ended));
  CHECK(elements<float>(outputs[N::kFoundScoresNow]) == expected.found_scores);
  CHECK(elements<int32_t>(outputs[N::kFoundLengthsNow]) == expected.found_lengths);
  const auto tokens = elements<int32_t>(outputs[N::kFoundNow]);
  for (size_t at = 0; at < expected.found_lengths.size(); ++at) {
    const auto from = static_cast<int64_t>(at) * s.longest;
    CHECK(std::equal(tokens.begin() + from, tokens.begin() + from + expected.found_lengths[at],
                     expected.found.begin() + from));
  }
}

// Steps until all have ended or there is no more room.
void check_search(Random& random, int64_t batch, int64_t beams, int64_t words, float penalty,
                  bool stops_early) {
  StepState s = StepState::random(random, batch, beams, words);
  s.length = 1, s.end = 1;
  s.attributes = {Attribute::of_int("early_stopping", stops_early ? 1 : 0)};
  std::vector<Entry> entries(static_cast<size_t>(batch));
  std::vector<float> totals(static_cast<size_t>(s.rows()), -1e9f);
  for (int64_t e = 0; e < batch; ++e) totals[static_cast<size_t>(e * beams)] = 0;
  for (; s.length < s.longest; ++s.length, ++s.step) {
    s.logits = random.floats({s.rows(), 1, words});
    BeamState state = beams_of(s, entries);
    state.totals = totals;
    const auto outputs = run_op(beam_op(s), beam_inputs(s, state, penalty));
    CHECK_OK(outputs);
    Next next =
        plain_step(s, entries, elements<float>((*outputs)[N::kScores]), penalty, stops_early);
    check_entries(s, next.entries, *outputs);
    CHECK(elements<float>((*outputs)[N::kTotalsNow]) == next.totals);
    CHECK(elements<int32_t>((*outputs)[N::kRows]) == next.tokens);
    if (beams > 1) CHECK(elements<int64_t>((*outputs)[N::kPastRows]) == next.from);
    const auto grown = elements<int32_t>((*outputs)[N::kSequencesNow]);
    for (int64_t row = 0; row < s.rows(); ++row) {
      const int32_t* before = s.sequence(next.from[static_cast<size_t>(row)]);
      CHECK(std::equal(before, before + s.length, grown.begin() + row * s.longest));
      CHECK_EQ(grown[static_cast<size_t>(row * s.longest + s.length)],
               next.tokens[static_cast<size_t>(row)]);
    }
    s.sequences = grown, entries = next.entries, totals = next.totals;
    bool all_ended = true;
    for (const Entry& entry : entries) all_ended = all_ended && entry.has_ended;
    CHECK_EQ(*static_cast<const uint8_t*>((*outputs)[N::kGoesOn].data()), all_ended ? 0 : 1);
    if (all_ended) return;
  }
}

TEST(search_beams, follow_what_plain_loops_choose) {
  Random random(21);
  for (const float penalty : {1.0f, 0.0f, 2.0f, -1.0f}) {
    for (const bool stops_early : {false, true}) {
      for (const int64_t batch : {1, 2, 3}) {
        for (const int64_t beams : {1, 2, 5}) {
          for (const int64_t words : {2, 3, 8, 33}) {
            check_search(random, batch, beams, words, penalty, stops_early);
          }
        }
      }
    }
  }
}

TEST(search_beams, of_equal_scores_take_the_first) {
  Random random(1);
  StepState s = StepState::random(random, 1, 2, 4);
  s.vocab_mask = i32s({4}, {0, 0, 0, 0});
  const auto outputs = run_op(beam_op(s), beam_inputs(s, BeamState(s)));
  CHECK_OK(outputs);
  CHECK(elements<int32_t>((*outputs)[N::kRows]) == (std::vector<int32_t>{0, 1}));
  CHECK(elements<int64_t>((*outputs)[N::kPastRows]) == (std::vector<int64_t>{0, 0}));
}

TEST(search_beams, need_as_many_words_as_there_are_beams) {
  Random random(1);
  StepState s = StepState::random(random, 1, 1, 1);
  CHECK_OK(run_op(beam_op(s), beam_inputs(s, BeamState(s))));
  s.end = 0;  // the only word ends it
  CHECK_CODE(run_op(beam_op(s), beam_inputs(s, BeamState(s))), Code::kInvalidArgument);
}

TEST(search_beams, refuse_a_penalty_that_is_not_positive) {
  Random random(1);
  for (const float penalty : {0.0f, -1.0f, std::nanf("")}) {
    StepState s = StepState::random(random, 1, 2, 4);
    s.penalty = penalty;
    CHECK_CODE(run_op(beam_op(s), beam_inputs(s, BeamState(s))), Code::kInvalidArgument);
  }
}

// --- Where it starts.

const std::string kOurs(kInternalDomain);

TEST(search_beams, start_with_the_prompt_in_each_row) {
  const Tensor ids = i32s({2, 3}, {9, 9, 4, 5, 9, 6});
  const Op start{"SearchStart", 1, {Attribute::of_int("pad_token_id", 9)}, S::kOutputCount, kOurs};
  const auto out = run_op(start, {ids, Tensor::scalar(int32_t{5}), Tensor::scalar(int32_t{2})});
  CHECK_OK(out);
  CHECK(holds<int32_t>((*out)[S::kRows], {4, 3}, {9, 9, 4, 9, 9, 4, 5, 9, 6, 5, 9, 6}));
  CHECK(holds<int32_t>((*out)[S::kPositions], {4, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1}));
  CHECK(holds<int32_t>((*out)[S::kSeen], {4, 3}, {0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1}));
  CHECK(holds<int32_t>((*out)[S::kLengths], {4}, {1, 1, 2, 2}));
  CHECK(holds<int64_t>((*out)[S::kTrips], {}, {2}));
  CHECK(holds<int64_t>((*out)[S::kEntries], {4}, {0, 0, 1, 1}));
  CHECK(holds<float>((*out)[S::kTotals], {4}, {0, -1e9f, 0, -1e9f}));
  const auto sequences = elements<int32_t>((*out)[S::kSequences]);
  CHECK(sequences ==
        (std::vector<int32_t>{9, 9, 4, 9, 9, 9, 9, 4, 9, 9, 5, 9, 6, 9, 9, 5, 9, 6, 9, 9}));
  for (const auto& [longest, beams] : {std::pair<int32_t, int32_t>{3, 2}, {5, 0}, {5, 129}}) {
    CHECK_CODE(run_op(start, {ids, Tensor::scalar(longest), Tensor::scalar(beams)}),
               Code::kInvalidArgument);
  }
}

// --- What it gives in the end.

std::vector<Tensor> end_of(const StepState& s, const std::vector<Entry>& entries,
                           const std::vector<float>& totals, int32_t returned, float penalty) {
  BeamState state = beams_of(s, entries);
  state.totals = totals;
  std::vector<Tensor> inputs = {
      i32s({s.rows(), s.longest}, s.sequences),
      i32s({s.rows(), s.length}, std::vector<int32_t>(static_cast<size_t>(s.rows() * s.length)))};
  for (Tensor& x : state.tensors(s)) inputs.push_back(std::move(x));
  inputs.insert(inputs.end(), {Tensor::scalar(returned), Tensor::scalar(penalty)});
  return inputs;
}

TEST(search_beams, that_go_on_in_the_end_are_found_too) {
  Random random(5);
  for (const int64_t beams : {1, 2, 4}) {
    for (const bool has_ended : {false, true}) {
      StepState s = StepState::random(random, 2, beams, 7);
      s.length = 6;
      std::vector<Entry> entries(2);
      std::vector<float> totals;
      for (int64_t row = 0; row < s.rows(); ++row) totals.push_back(random.number());
      for (int64_t i = 0; i < beams; ++i) offer(entries[0], beams, {random.number(), {1, 2, 3}});
      entries[0].has_ended = has_ended;
      const auto returned = static_cast<int32_t>((beams + 1) / 2);
      const Op op{"BestBeams", 1, {Attribute::of_int("pad_token_id", 77)}, 2, kOurs};
      const auto out = run_op(op, end_of(s, entries, totals, returned, 0.5f));
      CHECK_OK(out);
      for (int64_t row = 0; row < s.rows(); ++row) {
        Entry& entry = entries[static_cast<size_t>(row / beams)];
        const int32_t* own = s.sequence(row);
        const float score = totals[static_cast<size_t>(row)] / std::pow(6.0f, 0.5f);
        if (!entry.has_ended) offer(entry, beams, {score, {own, own + s.length}});
      }
      const auto best = elements<int32_t>((*out)[B::kBest]);
      CHECK((*out)[B::kBest].dims() == (Dims{2, returned, s.longest}));
      for (size_t e = 0; e < 2; ++e) {
        for (size_t i = 0; i < static_cast<size_t>(returned); ++i) {
          const size_t at = e * static_cast<size_t>(returned) + i;
          std::vector<int32_t> expected = entries[e].found[i].tokens;
          expected.resize(static_cast<size_t>(s.longest), 77);
          CHECK(std::equal(expected.begin(), expected.end(),
                           best.begin() + static_cast<int64_t>(at) * s.longest));
          CHECK_EQ(elements<float>((*out)[B::kBestScores])[at], entries[e].found[i].score);
        }
      }
      CHECK_CODE(run_op(op, end_of(s, entries, totals, static_cast<int32_t>(beams + 1), 1)),
                 Code::kInvalidArgument);
    }
  }
}

TEST(search_beams, give_the_scores_of_a_first_step_in_front_of_the_others) {
  Random random(5);
  StepState s = StepState::random(random, 1, 2, 3);
  s.length = 4;  // of them a prompt of one: three steps ran
  const Op op{"BestBeams", 1, {Attribute::of_int("pad_token_id", 0)}, 3, kOurs};
  std::vector<Tensor> inputs = end_of(s, std::vector<Entry>(1), {0, -1}, 1, 1);
  const Tensor first = random.floats({1, 2, 3}), rest = random.floats({2, 1, 2, 3});
  inputs.insert(inputs.end(), {rest, first});
  auto out = run_op(op, inputs);
  CHECK_OK(out);
  std::vector<float> expected = elements<float>(first), more = elements<float>(rest);
  expected.insert(expected.end(), more.begin(), more.end());
  expected.resize(7 * 6);  // zeros for the steps that did not run
  CHECK((*out)[B::kAllScores].dims() == (Dims{7, 1, 2, 3}));
  CHECK(elements<float>((*out)[B::kAllScores]) == expected);
  // No step behind the first: of theirs only the rank is known.
  inputs[B::kHistory] = Tensor::create(DType::kFloat32, {0, 0, 0, 0}).value();
  out = run_op(op, inputs);
  CHECK_OK(out);
  CHECK((*out)[B::kAllScores].dims() == (Dims{5, 1, 2, 3}));
  inputs[B::kFirstScores] = random.floats({1, 3, 3});
  CHECK_CODE(run_op(op, inputs), Code::kInvalidArgument);
}

}  // namespace
}  // namespace ortc::test
