// SPDX-License-Identifier: MIT
// Where programs written for ONNX Runtime look for its C interface.
#pragma once

#include "ort_c/onnxruntime_c_api.h"
