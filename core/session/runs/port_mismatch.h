// SPDX-License-Identifier: MIT
// What a run says of an input, or of an output that was provided, that does not fit the model. The
// texts begin as ONNX Runtime's do, because programs parse those; what this library adds stands
// behind.
#pragma once

#include "core/base/status.h"
#include "core/graph/type.h"
#include "core/kernel/value_ref.h"

namespace ortc {

enum class PortKind : uint8_t { kInput, kOutput };

Status wrong_type(PortKind kind, std::string_view name, const Type& expected,
                  const ValueRef& found);
Status wrong_rank(PortKind kind, std::string_view name, const Type& expected,
                  const ValueRef& found);
// Of a value of the right rank.
Status wrong_dims(PortKind kind, std::string_view name, const Type& expected,
                  const ValueRef& found);
Status missing_input(std::string_view name, const Type& expected);

}  // namespace ortc
