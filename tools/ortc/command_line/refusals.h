// SPDX-License-Identifier: MIT
// What is said to a command line that cannot be understood; all are usage errors.
#pragma once

#include <string>
#include <vector>

#include "tools/ortc/command_line/grammar.h"

namespace ortc::tool {

// Throws for a name that no command has.
const CommandGrammar& command_named(const Grammar& grammar, const std::string& name);

// Throws for words that the parser could not place: an option or a command that is not known, or
// one word too many.
void refuse_remaining(const std::vector<std::string>& words, const CommandGrammar& command,
                      const Grammar& grammar);

// The parser's own messages, in the words of the others.
std::string plain_message(const std::string& text);

}  // namespace ortc::tool
