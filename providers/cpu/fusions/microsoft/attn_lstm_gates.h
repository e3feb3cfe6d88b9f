// SPDX-License-Identifier: MIT
// The functions of AttnLSTM's gates, as the LSTM of one direction and one step has them.
//
// With `clip`, LSTM bounds the cell too before the last function sees it; AttnLSTM does not. Then
// the LSTM gives the output gate alone, by a last function that is 1, and `last` follows by itself.
#pragma once

#include "core/graph/graph.h"

namespace ortc::cpu {

struct AttnLstmGates {
  std::vector<Attribute> attributes;  // of LSTM, clip and input_forget among them
  std::string last;                   // an operator; empty when the LSTM has it
};

// NOT_IMPLEMENTED where the last function would have to follow and has numbers of its own.
Result<AttnLstmGates> attn_lstm_gates(const Node& node, size_t direction);

}  // namespace ortc::cpu
