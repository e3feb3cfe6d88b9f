// SPDX-License-Identifier: MIT
// Custom operators that run. The default provider gets their nodes, as it gets all that no other
// claims, and calls them as it calls objects of providers.
#pragma once

#include <map>

#include "core/kernel/kernel_registry.h"
#include "core/ops/custom_operator.h"
#include "core/provider/compute_object.h"

namespace ortc {

// What a kernel may know of the session it is made for.
struct CustomKernelPlace {
  Logger logger;
  const std::map<std::string, std::string>* config = nullptr;  // entries of the session
  const KernelRegistry* kernels = nullptr;                     // of the default provider
};

// The operators of a session are all of this kind.
class RunnableOperator : public CustomOperator {
 public:
  // The execution provider it was made for; "" for the default one.
  virtual std::string_view provider() const = 0;
  // For one node, whose types are known. Whatever the object needs of the node it keeps a copy of.
  virtual Result<std::shared_ptr<const ComputeObject>> make_kernel(
      const Node& node, const CustomKernelPlace& place) const = 0;
};

}  // namespace ortc
