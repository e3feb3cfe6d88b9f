// SPDX-License-Identifier: MIT
// The constants of plans in the order of their first use: see the header.
#include "core/session/memory/weight_ranges.h"

#include <map>

namespace ortc {
namespace {

class Walk {
 public:
  explicit Walk(std::span<const std::shared_ptr<const Plan>> callees) : callees_(callees) {}

  void add_plan(const Plan& plan) {
    if (seen_.contains(&plan)) return;
    seen_[&plan].resize(plan.tensor_count());
    if (plan.body_count() != 0) add_body(plan, 0);
    // Those that no step names: a constant that is an output.
    for (uint32_t i = 0; i < plan.tensor_count(); ++i) add_tensor(plan, i);
  }

  std::vector<Bytes> take() { return std::move(ranges_); }

 private:
  // Each body belongs to one step, so that this ends.
  void add_body(const Plan& plan, uint32_t number) {
    const BodyRecord& body = plan.body(number);
    for (uint32_t i = 0; i < body.steps.count; ++i) {
      const StepRecord& step = plan.step(body, i);
      for (const uint32_t index : plan.indices(step.inputs)) {
        if (index == kNoIndex) continue;
        const SlotRecord& slot = plan.slot(body, index);
        if (static_cast<SlotKind>(slot.kind) == SlotKind::kConstant) add_tensor(plan, slot.tensor);
      }
      const bool is_call = static_cast<StepKind>(step.kind) == StepKind::kCall;
      if (is_call && step.callee < callees_.size() && callees_[step.callee] != nullptr) {
        add_plan(*callees_[step.callee]);
      }
      for (const uint32_t inner : plan.indices(step.bodies)) add_body(plan, inner);
    }
  }

  void add_tensor(const Plan& plan, uint32_t number) {
    std::vector<bool>& seen = seen_[&plan];
    if (seen[number]) return;
    seen[number] = true;
    const Bytes bytes = plan.tensor_bytes(number).bytes();
    if (bytes.empty()) return;
    if (!ranges_.empty() && ranges_.back().data() + ranges_.back().size() == bytes.data()) {
      ranges_.back() = {ranges_.back().data(), ranges_.back().size() + bytes.size()};
    } else {
      ranges_.push_back(bytes);
    }
  }

  std::span<const std::shared_ptr<const Plan>> callees_;
  std::map<const Plan*, std::vector<bool>> seen_;  // by tensor
  std::vector<Bytes> ranges_;
};

}  // namespace

std::vector<Bytes> weights_in_order(const Plan& main,
                                    std::span<const std::shared_ptr<const Plan>> callees) {
  Walk walk(callees);
  walk.add_plan(main);
  for (const auto& callee : callees) {
    if (callee != nullptr) walk.add_plan(*callee);
  }
  return walk.take();
}

}  // namespace ortc
