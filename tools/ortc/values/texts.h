// SPDX-License-Identifier: MIT
// Tensors of strings as NumPy arrays of type U: a fixed number of UCS-4 code points per element,
// filled up with zeros.
#pragma once

#include <string>
#include <vector>

#include "tools/ortc/library/api.h"
#include "tools/ortc/values/npy.h"

namespace ortc::tool {

// `what` names the value in errors. Zeros are part of a text but at its end.
void fill_strings(const NpyArray& array, OrtValue* value, const std::string& what);
// `array` has the shape already, and `texts` one text in UTF-8 per element.
NpyArray array_of_texts(const std::vector<std::string>& texts, NpyArray array);
NpyArray array_of_strings(const OrtValue* value, NpyArray array);

}  // namespace ortc::tool
