// SPDX-License-Identifier: MIT
// Where programs written for ONNX Runtime look for keys of sessions.
#pragma once

#include "ort_c/config_keys.h"
