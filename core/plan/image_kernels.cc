// SPDX-License-Identifier: MIT
// What an image needs of a library: see plan.h.
#include <set>

#include "core/plan/plan.h"

namespace ortc {

std::vector<std::string> kernels_of_image(Bytes image) {
  const std::byte* base = image.data();
  const auto& header = *reinterpret_cast<const PlanHeader*>(base);
  const TableView<BodyRecord> bodies(base, header.bodies);
  const TableView<SlotRecord> slots(base, header.slots);
  const TableView<StepRecord> steps(base, header.steps);
  const TableView<TensorRecord> tensors(base, header.tensors);
  const auto* indices = reinterpret_cast<const uint32_t*>(base + header.indices.offset);
  const auto* text = reinterpret_cast<const char*>(base + header.text.offset);
  std::set<std::string> kernels;
  for (uint32_t b = 0; b < bodies.size(); ++b) {
    for (uint32_t i = 0; i < bodies[b].steps.count; ++i) {
      const StepRecord& step = steps[bodies[b].steps.begin + i];
      if (static_cast<StepKind>(step.kind) != StepKind::kKernel) continue;
      std::set<uint32_t> layouts = {0};  // what computed values have
      for (uint32_t k = 0; k < step.inputs.count; ++k) {
        const uint32_t index = indices[step.inputs.begin + k];
        if (index == kNoIndex) continue;
        const SlotRecord& slot = slots[bodies[b].slots.begin + index];
        if (slot.tensor != kNoIndex) layouts.insert(tensors[slot.tensor].layout);
      }
      const std::string_view id(text + step.kernel.begin, step.kernel.count);
      for (uint32_t layout : layouts) {
        kernels.insert(str_cat(id, ":", step.contract, ":", layout));
      }
    }
  }
  return {kernels.begin(), kernels.end()};
}

}  // namespace ortc
