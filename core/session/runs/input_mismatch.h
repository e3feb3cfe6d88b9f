// SPDX-License-Identifier: MIT
// What a run says of an input that does not fit the model. The texts begin as ONNX Runtime's do,
// because programs parse those; what this library adds stands behind.
#pragma once

#include "core/base/status.h"
#include "core/graph/type.h"
#include "core/kernel/value_ref.h"

namespace ortc {

Status wrong_input_type(std::string_view name, const Type& expected, const ValueRef& found);
Status wrong_input_rank(std::string_view name, const Type& expected, const ValueRef& found);
// Of an input of the right rank.
Status wrong_input_dims(std::string_view name, const Type& expected, const ValueRef& found);
Status missing_input(std::string_view name, const Type& expected);

}  // namespace ortc
