// SPDX-License-Identifier: MIT
// The command line as data: what help, the man page and completion are made from. arguments.cc
// fills it while it tells the parser of the same options.
#pragma once

#include <string>
#include <vector>

namespace ortc::tool {

struct OptionGrammar {
  std::string names;  // "-o,--output"; of a positional its value, "IN.onnx"
  std::string value;  // "OUT_ctx.onnx"; empty: a flag
  std::string text;
  std::vector<std::string> choices;

  // "--output": the last of the names.
  std::string long_name() const { return names.substr(names.rfind(',') + 1); }
};

struct ExampleGrammar {
  std::string text, command;
};

struct CommandGrammar {
  std::string name;  // empty: the program itself
  std::string text;
  std::vector<OptionGrammar> positionals, options;
  std::vector<ExampleGrammar> examples;
  std::string exit_codes;  // where they mean something else than with other commands
};

// The program itself first, then its commands.
using Grammar = std::vector<CommandGrammar>;

}  // namespace ortc::tool
