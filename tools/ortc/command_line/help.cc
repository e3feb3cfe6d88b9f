// SPDX-License-Identifier: MIT
// What `ortc help` and `--help` print.

#include "tools/ortc/command_line/help.h"

#include <algorithm>

#include "tools/ortc/output/console.h"

namespace ortc::tool {
namespace {

constexpr size_t kWidthMax = 100;
constexpr size_t kColumn = 28;  // where descriptions begin

constexpr const char* kExitCodes =
    "0 done, 1 failure, 2 wrong command line, 3 the model must be compiled (again), 4 not "
    "supported "
    "here, 130 stopped by Ctrl-C, 143 by SIGTERM.";

// Words of `text`, in lines that begin with `indent` blanks; the first goes on at column `at`.
std::string wrapped(const std::string& text, size_t at, size_t indent, size_t width) {
  std::string out;
  bool is_first = true;
  for (size_t i = 0; i < text.size();) {
    const size_t end = std::min(text.find(' ', i), text.size());
    const size_t length = end - i;
    if (!is_first && at + 1 + length > width) {
      out += "\n" + std::string(indent, ' ');
      at = indent;
    } else if (!is_first) {
      out += ' ';
      at++;
    }
    out += text.substr(i, length);
    at += length;
    is_first = false;
    i = end + 1;
  }
  return out + "\n";
}

std::string heading(const std::string& text) { return styled(stdout, Style::kBold, text) + "\n"; }

std::string row(const std::string& left, const std::string& right, size_t width) {
  std::string out = "  " + left;
  size_t at = out.size();
  if (at + 2 > kColumn) {
    out += "\n" + std::string(kColumn, ' ');
  } else {
    out += std::string(kColumn - at, ' ');
  }
  at = kColumn;
  return out + wrapped(right, at, kColumn, width);
}

std::string option_name(const OptionGrammar& option) {
  std::string name = option.names;
  if (const size_t comma = name.find(','); comma != std::string::npos) name.insert(comma + 1, " ");
  return option.value.empty() ? name : name + " " + option.value;
}

std::string option_rows(const std::vector<OptionGrammar>& options, size_t width) {
  std::string out;
  for (const OptionGrammar& option : options) out += row(option_name(option), option.text, width);
  return out;
}

}  // namespace

std::string help_text(const Grammar& grammar, const CommandGrammar& command) {
  const size_t width = std::min(console_width(stdout), kWidthMax);
  std::string usage = "ortc";
  usage += command.name.empty() ? " COMMAND" : " " + command.name;
  for (const OptionGrammar& positional : command.positionals) usage += " " + positional.names;
  std::string out = wrapped(command.text, 0, 0, width) + "\n";
  out += styled(stdout, Style::kBold, "Usage:") + " " + usage + " [options]\n";
  if (command.name.empty()) {
    out += "\n" + heading("Commands:");
    for (const CommandGrammar& other : grammar) {
      if (!other.name.empty()) out += row(other.name, other.text, width);
    }
  } else if (!command.positionals.empty()) {
    out += "\n" + option_rows(command.positionals, width);
  }
  out += "\n" + heading("Options:") + option_rows(command.options, width);
  if (!command.examples.empty()) out += "\n" + heading("Examples:");
  for (const ExampleGrammar& example : command.examples) {
    if (!example.text.empty()) out += "  # " + example.text + "\n";
    out += "  " + example.command + "\n";
  }
  out += "\n" + styled(stdout, Style::kBold, "Exit codes:") + " " +
         wrapped(command.exit_codes.empty() ? kExitCodes : command.exit_codes, 12, 2, width);
  return out;
}

}  // namespace ortc::tool
