// SPDX-License-Identifier: MIT
// The operators this library knows: one row per operator and opset version that changed it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/status.h"
#include "core/graph/graph.h"

namespace ortc {

class InferContext;

inline constexpr uint8_t kVariadic = 255;

struct OpRow {
  std::string_view domain;  // "" ONNX, "com.microsoft"
  std::string_view name;
  int since;  // the row holds from this opset version to the next row of the operator
  uint8_t min_inputs, max_inputs;  // kVariadic: any number
  uint8_t min_outputs, max_outputs;
  Status (*infer)(InferContext&);  // null: nothing is known of the outputs
  // Names of the attributes that must be there, separated by commas.
  std::string_view required = {};
};

// All rows, sorted by domain, name and opset version.
std::span<const OpRow> op_rows();
// The row in force at `opset`; null when the operator is unknown there.
const OpRow* find_op(std::string_view domain, std::string_view name, int64_t opset);
// The newest ONNX opset that this library reads.
inline constexpr int64_t kNewestOpset = 28;
// The same of "ai.onnx.ml".
inline constexpr int64_t kNewestMlOpset = 5;

}  // namespace ortc
