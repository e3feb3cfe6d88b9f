// SPDX-License-Identifier: MIT
// Opening a Plan image. What is checked stands in plan_checker.cc.
#include "core/plan/plan.h"

#include "core/plan/plan_builder.h"
#include "core/plan/plan_checker.h"

namespace ortc {

Result<std::shared_ptr<const Plan>> Plan::open(Blob image, std::vector<Blob> tensors,
                                               const KernelRegistry& registry) {
  std::shared_ptr<Plan> plan(new Plan());
  plan->image_ = std::move(image);
  plan->tensors_ = std::move(tensors);
  RETURN_IF_ERROR(PlanChecker(*plan, registry, PlanChecker::Origin::kFile).check());
  return std::shared_ptr<const Plan>(std::move(plan));
}

Result<std::shared_ptr<const Plan>> Plan::open(PlanImage image, const KernelRegistry& registry) {
  std::shared_ptr<Plan> plan(new Plan());
  plan->image_ = std::move(image.image);
  for (const Tensor& tensor : image.tensors) {
    const auto strings = std::as_bytes(tensor.string_elements());
    plan->tensors_.emplace_back(tensor.dtype() == DType::kString ? strings : tensor.bytes(),
                                tensor.owner());
  }
  RETURN_IF_ERROR(PlanChecker(*plan, registry, PlanChecker::Origin::kThisProcess).check());
  return std::shared_ptr<const Plan>(std::move(plan));
}

}  // namespace ortc
