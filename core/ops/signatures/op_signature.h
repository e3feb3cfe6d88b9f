// SPDX-License-Identifier: MIT
// What operators call their inputs, outputs and types, and which types they allow, as ONNX and ONNX
// Runtime publish it. Whether this library computes them is said elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ortc {

// Texts live as long as the process.
struct OpParameter {
  std::string_view name;
  std::string_view type;  // the name of a constraint, or a type: "tensor(int64)"
  bool is_optional = false, is_variadic = false;
};

struct OpTypeConstraint {
  std::string_view name;
  std::vector<std::string_view> types;  // "tensor(float)"
};

struct OpSignature {
  int since = 0;
  std::vector<OpParameter> inputs, outputs;
  std::vector<OpTypeConstraint> constraints;
};

// That in force at `opset`; nothing when the operator is unknown there. "ai.onnx" is ONNX's domain
// as "" is.
std::optional<OpSignature> find_op_signature(std::string_view domain, std::string_view name,
                                             int64_t opset);

}  // namespace ortc
