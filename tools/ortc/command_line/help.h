// SPDX-License-Identifier: MIT
// Help and the man page, made from the grammar.
#pragma once

#include <string>

#include "tools/ortc/command_line/grammar.h"

namespace ortc::tool {

// Lines as wide as the terminal, at most 100 columns.
std::string help_text(const Grammar& grammar, const CommandGrammar& command);
std::string man_page(const Grammar& grammar, const std::string& version);

}  // namespace ortc::tool
