// SPDX-License-Identifier: MIT
// What searches through speech have beside those through text.
#pragma once

#include "providers/cpu/fusions/spelling.h"

namespace ortc::cpu {

// The tokens that the node's attributes name, in the order of TimestampTokens.
Tensor timestamp_tokens(const Node& node);

// [batch]: how likely `token` is behind the last of the first tokens, before any rule changes
// scores. Of `logits` [batch, tokens, words] the first `vocabulary` count; all when that is not
// above 0.
ValueId token_probability(Spelling& s, ValueId logits, int64_t vocabulary, int64_t token);

}  // namespace ortc::cpu
