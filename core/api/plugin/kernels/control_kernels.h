// SPDX-License-Identifier: MIT
// Kernels of If, Loop and Scan that the runtime makes for libraries: it runs the bodies, and asks
// the library's helper for what it does between them.
#pragma once

#include <memory>

#include "core/api/plugin/ep_instance.h"
#include "core/provider/compute_object.h"
#include "ort_c/ort_api.h"

namespace ortc::api {

// Whether one of the runtime's functions made it. Nothing of it is read that might not be there.
bool is_control_kernel(const OrtKernelImpl& impl);

// What such a kernel was given, as the executor asks it; null for none. Borrows the kernel.
std::unique_ptr<const ControlFlowHelper> helper_of(OrtKernelImpl& impl,
                                                   std::shared_ptr<const EpInstance> ep);

}  // namespace ortc::api
