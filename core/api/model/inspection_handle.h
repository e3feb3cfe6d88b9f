// SPDX-License-Identifier: MIT
// What OrtInspectFile() and its kin give: a JSON text.
#pragma once

#include <string>

#include "ort_c/types.h"

struct OrtInspection {
  std::string json;
};
