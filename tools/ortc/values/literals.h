// SPDX-License-Identifier: MIT
// Values written on the command line: 16000, 1,2,3, [[1,2],[3,4]], true, ["a","b"].
#pragma once

#include <string>
#include <vector>

#include "tools/ortc/library/api.h"
#include "tools/ortc/output/json.h"
#include "tools/ortc/values/npy.h"

namespace ortc::tool {

// Numbers, truth or texts, in lists as deep as the rank. False: the text is something else.
bool parse_literal(const std::string& text, Json& literal);
// Lists in lists say the shape themselves. A flat list and a single value fill `shape`, which may
// have open dimensions (-1) and is nullptr when nothing is known of it.
NpyArray literal_array(const Json& literal, ONNXTensorElementDataType type,
                       const std::vector<int64_t>* shape, const std::string& what);
// A text that is one number without a word in JSON: nan, inf and -inf, of floats only. False: it
// is none. Throws for numbers that a double does not reach, as 1e400.
bool parse_beyond_json(const std::string& text, const std::string& what, double& number);
// All elements are that number; open dimensions are 1.
NpyArray filled_array(double number, ONNXTensorElementDataType type,
                      const std::vector<int64_t>* shape, const std::string& what);
// The shape that `count` values in a row fill; one open dimension takes what is left.
std::vector<int64_t> filled_shape(std::vector<int64_t> shape, int64_t count,
                                  const std::string& what);

}  // namespace ortc::tool
