// SPDX-License-Identifier: MIT
// The man page, and completion for bash: `ortc help --man` and `ortc help --bash-completion`, which
// the build writes to files.

#include "tools/ortc/command_line/help.h"

namespace ortc::tool {
namespace {

// A text of ours as roff: no line may begin with a dot or quote, backslashes and dashes are
// escaped.
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

std::string man_command(const CommandGrammar& command) {
  std::string title = "ortc " + command.name;
  for (const OptionGrammar& positional : command.positionals) title += " " + positional.names;
  std::string out = ".SS " + roff(title) + "\n" + roff(command.text) + ".\n";
  out += man_options(command.positionals) + man_options(command.options);
  for (const ExampleGrammar& example : command.examples) {
    out += ".PP\n" + roff(example.text) + ":\n.PP\n.nf\n    " + roff(example.command) + "\n.fi\n";
  }
  return out;
}

std::string words_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
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
      ".TP\n.B 3\nthe model must be compiled (anew)\n.TP\n.B 4\nnot supported here\n"
      ".TP\n.B 130, 143\nstopped by Ctrl\\-C or SIGTERM; nothing was left behind\n"
      ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nwhen set, no colours are shown\n";
  return out;
}

std::string bash_completion(const Grammar& grammar) {
  std::vector<std::string> commands;
  std::string cases, choices;
  for (const CommandGrammar& command : grammar) {
    if (command.name.empty()) continue;
    commands.push_back(command.name);
    std::vector<std::string> options;
    for (const OptionGrammar& option : command.options) {
      options.push_back(option.long_name());
      if (option.choices.empty()) continue;
      choices += "    " + command.name + "" + option.long_name() + ") words=\"" +
                 words_of(option.choices) + "\" ;;\n";
    }
    cases += "    " + command.name + ") words=\"" + words_of(options) + "\" ;;\n";
  }
  return "# bash completion for ortc\n"
         "_ortc() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=\n"
         "  local command=${COMP_WORDS[1]}\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ] || [ \"$previous\" = help ]; then\n"
         "    COMPREPLY=($(compgen -W \"" +
         words_of(commands) +
         "\" -- \"$current\"))\n"
         "    return\n"
         "  fi\n"
         "  case $command$previous in\n" +
         choices +
         "  esac\n"
         "  if [ -z \"$words\" ] && [[ $current == -* ]]; then\n"
         "    case $command in\n" +
         cases +
         "    esac\n"
         "  fi\n"
         "  if [ -n \"$words\" ]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  else\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
         "  fi\n"
         "}\n"
         "complete -F _ortc ortc\n";
}

}  // namespace ortc::tool
