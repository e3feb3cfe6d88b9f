// SPDX-License-Identifier: MIT
// Which searches for tokens are taken: the forms of decoders and encoders that they can be made of.
#pragma once

#include "core/graph/graph.h"

namespace ortc::cpu {

// Which inputs and outputs of a decoder are what. Its first input are tokens, its first output
// logits; a present follows for each past.
struct DecoderForm {
  bool is_taken = false;
  bool has_encoder = false;
  bool has_mask = false;   // the encoder's, which the decoder reads behind its tokens
  bool is_speech = false;  // the encoder reads features
  size_t first_past = 0, past_count = 0;
  size_t past_rank = 0, row_axis = 0, head_axis = 0;  // of a past; its last axis are numbers
  // Of an encoder: it gives the first logits, and the past behind them, itself.
  bool begins_in_encoder = false;
};

// By the node's `model_type`:
//   0  tokens, positions, mask and pasts [2, rows, heads, places, size]
//   1  tokens, the encoder's mask and perhaps its states, then pasts [rows, heads, places, size] of
//      the decoder itself, then as many of the encoder
//   2  the same without the mask
DecoderForm form_of_search(const Node& node);
bool takes_search(const Node& node);

// WhisperBeamSearch has inputs of BeamSearch, and more behind them.
inline bool is_whisper(const Node& node) { return node.op_type() == "WhisperBeamSearch"; }
inline bool is_beam_search(const Node& node) {
  return node.op_type() == "BeamSearch" || is_whisper(node);
}
struct BeamInputs {
  enum : size_t {
    kBeams = 3,
    kMask = 9,
    kFirstTokens,
    kProcessor,
    kCrossHeads,
    kForcedTokens,
    kTemperature
  };
};
struct BeamOutputs {
  enum : size_t { kSequences, kTotals, kScores, kCross, kNoSpeech };
};

}  // namespace ortc::cpu
