// SPDX-License-Identifier: MIT
// Forms of decoders and encoders: see the header.
#include "providers/cpu/fusions/microsoft/search_forms.h"

#include <span>

#include "core/rewrite/facts.h"

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

}  // namespace

DecoderForm form_of_decoder(const Graph* decoder) {
  DecoderForm form{false, false, 3, 0, 5, 1, 2, false};
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

DecoderForm form_of_pair(const Graph* encoder, const Graph* decoder) {
  DecoderForm form{false, true, 2, 0, 4, 0, 1, false};
  if (encoder == nullptr || decoder == nullptr || decoder->outputs().size() < 3) return form;
  form.past_count = decoder->outputs().size() - 1;
  const std::span<const ValueId> inputs = decoder->inputs(), outputs = decoder->outputs();
  if (inputs.size() == 3 + 2 * form.past_count) form.first_past = 3;
  if (inputs.size() != form.first_past + 2 * form.past_count) return form;
  form.begins_in_encoder = encoder->inputs().size() == 3;
  const bool has_states = form.first_past == 3;
  const size_t given = form.begins_in_encoder ? 2 + 2 * form.past_count : form.past_count;
  const bool fits_encoder =
      (form.begins_in_encoder || (encoder->inputs().size() == 2 && !has_states)) &&
      encoder->outputs().size() == given && are_tensors(*encoder, encoder->inputs(), kTokens, 2);
  const auto pasts = inputs.subspan(form.first_past);
  const auto own = pasts.first(form.past_count);
  form.is_taken = fits_encoder && are_tensors(*decoder, inputs.first(2), kTokens, 2) &&
                  are_tensors(*decoder, inputs.subspan(2, has_states ? 1 : 0), kFloats, 3) &&
                  are_tensors(*decoder, pasts, kFloats, 4) &&
                  are_tensors(*decoder, outputs.first(1), kFloats, 3) &&
                  has_presents(*decoder, form) &&
                  (form.begins_in_encoder || can_be_empty(*decoder, own, form));
  // Another length asks for all tokens again at each step.
  const Shape* tokens = form.is_taken ? known_shape(*decoder, inputs[0]) : nullptr;
  form.is_taken = tokens != nullptr && (*tokens)[1].value == 1;
  return form;
}

}  // namespace ortc::cpu
