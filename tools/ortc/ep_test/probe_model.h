// SPDX-License-Identifier: MIT
// A small network that most providers take, as the bytes of an ONNX model.
#pragma once

#include <string>

namespace ortc::tool {

// y[4,8] = Relu(x[4,8] * w + b) * s: MatMul, Add, Relu, Mul in float32, opset 17.
std::string probe_model();

}  // namespace ortc::tool
