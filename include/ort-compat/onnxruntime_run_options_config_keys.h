// SPDX-License-Identifier: MIT
// Keys of runs, under ONNX Runtime's name.
#pragma once

#include "ort_c/config_keys.h"
