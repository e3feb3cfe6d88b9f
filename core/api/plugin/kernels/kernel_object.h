// SPDX-License-Identifier: MIT
// A kernel of a library as a ComputeObject: made for one node, with its constant inputs packed.
#pragma once

#include <memory>

#include "core/api/plugin/ep_instance.h"
#include "core/api/plugin/kernels/kernel_def.h"
#include "core/api/plugin/memory/plugin_memory.h"
#include "core/provider/execution_provider.h"

namespace ortc::api {

// What kernels of one provider find around them.
struct KernelPlace {
  std::shared_ptr<EpInstance> ep;
  PluginMemories memories;
  const KernelRegistry* kernels = nullptr;  // of operators that kernels may call
  const KeyValues* config = nullptr;        // entries of the session; may be null
  ShareBytes share;                         // may be empty
};

// Makes the library's kernel for the node, lets it pack the node's constant inputs, and keeps a
// copy of what it may ask of the node. EP_FAIL names what the library did wrong.
Result<std::shared_ptr<const ComputeObject>> make_kernel_object(
    const KernelPlace& place, std::shared_ptr<const KernelEntry> entry, const Node& node);

}  // namespace ortc::api
