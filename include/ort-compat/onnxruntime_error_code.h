// SPDX-License-Identifier: MIT
// OrtErrorCode, under the name of ONNX Runtime's header for it.
#pragma once

#include "onnxruntime_c_api.h"
