// SPDX-License-Identifier: MIT
// Operators that a program brings. They come before the operator list: a node that one of them
// takes is typed and run by it, whatever the list says of its name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/ops/infer.h"

namespace ortc {

class CustomOperator {
 public:
  virtual ~CustomOperator() = default;
  // Types and shapes of the node's outputs, as far as they are known before a run.
  virtual Status infer(InferContext& context) const = 0;
};

class CustomOperators {
 public:
  virtual ~CustomOperators() = default;
  // The operator that the node of `context` means; null when it is none of these. INVALID_GRAPH for
  // a node that is one of them by its domain, but fits none.
  virtual Result<std::shared_ptr<const CustomOperator>> find(const InferContext& context) const = 0;
  virtual std::vector<std::string> domains() const = 0;
};

}  // namespace ortc
