// SPDX-License-Identifier: MIT
// What the layout library was shown, as text for tests.
#pragma once

#include <string>

#include "onnxruntime_c_api.h"

namespace layout_library {

inline const OrtApi* ort = nullptr;

// The operators in their order: "Conv" of ONNX, "nhwc.Conv" on channels-last data, "(inner)" in
// front of those of a body.
std::string operators_of(const OrtGraph& graph);

// The same with versions, the dims of the first output, and "*" in front of nodes that are shown
// as the provider's own: "*nhwc.Conv@11[1,4,4,2]".
std::string details_of(const OrtGraph& graph);

}  // namespace layout_library
