// SPDX-License-Identifier: MIT
// Files that a command will write, looked at before the work: none of them is one that it reads,
// and no two are the same.
#pragma once

#include <string>
#include <vector>

namespace ortc::tool {

struct Target {
  const char* option;
  std::string path;  // "": the option was not given
};

// What a model reads: itself, and the files that it refers to when one of the targets is there
// already; else none of them can be one.
std::vector<std::string> read_with(const std::string& model, const std::vector<Target>& targets);

// Devices and pipes may be given twice: they are not replaced.
void check_targets(const std::vector<Target>& targets, const std::vector<std::string>& read);

}  // namespace ortc::tool
