// SPDX-License-Identifier: MIT
// What is different in two models or two context binaries.
#pragma once

#include <string>

#include "core/provider/registry.h"

namespace ortc {

// JSON: {"schema":"ortc.diff/1","kind":"onnx_model"|"context_binary","equal":...,"parts":[...]}. A
// part is a kind of thing, as "node", with how many are the same, which are in one file only and
// which differ, with what they are in each. INVALID_ARGUMENT when the files are of two kinds;
// otherwise fails as inspect_file() does.
Result<std::string> diff_files(const std::string& first, const std::string& second,
                               const ProviderRegistry& providers);

}  // namespace ortc
