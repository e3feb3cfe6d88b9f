// SPDX-License-Identifier: MIT
// Made by tools/generate_functions.py, do not edit.
#pragma once

#include "../../onnxruntime_error_code.h"
