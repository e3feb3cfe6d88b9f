// SPDX-License-Identifier: MIT
// What a call asks of a session: values by their names, and how the run shall be.
#pragma once

#include <span>
#include <string_view>

#include "core/kernel/value_ref.h"
#include "core/run/runner.h"

namespace ortc {

struct RunOptions;

// In which memories of devices the values of a call lie, by position; null, and what is beyond the
// end of a list: on the host.
struct ValuePlaces {
  std::span<const MemoryInfo*const> inputs, outputs;
};

// Borrowed for the call. `input_names` and `inputs` go together, `output_names` and `targets` too.
struct RunCall {
  std::span<const std::string_view> input_names;
  std::span<const ValueRef> inputs;
  std::span<const std::string_view> output_names;
  std::span<OutputTarget> targets;
  const RunOptions* options = nullptr;
  const StepObserver* observer = nullptr;
  const ValuePlaces* places = nullptr;
};

}  // namespace ortc
