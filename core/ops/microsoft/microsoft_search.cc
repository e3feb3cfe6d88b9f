// SPDX-License-Identifier: MIT
// The domain com.microsoft: searches for tokens, loops over a decoder in the file. Their bodies
// have inputs and outputs that the file declares.
#include "core/ops/microsoft/microsoft_families.h"
#include "core/ops/shape_rules.h"

namespace ortc {
namespace {

// The number that input i is in every run.
Dim number_dim(const InferContext& ctx, size_t i) {
  const auto numbers = known_integers(ctx, i);
  const bool is_one = numbers && numbers->size() == 1 && (*numbers)[0] >= 0;
  return is_one ? Dim::known((*numbers)[0]) : Dim::unknown();
}

// Tokens in rows; features, of speech, have three axes.
Result<Dim> batch_of(const InferContext& ctx, size_t rank) {
  RETURN_IF_ERROR(expect_rank(ctx, 0, rank));
  const Shape* tokens = input_shape(ctx, 0);
  return tokens != nullptr ? (*tokens)[0] : Dim::unknown();
}

Status check_decoder(const InferContext& ctx) {
  const Attribute* decoder = ctx.node().attribute("decoder");
  if (decoder != nullptr && decoder->graph != nullptr) return Status::ok();
  return invalid_graph("attribute 'decoder' is not a graph");
}

Status infer_token_search(InferContext& ctx) {
  RETURN_IF_ERROR(check_decoder(ctx));
  ASSIGN_OR_RETURN(const Dim batch, batch_of(ctx, 2));
  set_tensor(ctx, 0, DType::kInt32, Shape{batch, number_dim(ctx, 1)});
  set_tensor(ctx, 1, DType::kFloat32, unknown_shape(2));
  return Status::ok();
}

// Sequences, their scores, and those of all tokens at all steps.
Status infer_beam_search(InferContext& ctx) {
  RETURN_IF_ERROR(check_decoder(ctx));
  const bool is_whisper = ctx.node().op_type() == "WhisperBeamSearch";
  const bool is_speech = ctx.node().int_attribute("model_type", is_whisper ? 2 : 0) == 2;
  if (is_whisper && !is_speech) {
    return invalid_graph("attribute 'model_type' is ", ctx.node().int_attribute("model_type", 2),
                         ", expected 2");
  }
  ASSIGN_OR_RETURN(Dim batch, batch_of(ctx, is_speech ? 3 : 2));
  RETURN_IF_ERROR(expect_rank(ctx, 10, 2));
  if (const Shape* first = is_speech ? input_shape(ctx, 10) : nullptr) {
    ASSIGN_OR_RETURN(batch, equal_dims(batch, (*first)[0]));
  }
  const Dim longest = number_dim(ctx, 1), beams = number_dim(ctx, 3), returned = number_dim(ctx, 4);
  DType dtype = DType::kFloat32;
  for (const size_t i : {5, 6}) {
    if (input_dtype(ctx, i) != DType::kUndefined) dtype = input_dtype(ctx, i);
  }
  set_tensor(ctx, 0, DType::kInt32, Shape{batch, returned, longest});
  set_tensor(ctx, 1, dtype, Shape{batch, returned});
  set_tensor(ctx, 2, dtype, Shape{Dim::unknown(), batch, beams, Dim::unknown()});
  if (!is_whisper) return Status::ok();
  set_tensor(ctx, 3, DType::kFloat32, unknown_shape(5));
  set_tensor(ctx, 4, dtype, Shape{batch});
  if (ctx.node().output(4) != kNoValue && ctx.node().int_attribute("no_speech_token_id", -1) < 0) {
    return invalid_graph(
        "attribute 'no_speech_token_id' is missing, of which the output "
        "non_speech_probs is the probability");
  }
  return Status::ok();
}

}  // namespace

std::span<const OpRow> microsoft_search_rows() {
  constexpr std::string_view kMs = kMicrosoftDomain;
  // domain, name, since, inputs, outputs, inference, required attributes
  static constexpr OpRow kRows[] = {
      {kMs, "BeamSearch", 1, 5, 12, 1, 3, infer_beam_search, "decoder,eos_token_id,pad_token_id"},
      {kMs, "GreedySearch", 1, 2, 7, 1, 1, infer_token_search, "decoder,eos_token_id,pad_token_id"},
      {kMs, "Sampling", 1, 2, 9, 1, 2, infer_token_search, "decoder,eos_token_id,pad_token_id"},
      {kMs, "WhisperBeamSearch", 1, 5, 15, 1, 5, infer_beam_search,
       "decoder,encoder,eos_token_id,pad_token_id"},
  };
  return kRows;
}

}  // namespace ortc
