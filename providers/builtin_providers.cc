// SPDX-License-Identifier: MIT
// The list of providers that this library brings.
#include "core/session/environment.h"
#include "providers/aot/aot_factory.h"
#include "providers/cpu/cpu_provider.h"

namespace ortc {

Factories built_in_providers(bool allow_virtual_devices) {
  return {aot::factory(allow_virtual_devices), cpu::factory()};
}

}  // namespace ortc
