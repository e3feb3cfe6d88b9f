// SPDX-License-Identifier: MIT
// ONNX Runtime's C++ interface for programs that include it under this name: namespace Ort of
// ort_c/ort_cxx.h, over the tables, and what only those have. See onnxruntime_c_api.h for the
// library that such programs link.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "cxx/kernel_registry.h"
#include "cxx/log_macros.h"
#include "cxx/op_schema.h"
#include "cxx/profiling.h"
#include "cxx/vendor_options.h"
#include "onnxruntime_c_api.h"
#include "onnxruntime_float16.h"
#include "ort_c/ort_cxx.h"

/// Returns an Ort::Status from the function around it when a call of the table failed.
#define ORT_CXX_RETURN_ON_API_FAIL(expression)                            \
  do {                                                                    \
    if (OrtStatus* failed_ = (expression)) return ::Ort::Status(failed_); \
  } while (false)
