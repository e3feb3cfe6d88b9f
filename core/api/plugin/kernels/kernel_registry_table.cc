// SPDX-License-Identifier: MIT
// Registries of kernels, through the table: see kernels_table.h.
#include "core/api/guard.h"
#include "core/api/kernel/kernel_info_handle.h"
#include "core/api/plugin/kernels/kernel_def.h"
#include "core/api/plugin/kernels/kernels_table.h"
#include "core/api/plugin/support_info.h"

namespace ortc::api::table {

OrtStatus* CreateKernelRegistry(OrtKernelRegistry** kernel_registry) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(kernel_registry);
    *kernel_registry = new OrtKernelRegistry();
    return {};
  });
}

void ReleaseKernelRegistry(OrtKernelRegistry* input) noexcept { delete input; }

OrtStatus* KernelRegistry_AddKernel(OrtKernelRegistry* kernel_registry,
                                    const OrtKernelDef* kernel_def,
                                    OrtKernelCreateFunc kernel_create_func,
                                    void* kernel_create_func_state) noexcept {
  return guard([&]() -> Status {
    ORTC_NEEDED(kernel_registry);
    ORTC_NEEDED(kernel_def);
    ORTC_NEEDED(kernel_create_func);
    return kernel_registry->add(*kernel_def, kernel_create_func, kernel_create_func_state);
  });
}

OrtStatus* EpGraphSupportInfo_LookUpKernel(OrtEpGraphSupportInfo* graph_support_info,
                                           const OrtNode* node,
                                           const OrtKernelDef** out_kernel_def) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(out_kernel_def);
    ORTC_NEEDED(graph_support_info);
    ORTC_NEEDED(node);
    ASSIGN_OR_RETURN(*out_kernel_def, graph_support_info->find_kernel(node));
    return {};
  });
}

OrtStatus* KernelInfo_GetEp(const OrtKernelInfo* info, const OrtEp** ep) noexcept {
  return guard([&]() -> Status {
    ORTC_OUT(ep);
    ORTC_NEEDED(info);
    if (info->ep == nullptr) {
      return fail("the kernel of '", info->node_name, "' is not one of a library's provider");
    }
    *ep = info->ep;
    return {};
  });
}

}  // namespace ortc::api::table
