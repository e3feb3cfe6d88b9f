// SPDX-License-Identifier: MIT
// The forms of decoders and encoders that searches for tokens can be made of.
#pragma once

#include "core/graph/graph.h"

namespace ortc::cpu {

// Which inputs and outputs of a decoder are what. Its first input are tokens, its first output
// logits; a present follows for each past.
struct DecoderForm {
  bool is_taken = false;
  bool has_encoder = false;
  size_t first_past = 0, past_count = 0;
  size_t past_rank = 0, row_axis = 0, head_axis = 0;  // of a past; its last axis are numbers
  // Of an encoder: it gives the first logits, and the past behind them, itself.
  bool begins_in_encoder = false;
};

// `model_type` 0: tokens, positions, mask and pasts [2, rows, heads, places, size].
DecoderForm form_of_decoder(const Graph* decoder);
// `model_type` 1: tokens, the encoder's mask and perhaps its states, then pasts [rows, heads,
// places, size] of the decoder itself, then as many of the encoder.
DecoderForm form_of_pair(const Graph* encoder, const Graph* decoder);

}  // namespace ortc::cpu
