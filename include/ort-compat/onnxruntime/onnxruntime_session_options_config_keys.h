// SPDX-License-Identifier: MIT
// Made by tools/generate_functions.py, do not edit.
#pragma once

#include "../onnxruntime_session_options_config_keys.h"
