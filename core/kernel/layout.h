// SPDX-License-Identifier: MIT
// How the bytes of a constant are arranged. The number stands in Plan images, so it is permanent;
// the provider that packs the constant gives it its meaning.
#pragma once

#include <cstdint>

namespace ortc {

enum class Layout : uint32_t {
  kRowMajor = 0,  // as ONNX has it
};

}  // namespace ortc
