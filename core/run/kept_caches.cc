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
  const uint32_t from = plan_->indices(body.inputs)[input];
  const uint32_t to = plan_->indices(body.outputs)[output];
  bool is_updated = false;
  for (uint32_t i = 0; i < body.steps.count; ++i) {
    const StepRecord& step = plan_->step(body, i);
    const auto inputs = plan_->indices(step.inputs), outputs = plan_->indices(step.outputs);
    const auto kind = static_cast<StepKind>(step.kind);
    const auto read = std::ranges::find(inputs, from);
    // A step with bodies may read anything; what comes first may be read after the update.
    if (kind != StepKind::kKernel && kind != StepKind::kCall) return false;
    if (read == inputs.end()) continue;
    const auto made = std::ranges::find(outputs, to);
    if (is_updated || made == outputs.end() || std::ranges::count(inputs, from) != 1) return false;
    const auto k = static_cast<uint32_t>(read - inputs.begin());
    const auto n = static_cast<uint32_t>(made - outputs.begin());
    if (kind == StepKind::kKernel) {
      is_updated = keeps_cache(plan_->text(step.op), k, n);
    } else {
      const Callee& callee = callees_[step.callee];
      is_updated = callee.runner != nullptr && callee.runner->updates_in_place(k, n);
    }
    if (!is_updated) return false;
  }
  return is_updated;
}

}  // namespace ortc
