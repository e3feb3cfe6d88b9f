// SPDX-License-Identifier: MIT
// What tests of ai.onnx.ml have in common.
#pragma once

#include <span>

#include "tests/providers/cpu/kernels/kernel_testing.h"

namespace ortc::test {

inline Op ml(const std::string& type, std::vector<Attribute> attributes, size_t outputs = 1,
             int64_t opset = 3) {
  return {type, opset, std::move(attributes), outputs, "ai.onnx.ml"};
}

inline Attribute ints_attribute(const std::string& name, std::vector<int64_t> values) {
  return Attribute::of_ints(name, std::move(values));
}
inline Attribute floats_attribute(const std::string& name, std::vector<float> values) {
  return Attribute::of_floats(name, std::move(values));
}

}  // namespace ortc::test
