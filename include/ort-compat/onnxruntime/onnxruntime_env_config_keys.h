// SPDX-License-Identifier: MIT
// Made by tools/generate_functions.py, do not edit.
#pragma once

#include "../onnxruntime_env_config_keys.h"
