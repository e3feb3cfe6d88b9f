// SPDX-License-Identifier: MIT
// What a command cannot do without.
#pragma once

#include "tools/ortc/command_line/arguments.h"
#include "tools/ortc/command_line/grammar.h"

namespace ortc::tool {

// Throws a usage error that names what was not given, or what was given too often.
void check_needs(const Arguments& arguments, const CommandGrammar& command);

}  // namespace ortc::tool
