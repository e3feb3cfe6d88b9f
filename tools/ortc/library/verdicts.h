// SPDX-License-Identifier: MIT
// What the library's verdicts on a file mean to people and to scripts.
#pragma once

#include <string>

#include "tools/ortc/errors.h"

namespace ortc::tool {

struct Verdict {
  const char* word;  // as in the JSON of an inspection
  const char* text;
  int exit_code;
};
// nullptr: a word of another release.
const Verdict* find_verdict(const std::string& word);

// A session of the model could not be made: when that is because of what it was compiled for, or
// because compiled data are missing or broken, the exit code says so and a hint tells what to do.
ToolError explained(ToolError error, const std::string& model);

}  // namespace ortc::tool
