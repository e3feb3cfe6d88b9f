// SPDX-License-Identifier: MIT
// The default provider: what nobody else claims is lowered for it by the session itself, so it
// claims nothing.
#pragma once

#include "core/provider/registry.h"

namespace ortc::cpu {

ProviderFactory factory();

}  // namespace ortc::cpu
