// SPDX-License-Identifier: MIT
// Forms of decoders and encoders: see the header.
#include "providers/cpu/fusions/microsoft/search_forms.h"

#include <span>

#include "core/rewrite/facts.h"
#include "providers/cpu/fusions/microsoft/search_bodies.h"

namespace ortc::cpu {
namespace {

constexpr TypeMask kFloats = mask_of(DType::kFloat32, DType::kFloat16, DType::kBfloat16);
constexpr TypeMask kTokens = mask_of(DType::kInt32);

bool are_tensors(const Graph& graph, std::span<const ValueId> ids, TypeMask types, size_t rank) {
  for (const ValueId id : ids) {
    const Type& type = graph.value(id)->type;
    if ((mask_of(type.dtype) & types) == 0) return false;
    if (type.has_shape() && type.shape->size() != rank) return false;
  }
  return true;
}

// Heads and their sizes are known, so that an empty past can be made.
bool can_be_empty(const Graph& graph, std::span<const ValueId> ids, const DecoderForm& form) {
  for (const ValueId id : ids) {
    const Type& type = graph.value(id)->type;
    if (!type.has_shape()) return false;
    const Shape& shape = *type.shape;
    if (!shape[form.head_axis].is_known() || !shape.back().is_known()) return false;
  }
  return true;
}

bool has_presents(const Graph& graph, const DecoderForm& form) {
  const std::span<const ValueId> pasts =
      std::span(graph.inputs()).subspan(form.first_past, form.past_count);
  for (size_t i = 0; i < pasts.size(); ++i) {
    const TypeMask same = mask_of(graph.value(pasts[i])->type.dtype);
    const std::span<const ValueId> present = std::span(graph.outputs()).subspan(1 + i, 1);
    if (!are_tensors(graph, present, same, form.past_rank)) return false;
  }
  return true;
}

DecoderForm form_of_decoder(const Graph* decoder) {
  DecoderForm form{};
  form.first_past = 3, form.past_rank = 5, form.row_axis = 1, form.head_axis = 2;
  if (decoder == nullptr || decoder->outputs().size() < 2) return form;
  form.past_count = decoder->outputs().size() - 1;
  const std::span<const ValueId> inputs = decoder->inputs(), outputs = decoder->outputs();
  // Others have buffers that past and present share.
  if (inputs.size() != form.first_past + form.past_count) return form;
  const auto pasts = inputs.subspan(form.first_past);
  form.is_taken = are_tensors(*decoder, inputs.first(form.first_past), kTokens, 2) &&
                  are_tensors(*decoder, outputs.first(1), kFloats, 3) &&
                  are_tensors(*decoder, pasts, kFloats, 5) && can_be_empty(*decoder, pasts, form) &&
                  has_presents(*decoder, form);
  for (const ValueId id : pasts) {
    if (form.is_taken) form.is_taken = (*decoder->value(id)->type.shape)[0].value == 2;
  }
  return form;
}

// Tokens and a mask, or features; then the decoder's first tokens, when it begins in the encoder.
bool fits_encoder(const Graph& encoder, const DecoderForm& form) {
  const std::span<const ValueId> inputs = encoder.inputs();
  const size_t given = form.begins_in_encoder ? 2 + 2 * form.past_count : form.past_count;
  if (encoder.outputs().size() != given) return false;
  if (!form.is_speech) return are_tensors(encoder, inputs, kTokens, 2);
  return are_tensors(encoder, inputs.first(1), kFloats, 3) &&
         are_tensors(encoder, inputs.last(1), kTokens, 2);
}

DecoderForm form_of_pair(const Graph* encoder, const Graph* decoder, bool is_speech) {
  DecoderForm form{};
  form.has_encoder = true, form.has_mask = !is_speech, form.is_speech = is_speech;
  form.past_rank = 4, form.row_axis = 0, form.head_axis = 1;
  if (encoder == nullptr || decoder == nullptr || decoder->outputs().size() < 3) return form;
  form.past_count = decoder->outputs().size() - 1;
  const std::span<const ValueId> inputs = decoder->inputs(), outputs = decoder->outputs();
  const size_t own_inputs = form.has_mask ? 2 : 1;  // in front of the states
  const bool has_states = inputs.size() == own_inputs + 1 + 2 * form.past_count;
  form.first_past = own_inputs + (has_states ? 1 : 0);
  if (inputs.size() != form.first_past + 2 * form.past_count) return form;
  form.begins_in_encoder = encoder->inputs().size() == own_inputs + 1;
  const bool has_first =
      form.begins_in_encoder || (encoder->inputs().size() == 2 && !has_states && !is_speech);
  const auto pasts = inputs.subspan(form.first_past);
  const auto own = pasts.first(form.past_count);
  form.is_taken =
      has_first && fits_encoder(*encoder, form) &&
      are_tensors(*decoder, inputs.first(own_inputs), kTokens, 2) &&
      are_tensors(*decoder, inputs.subspan(own_inputs, has_states ? 1 : 0), kFloats, 3) &&
      are_tensors(*decoder, pasts, kFloats, 4) &&
      are_tensors(*decoder, outputs.first(1), kFloats, 3) && has_presents(*decoder, form) &&
      (form.begins_in_encoder || can_be_empty(*decoder, own, form));
  // Another length asks for all tokens again at each step.
  const Shape* tokens = form.is_taken ? known_shape(*decoder, inputs[0]) : nullptr;
  form.is_taken = tokens != nullptr && (*tokens)[1].value == 1;
  return form;
}

// What a kernel for CPUs would have to do of these, ONNX Runtime's leaves out.
bool takes_whisper(const Node& node) {
  using In = BeamInputs;
  for (const size_t i : {In::kMask, In::kCrossHeads, In::kForcedTokens}) {
    if (node.input(i) != kNoValue) return false;
  }
  return node.output(BeamOutputs::kCross) == kNoValue &&
         node.int_attribute("decoder_output_cross_qk", 0) == 0;
}

}  // namespace

DecoderForm form_of_search(const Node& node) {
  const Graph* decoder = graph_of(node, "decoder");
  const int64_t type = node.int_attribute("model_type", is_whisper(node) ? 2 : 0);
  if (type == 0 && !is_whisper(node)) return form_of_decoder(decoder);
  const bool has_start = node.int_attribute("decoder_start_token_id", -1) >= 0 ||
                         (type == 2 && node.input(BeamInputs::kFirstTokens) != kNoValue);
  const bool has_pair = type == 2 || (type == 1 && !is_whisper(node));
  if (!has_pair || !has_start || !is_beam_search(node)) return {};
  return form_of_pair(graph_of(node, "encoder"), decoder, type == 2);
}

bool takes_search(const Node& node) {
  const DecoderForm form = form_of_search(node);
  if (!form.is_taken) return false;
  if (const Graph* first = graph_of(node, "init_decoder")) {
    const DecoderForm other = form_of_decoder(first);
    if (form.has_encoder || !other.is_taken || other.past_count != form.past_count) return false;
  }
  if (!is_beam_search(node)) return node.output(1) == kNoValue;  // the filtered scores, of Sampling
  if (node.input(BeamInputs::kBeams) == kNoValue) return false;
  if (form.is_speech) return takes_whisper(node);
  return node.input(BeamInputs::kFirstTokens) == kNoValue &&
         node.input(BeamInputs::kProcessor) == kNoValue;
}

}  // namespace ortc::cpu
