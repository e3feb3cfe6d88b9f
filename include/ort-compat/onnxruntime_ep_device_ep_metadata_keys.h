// SPDX-License-Identifier: MIT
// Keys of metadata, under ONNX Runtime's name.
#pragma once

#include "ort_c/metadata_keys.h"
