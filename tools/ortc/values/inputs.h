// SPDX-License-Identifier: MIT
// From --input and --shape to the values of a run.
#pragma once

#include <string>
#include <vector>

#include "tools/ortc/library/api.h"

namespace ortc::tool {

struct Input {
  std::string name;
  std::string source;  // as it was written: a file, "random:0", "16000"
  Value value;
};

enum class WhenMissing { kFail, kRandom };

// Throws a usage error that lists every input without a value, or names an option that fits none.
std::vector<Input> make_inputs(const OrtSession* session, const InputArguments& arguments,
                               WhenMissing when_missing);

}  // namespace ortc::tool
