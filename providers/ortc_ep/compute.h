// SPDX-License-Identifier: MIT
// What runs in place of one fused node: a plan, between values of the host.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run/runner.h"
#include "providers/ortc_ep/host.h"

namespace ortc::ort_ep {

// What all plans of the sessions of one factory share.
struct Machine {
  explicit Machine(int thread_count) : pool(ThreadPoolOptions{.thread_count = thread_count}) {}
  ThreadPool pool;
  ArenaPool arenas;
};

struct ComputeInfo : OrtNodeComputeInfo {
  static constexpr size_t kNoIndex = SIZE_MAX;
  // An input or output of the plan as the fused node has it.
  struct Port {
    size_t index = kNoIndex;             // its number there; kNoIndex for none
    DType declared = DType::kUndefined;  // where the model says one
  };
  struct Part {
    std::string name;                  // of the fused node, for messages
    std::shared_ptr<const Plan> plan;  // null: compiled to be written only
    Isa isa_max = Isa::kAvx512;
    std::vector<Port> inputs, outputs;  // in the plan's order
  };
  static Result<std::unique_ptr<ComputeInfo>> create(const Host& host,
                                                     std::shared_ptr<Machine> machine, Part part);
  Status run(OrtKernelContext& context) const;

  const Host host;

 private:
  ComputeInfo(const Host& host, std::shared_ptr<Machine> machine, Part part);
  Status check_counts() const;
  Status check_types(const char* side, std::span<const uint32_t> slots,
                     const std::vector<Port>& ports) const;
  void look_at_outputs();
  Status take_inputs(const OrtKernelContext& context, std::vector<ValueRef>& inputs,
                     std::vector<Dims>& dims) const;
  Status take_known_outputs(OrtKernelContext& context, std::vector<OutputTarget>& targets) const;
  Status give_outputs(OrtKernelContext& context, std::vector<OutputTarget>& targets) const;
  // The host's memory for output `i`; null for an output that nobody wants, or without elements.
  Result<void*> room_for(OrtKernelContext& context, size_t i, DType dtype,
                         std::span<const int64_t> dims) const;

  std::shared_ptr<Machine> machine_;
  Part part_;
  std::shared_ptr<const Runner> runner_;
  struct Known {
    DType dtype = DType::kUndefined;
    Dims dims;
  };
  std::vector<std::optional<Known>> known_outputs_;  // those whose shapes the plan knows
};

}  // namespace ortc::ort_ep
