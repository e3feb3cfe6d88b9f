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
// Values are read in the order in which they were written: several may come from one pipe.
// `alike`: the inputs of another model that gets the same random values; one that is called
// otherwise here has its place among those that are.
std::vector<Input> make_inputs(const OrtSession* session, const InputArguments& arguments,
                               WhenMissing when_missing,
                               const std::vector<std::string>& alike = {});

}  // namespace ortc::tool
