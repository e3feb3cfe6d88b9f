// SPDX-License-Identifier: MIT
// Computes single nodes on known inputs: what constant folding asks, and what kernel tests use.
#pragma once

#include <span>
#include <vector>

#include "core/kernel/kernel_registry.h"

namespace ortc {

class Evaluator {
 public:
  // `isa`: whose kernels compute, at most; this processor's when it has less.
  explicit Evaluator(const KernelRegistry& registry, Isa isa = host_isa())
      : registry_(registry), isa_(isa < host_isa() ? isa : host_isa()) {}

  // True when a kernel exists for the node's operator, opset and input types, and its results are
  // tensors.
  bool can_evaluate(const Node& node) const;
  // One tensor per output (undefined for omitted ones). `inputs` correspond to the node's inputs;
  // an omitted input is an undefined tensor. Runs on the calling thread unless a pool is given.
  // NOT_IMPLEMENTED names the operator.
  Result<std::vector<Tensor>> evaluate(const Node& node, std::span<const Tensor> inputs,
                                       ThreadPool* pool = nullptr) const;
  Result<std::vector<Tensor>> evaluate(const Node& node, std::span<const Tensor> inputs,
                                       ThreadPool* pool, Isa isa) const;
  // The same with values of any kind. What is omitted is a Datum without content.
  Result<std::vector<Datum>> evaluate_values(const Node& node, std::span<const Datum> inputs,
                                             ThreadPool* pool, Isa isa) const;

 private:
  const KernelRegistry& registry_;
  Isa isa_;
};

}  // namespace ortc
