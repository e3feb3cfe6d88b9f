// SPDX-License-Identifier: MIT
// Help and the man page, made from the grammar.
#pragma once

#include <string>
#include <vector>

#include "tools/ortc/command_line/grammar.h"

namespace ortc::tool {

// Lines as wide as the terminal, at most 100 columns.
std::string help_text(const Grammar& grammar, const CommandGrammar& command);
std::string man_page(const Grammar& grammar, const std::string& version);

// Parts of man pages. A text as roff: dashes and backslashes are escaped.
std::string roff(const std::string& text);
std::string man_options(const std::vector<OptionGrammar>& options);

}  // namespace ortc::tool
