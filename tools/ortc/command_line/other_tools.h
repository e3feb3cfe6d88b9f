// SPDX-License-Identifier: MIT
// Options that trtexec, benchmark_app, polygraphy and onnxruntime_perf_test call otherwise.
#pragma once

#include <string>

#include "tools/ortc/command_line/grammar.h"

namespace ortc::tool {

// "; here that is '--streams'", or nothing: for an option of another tool that does what one of the
// command's does.
std::string name_here(const std::string& option, const CommandGrammar& command);

}  // namespace ortc::tool
