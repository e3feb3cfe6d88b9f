// SPDX-License-Identifier: MIT
// What ends a command early: one line "ortc: <code>: <message>" on stderr, perhaps a hint below it,
// with --json an object on stdout, and the exit code. Exceptions live inside this tool only; main()
// is where they end.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ortc::tool {

enum ExitCode : int {
  kExitOk = 0,
  kExitFailure = 1,
  kExitUsage = 2,
  kExitNeedsCompilation = 3,
  kExitNotSupported = 4,
  kExitSignal = 128,  // and the signal's number: 130 for Ctrl-C, 143 for SIGTERM
};

class ToolError : public std::runtime_error {
 public:
  ToolError(int exit_code, std::string code, const std::string& message)
      : std::runtime_error(message), exit_code_(exit_code), code_(std::move(code)) {}

  int exit_code() const { return exit_code_; }
  const std::string& code() const { return code_; }
  // What to do next, as a sentence; may be empty.
  const std::string& hint() const { return hint_; }
  // Facts for scripts, as {"option", "--outptu"}.
  const std::vector<std::pair<std::string, std::string>>& details() const { return details_; }

  ToolError& set_exit_code(int exit_code) {
    exit_code_ = exit_code;
    return *this;
  }
  ToolError& set_hint(std::string hint) {
    hint_ = std::move(hint);
    return *this;
  }
  ToolError& add_detail(std::string name, std::string value) {
    details_.emplace_back(std::move(name), std::move(value));
    return *this;
  }

 private:
  int exit_code_;
  std::string code_;
  std::string hint_;
  std::vector<std::pair<std::string, std::string>> details_;
};

inline ToolError usage_error(const std::string& message) {
  return ToolError(kExitUsage, "USAGE", message);
}
inline ToolError failure(const std::string& message) {
  return ToolError(kExitFailure, "FAIL", message);
}

}  // namespace ortc::tool
