// SPDX-License-Identifier: MIT
// Searches through speech: see the header.
#include "providers/cpu/fusions/microsoft/search_speech.h"

#include "providers/cpu/fusions/microsoft/microsoft_spellings.h"
#include "providers/cpu/fusions/microsoft/search_bodies.h"
#include "providers/cpu/search_ops.h"

namespace ortc::cpu {

Tensor timestamp_tokens(const Node& node) {
  constexpr const char* kNames[] = {"decoder_start_token_id", "translate_token_id",
                                    "transcribe_token_id",    "start_of_lm_token_id",
                                    "no_timestamps_token_id", "beginning_timestamp_token_id"};
  static_assert(std::size(kNames) == TimestampTokens::kCount);
  std::vector<int64_t> tokens;
  for (const char* name : kNames) tokens.push_back(node.int_attribute(name, -1));
  return Tensor::from<int64_t>({TimestampTokens::kCount}, tokens);
}

ValueId token_probability(Spelling& s, ValueId logits, int64_t vocabulary, int64_t token) {
  const Type matrix = ranked_type(DType::kFloat32, 2);
  const auto axis = Attribute::of_int("axis", 1);
  const ValueId last = s.constant(Tensor::scalar(int64_t{-1}));
  ValueId x = s.add("Gather", {cast_to(s, logits, DType::kFloat32), last}, matrix, {axis});
  if (vocabulary > 0) {
    x = s.add("Slice",
              {x, int64_constant(s, {0}), int64_constant(s, {vocabulary}), int64_constant(s, {1})},
              matrix);
  }
  x = s.add("Softmax", {x}, matrix, {axis});
  return s.add("Gather", {x, s.constant(Tensor::scalar(token))}, ranked_type(DType::kFloat32, 1),
               {axis});
}

}  // namespace ortc::cpu
