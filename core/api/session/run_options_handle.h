// SPDX-License-Identifier: MIT
// Options of one run.
#pragma once

#include "core/session/session.h"
#include "ort_c/types.h"

struct OrtRunOptions {
  ortc::RunOptions options;
};
