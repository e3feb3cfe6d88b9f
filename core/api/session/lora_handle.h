// SPDX-License-Identifier: MIT
// An adapter: tensors that stand in for inputs of their names.
#pragma once

#include <memory>

#include "core/session/session.h"
#include "ort_c/types.h"

struct OrtLoraAdapter {
  std::shared_ptr<const ortc::NamedTensors> parameters;
};
