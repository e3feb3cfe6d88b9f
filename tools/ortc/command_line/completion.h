// SPDX-License-Identifier: MIT
// Completion of commands, options and their choices in shells, made from the grammar.
#pragma once

#include <string>

#include "tools/ortc/command_line/grammar.h"

namespace ortc::tool {

// For "bash", "zsh" or "fish"; a usage error for others.
std::string completion_script(const Grammar& grammar, const std::string& shell);

}  // namespace ortc::tool
