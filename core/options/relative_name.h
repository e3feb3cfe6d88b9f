// SPDX-License-Identifier: MIT
// Names of files that stand in or below the folder of a model.
#pragma once

#include <string_view>

#include "core/base/status.h"

namespace ortc {

// Also in the forms of other systems, so that a model means the same everywhere.
bool is_absolute_path(std::string_view path);

// Without each "./" at its begin, which says nothing.
std::string_view plain_relative_name(std::string_view name);

// INVALID_ARGUMENT for components of the plain name that are empty, "." or "..". Absolute paths
// pass: ONNX Runtime refuses them when the file is going to be written, and so does
// check_context_settings().
Status judge_relative_name(std::string_view name);

}  // namespace ortc
