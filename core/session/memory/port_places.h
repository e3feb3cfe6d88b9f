// SPDX-License-Identifier: MIT
// Where a session's inputs are read and its outputs made: by whom, and in which memory. A value of
// the program that lies there is not copied.
#pragma once

#include <string>
#include <vector>

#include "core/session/compiled_model.h"

namespace ortc {

struct PortPlace {
  // null: on the host. An input that is read in two memories is wanted on the host.
  std::shared_ptr<const DeviceMemory> memory;
  std::string provider;  // the first that reads it, or that makes it; "" when none does
};

struct PortPlaces {
  std::vector<PortPlace> inputs, outputs;  // as in ModelPorts
  static PortPlaces of(const CompiledModel& compiled);
};

}  // namespace ortc
