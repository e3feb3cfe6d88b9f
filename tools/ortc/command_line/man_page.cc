// SPDX-License-Identifier: MIT
// The man page: `ortc help --man`, which the build writes to a file.

#include "tools/ortc/command_line/help.h"

namespace ortc::tool {

// No line may begin with a dot or quote either.
std::string roff(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  if (!out.empty() && (out[0] == '.' || out[0] == '\'')) out.insert(0, "\\&");
  return out;
}

std::string man_options(const std::vector<OptionGrammar>& options) {
  std::string out;
  for (const OptionGrammar& option : options) {
    out += ".TP\n.B " + roff(option.names);
    if (!option.value.empty()) out += " \\fI" + roff(option.value) + "\\fR";
    out += "\n" + roff(option.text) + "\n";
  }
  return out;
}

namespace {

std::string man_command(const CommandGrammar& command) {
  std::string title = "ortc " + command.name;
  for (const OptionGrammar& positional : command.positionals) title += " " + positional.names;
  std::string out = ".SS " + roff(title) + "\n" + roff(command.text) + ".\n";
  out += man_options(command.positionals) + man_options(command.options);
  if (!command.exit_codes.empty()) out += ".PP\nExit codes: " + roff(command.exit_codes) + "\n";
  for (const ExampleGrammar& example : command.examples) {
    if (!example.text.empty()) out += ".PP\n" + roff(example.text) + ":\n";
    out += ".PP\n.nf\n    " + roff(example.command) + "\n.fi\n";
  }
  return out;
}

}  // namespace

std::string man_page(const Grammar& grammar, const std::string& version) {
  std::string out = ".TH ORTC 1 \"\" \"ortc " + version + "\"\n.SH NAME\nortc \\- " +
                    roff(grammar.front().text) + "\n.SH SYNOPSIS\n.B ortc\n" +
                    "\\fICOMMAND\\fR [\\fIoptions\\fR]\n.SH COMMANDS\n";
  for (const CommandGrammar& command : grammar) {
    if (!command.name.empty()) out += man_command(command);
  }
  out +=
      ".SH EXIT STATUS\n"
      ".TP\n.B 0\ndone\n.TP\n.B 1\nfailure\n.TP\n.B 2\nwrong command line\n"
      ".TP\n.B 3\nthe model must be compiled (again)\n.TP\n.B 4\nnot supported here\n"
      ".TP\n.B 130, 143\nstopped by Ctrl\\-C or SIGTERM; nothing was left behind\n"
      ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nwhen set, no colours are shown\n";
  return out;
}

}  // namespace ortc::tool
