// SPDX-License-Identifier: MIT
// Values that no file holds: zeros and random numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/ortc/library/api.h"
#include "tools/ortc/values/npy.h"

namespace ortc::tool {

// Bytes of an array of that shape. Throws a usage error when they are more than this machine has;
// `what` says whose they are.
uint64_t checked_bytes(ONNXTensorElementDataType type, const std::vector<int64_t>& shape,
                       const std::string& what);

NpyArray zero_array(ONNXTensorElementDataType type, const std::vector<int64_t>& shape);

// random[:SEED][:LOW..HIGH]
struct RandomForm {
  uint64_t seed = 0;
  std::string low, high;  // empty: what the type has by itself
};
// False: the text is something else. Throws a usage error for a form that is not right.
bool parse_random(const std::string& text, const std::string& what, RandomForm& form);

// Floats are uniform in [low, high), by themselves in [-1, 1); integers in [low, high], by
// themselves 0 or 1, so that they can serve as indices and masks. The same seed gives the same
// elements on every machine.
NpyArray random_array(ONNXTensorElementDataType type, const std::vector<int64_t>& shape,
                      const RandomForm& form, const std::string& what);

}  // namespace ortc::tool
