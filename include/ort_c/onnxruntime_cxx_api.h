// SPDX-License-Identifier: MIT
// For programs written for ONNX Runtime's C++ interface: ort_cxx.h under the name they include.
// The compiler finds it, and its neighbours in core/session, with `pkg-config ort_c-onnxruntime` or
// the CMake target ort_c::onnxruntime.
#pragma once

#include "ort_c/onnxruntime_c_api.h"
#include "ort_c/ort_cxx.h"
