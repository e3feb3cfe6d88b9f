// SPDX-License-Identifier: MIT
// The domain of operators on channels-last data, for providers that ask for such.
#pragma once

#include <string_view>

namespace ortc {

// A node of it is the operator of that name in ONNX or com.microsoft, but for the first input and
// the first output: they have their channels after all other axes. Everything else, weights and
// indices for instance, is as that operator has it; Resize's constant scales and sizes follow its
// input. Only partitioning makes such nodes, and a model that is written has none. Versions are
// those of ONNX.
inline constexpr std::string_view kChannelsLastDomain = "com.ms.internal.nhwc";

}  // namespace ortc
