// SPDX-License-Identifier: MIT
// What help shows of each command: things people do, as commands to copy.
#pragma once

#include <string>
#include <vector>

#include "tools/ortc/command_line/grammar.h"

namespace ortc::tool {

std::vector<ExampleGrammar> examples_of(const std::string& command);

}  // namespace ortc::tool
