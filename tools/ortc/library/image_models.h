// SPDX-License-Identifier: MIT
// Images decoded and resized by the library itself, as small models do it: what the tool feeds a
// model is what the operators ImageDecoder and Resize give.
#pragma once

#include <string>
#include <vector>

#include "tools/ortc/values/npy.h"

namespace ortc::tool {

// uint8 [height, width, channels]; [0, 0, channels] for bytes that are no image. `format` is RGB,
// BGR or Grayscale. `what` names the file in errors.
NpyArray decode_image(const std::vector<std::byte>& file, const std::string& format,
                      const std::string& what);
// float32 [height, width, channels]: linear, with antialias and exclude_outside, pixels at their
// centres, stretched to the size that is asked for.
NpyArray resize_image(const NpyArray& image, int64_t height, int64_t width,
                      const std::string& what);

}  // namespace ortc::tool
