// SPDX-License-Identifier: MIT
// Which outputs of a plan may be written to the very memory of an input: see Runner.
#include <algorithm>

#include "core/run/runner.h"

namespace ortc {
namespace {

// Operators that read a cache and append to it in place, when both have one place: the inputs and
// outputs that may.
struct KeptCache {
  std::string_view op;
  uint32_t input, output;
};
constexpr KeptCache kKeptCaches[] = {
    {"GroupQueryAttention", 3, 1},
    {"GroupQueryAttention", 4, 2},
    {"MultiHeadAttention", 6, 1},
    {"MultiHeadAttention", 7, 2},
};

bool keeps_cache(std::string_view op, size_t input, size_t output) {
  return std::ranges::any_of(kKeptCaches, [&](const KeptCache& kept) {
    return kept.op == op && kept.input == input && kept.output == output;
  });
}

}  // namespace

bool Runner::updates_in_place(uint32_t input, uint32_t output) const {
  const BodyRecord& body = plan_->body(0);
  if (input >= body.inputs.count || output >= body.outputs.count) return false;
  std::call_once(kept_caches_.once, [&] { kept_caches_.slots = find_kept_caches(); });
  return kept_caches_.slots[plan_->indices(body.inputs)[input]] ==
         plan_->indices(body.outputs)[output];
}

std::vector<uint32_t> Runner::find_kept_caches() const {
  const BodyRecord& body = plan_->body(0);
  std::vector<uint32_t> kept(body.slots.count, kNoIndex);
  std::vector<bool> is_read(body.slots.count);
  for (uint32_t i = 0; i < body.steps.count; ++i) {
    const StepRecord& step = plan_->step(body, i);
    const auto kind = static_cast<StepKind>(step.kind);
    // A step with bodies may read anything; what comes first may be read after the update.
    if (kind != StepKind::kKernel && kind != StepKind::kCall) {
      return std::vector<uint32_t>(body.slots.count, kNoIndex);
    }
    const auto inputs = plan_->indices(step.inputs);
    for (size_t k = 0; k < inputs.size(); ++k) {
      const uint32_t from = inputs[k];
      if (from >= body.slots.count) continue;
      kept[from] = is_read[from] ? kNoIndex : slot_kept_in(step, static_cast<uint32_t>(k));
      is_read[from] = true;
    }
  }
  return kept;
}

uint32_t Runner::slot_kept_in(const StepRecord& step, uint32_t input) const {
  const auto outputs = plan_->indices(step.outputs);
  for (uint32_t n = 0; n < outputs.size(); ++n) {
    if (static_cast<StepKind>(step.kind) == StepKind::kKernel) {
      if (keeps_cache(plan_->text(step.op), input, n)) return outputs[n];
    } else {
      const Callee& callee = callees_[step.callee];
      if (callee.runner != nullptr && callee.runner->updates_in_place(input, n)) return outputs[n];
    }
  }
  return kNoIndex;
}

}  // namespace ortc
