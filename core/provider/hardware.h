// SPDX-License-Identifier: MIT
// The hardware of this machine, as devices that providers may serve.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/provider/provider_factory.h"

namespace ortc {

using HardwareDevices = std::vector<std::shared_ptr<const HardwareDevice>>;

std::shared_ptr<const HardwareDevice> processor_hardware();
// NPUs before GPUs, each kind in the order of the system's numbers. `root` stands before all paths
// ("": the machine's own).
HardwareDevices accelerator_hardware(const std::string& root);

}  // namespace ortc
