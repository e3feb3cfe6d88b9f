// SPDX-License-Identifier: MIT
// Single nodes: see the header.
#include "core/api/plugin/kernels/single_nodes.h"

#include "core/api/plugin/kernels/node_types.h"
#include "core/provider/runnable_operator.h"

namespace ortc::api {

Result<std::shared_ptr<const ComputeObject>> make_single_node(const KernelPlace& place,
                                                              const Node& node, bool to_run) {
  using Object = std::shared_ptr<const ComputeObject>;
  const std::string_view ep_name = place.ep->factory().name();
  ASSIGN_OR_RETURN(const auto entry, place.ep->kernels().find(node, ep_name));
  if (entry != nullptr) {
    return to_run ? make_kernel_object(place, entry, node) : Result<Object>(Object());
  }
  if (node.custom() == nullptr) {
    return not_implemented(ep_name, " claims ", node.label(), ", but has no kernel for ",
                           node.op_type(), " of version ", version_of(node), " on its types");
  }
  if (!to_run) return Object();
  // The operators of a session are all of this kind.
  const auto& own = static_cast<const RunnableOperator&>(*node.custom());
  return own.make_kernel(node, {place.ep->logger(), place.config, place.kernels});
}

}  // namespace ortc::api
