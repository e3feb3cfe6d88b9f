// SPDX-License-Identifier: MIT
// Ort::Float16_t and Ort::BFloat16_t, under the name of ONNX Runtime's header for them.
#pragma once

#include "onnxruntime_c_api.h"
#include "ort_c/cxx/float16.h"
