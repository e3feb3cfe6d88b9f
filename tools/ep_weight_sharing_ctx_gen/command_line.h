// SPDX-License-Identifier: MIT
// The command line of ep_weight_sharing_ctx_gen, as ONNX Runtime's tool of that name has it.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ortc::sharing_tool {

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct CommandLine {
  std::string provider = "aot";
  Pairs provider_options, config;
  std::string plugin_file;  // -p; empty: none
  bool verbose = false;
  std::vector<std::string> models;
  bool has_context_path = false;  // -C named ep.context_file_path, which is left out of `config`
  std::string text;  // help or the man page; when there is one, it is all there is to do
};

// What the tool ends with.
enum ExitCode : int { kExitOk = 0, kExitFailure = 1, kExitBadArguments = 255 };

class BadArguments : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws BadArguments.
CommandLine parse_command_line(int argc, char** argv);

}  // namespace ortc::sharing_tool
