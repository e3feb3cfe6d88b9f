// SPDX-License-Identifier: MIT
// Graphs that a library's provider captures while it runs.
#pragma once

#include <memory>

#include "core/api/plugin/ep_instance.h"
#include "core/provider/graph_capture.h"

namespace ortc::api {

// Null when it captures none. EP_FAIL for a policy that there is not.
Result<std::unique_ptr<GraphCapture>> make_plugin_capture(std::shared_ptr<EpInstance> ep);

}  // namespace ortc::api
