// SPDX-License-Identifier: MIT
// Where programs written for ONNX Runtime look for keys of metadata.
#pragma once

#include "ort_c/metadata_keys.h"
