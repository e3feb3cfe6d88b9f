// SPDX-License-Identifier: MIT
// Made by tools/generate_functions.py, do not edit.
#pragma once

#include "../../onnxruntime_float16.h"
