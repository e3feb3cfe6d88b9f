// SPDX-License-Identifier: MIT
// The operators that searches for tokens are made of (docs/design/internal-operators.md): their
// inputs and outputs, which the rewrite writes and the kernels read.
#pragma once

#include <cstddef>

namespace ortc::cpu {

struct SearchStart {
  enum Input : size_t { kTokens, kMaxLength, kBeams, kReturned, kMask, kInputCount };
  enum Output : size_t {
    kRows,       // the tokens of the prompt, a row for each beam
    kPositions,  // of them
    kSeen,       // the mask over them
    kLengths,    // position of the next token
    kSequences,  // all tokens, padding behind them
    kTrips,      // how many tokens may follow
    kRowCount,   // as a vector of one
    kEntries,    // the batch entry of each row
    kEnded,      // of each batch entry
    kTotals,     // the score of each beam
    kFound,      // ended sequences: tokens, scores and lengths, 0 for none
    kFoundScores,
    kFoundLengths,
    kOutputCount
  };
};

// One step. The first inputs and outputs of both forms are the same.
struct SearchStep {
  enum Input : size_t {
    kLogits,
    kSequences,
    kStep,  // 0 for the first
    kLengths,
    kSeen,
    kMinLength,
    kRepetitionPenalty,
    kVocabMask,
    kPrefixMask,
    kCommonInputs
  };
  enum Output : size_t { kGoesOn, kRows, kPositions, kSeenNow, kSequencesNow, kCommonOutputs };
};

struct NextTokens : SearchStep {
  enum Input : size_t { kEnded = kCommonInputs, kEngine, kPresenceMask, kInputCount };
  enum Output : size_t { kEndedNow = kCommonOutputs, kEngineNow, kOutputCount };
};

struct NextBeams : SearchStep {
  enum Input : size_t {
    kEnded = kCommonInputs,
    kTotals,
    kFound,
    kFoundScores,
    kFoundLengths,
    kLengthPenalty,
    kTemperature,
    kProcessor,   // 1: the rules for timestamps are kept
    kTimestamps,  // TimestampTokens, for these rules
    kInputCount
  };
  enum Output : size_t {
    kEndedNow = kCommonOutputs,
    kTotalsNow,
    kFoundNow,
    kFoundScoresNow,
    kFoundLengthsNow,
    kPastRows,  // the row that each beam goes on with
    kScores,    // of all tokens, beams' totals included
    kOutputCount
  };
};

// Tokens that the rules for timestamps speak of; one that is not there is negative. Those from
// kBegin on are timestamps.
struct TimestampTokens {
  enum : size_t { kStart, kTranslate, kTranscribe, kLanguageModel, kNoTimestamps, kBegin, kCount };
};

struct BestBeams {
  enum Input : size_t {
    kSequences,
    kSeen,
    kEnded,
    kTotals,
    kFound,
    kFoundScores,
    kFoundLengths,
    kReturned,
    kLengthPenalty,
    kHistory,
    kFirstScores,  // of a step in front of those
    kInputCount
  };
  enum Output : size_t { kBest, kBestScores, kAllScores, kOutputCount };
};

}  // namespace ortc::cpu
