// SPDX-License-Identifier: MIT
// Makes AOT providers, and judges what they compiled.
#pragma once

#include "core/provider/provider_factory.h"

namespace ortc::aot {

std::shared_ptr<const ProviderFactory> factory(bool has_virtual_devices = false);

}  // namespace ortc::aot
