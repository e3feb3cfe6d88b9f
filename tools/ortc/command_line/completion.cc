// SPDX-License-Identifier: MIT
// One script for each shell, written from the same rows.

#include "tools/ortc/command_line/completion.h"

#include "tools/ortc/command_line/suggestions.h"
#include "tools/ortc/errors.h"

namespace ortc::tool {
namespace {

std::string words_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// `text` with something in front of each of the `letters`.
std::string escaped(const std::string& text, const std::string& letters) {
  std::string out;
  for (char c : text) {
    if (letters.find(c) != std::string::npos) out += '\\';
    out += c;
  }
  return out;
}

// Inside single quotes a quote ends them, stands by itself, and begins them again.
std::string in_quotes(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Numbers, names of nodes and the like are no files.
bool takes_file(const OptionGrammar& option) {
  for (const char* part : {"FILE", "DIR", ".onnx", "VALUE"}) {
    if (option.value.find(part) != std::string::npos) return true;
  }
  return false;
}

bool may_stand_alone(const OptionGrammar& option) {
  return option.value.empty() || option.value.front() == '[';
}

std::string short_name(const OptionGrammar& option) {
  const size_t comma = option.names.find(',');
  return comma == std::string::npos ? std::string() : option.names.substr(0, comma);
}

std::string bash_script(const Grammar& grammar) {
  std::vector<std::string> commands;
  std::string cases, choices;
  for (const CommandGrammar& command : grammar) {
    if (command.name.empty()) continue;
    commands.push_back(command.name);
    std::vector<std::string> options;
    for (const OptionGrammar& option : command.options) {
      options.push_back(option.long_name());
      if (option.choices.empty()) {
        if (may_stand_alone(option) || takes_file(option)) continue;
        choices += "    " + command.name + option.long_name() + ") return ;;\n";
        continue;
      }
      choices += "    " + command.name + option.long_name() + ") words=\"" +
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
         "    completioncompletion) words=\"bash zsh fish\" ;;\n"
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
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
         "  fi\n"
         "}\n"
         "complete -F _ortc ortc\n";
}

// '*--ep[Execution provider]:NAME:_files'; every option may come again.
std::string zsh_option(const std::string& name, const OptionGrammar& option) {
  std::string text = "*" + name + "[" + escaped(option.text, "[]:\\") + "]";
  if (!may_stand_alone(option)) {
    text += ":" + escaped(option.value, ":\\") + ":";
    const std::string otherwise = takes_file(option) ? "_files" : " ";
    text += option.choices.empty() ? otherwise : "(" + words_of(option.choices) + ")";
  }
  return in_quotes(text);
}

std::string zsh_script(const Grammar& grammar) {
  std::string commands, cases;
  for (const CommandGrammar& command : grammar) {
    if (command.name.empty()) continue;
    commands += "    " + in_quotes(command.name + ":" + escaped(command.text, ":\\")) + "\n";
    cases += "    " + command.name + ")\n      _arguments";
    for (const OptionGrammar& option : command.options) {
      const std::string letter = short_name(option);
      if (!letter.empty()) cases += " \\\n        " + zsh_option(letter, option);
      cases += " \\\n        " + zsh_option(option.long_name(), option);
    }
    const bool has_shell = command.name == "completion";
    cases += std::string(" \\\n        ") +
             (has_shell ? "'*:shell:(bash zsh fish)'" : "'*:file:_files'") + " ;;\n";
  }
  return "#compdef ortc\n"
         "_ortc() {\n"
         "  local -a commands=(\n" +
         commands +
         "  )\n"
         "  if (( CURRENT == 2 )) || [[ ${words[2]} == help ]]; then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  local command=${words[2]}\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         "if [[ ${funcstack[1]} == _ortc ]]; then _ortc \"$@\"; else compdef _ortc ortc; fi\n";
}

std::string fish_script(const Grammar& grammar) {
  const auto text = [](const std::string& plain) { return in_quotes(escaped(plain, "\\")); };
  std::string out = "# fish completion for ortc\n";
  for (const CommandGrammar& command : grammar) {
    if (command.name.empty()) continue;
    out += "complete -c ortc -f -n __fish_use_subcommand -a " + command.name + " -d " +
           text(command.text) + "\n";
    out += "complete -c ortc -f -n '__fish_seen_subcommand_from help' -a " + command.name + "\n";
    const std::string begin =
        "complete -c ortc -n '__fish_seen_subcommand_from " + command.name + "'";
    for (const OptionGrammar& option : command.options) {
      out += begin + " -l " + option.long_name().substr(2);
      if (const std::string letter = short_name(option); !letter.empty()) {
        out += " -s " + letter.substr(1);
      }
      if (!option.choices.empty()) {
        out += " -x -a " + text(words_of(option.choices));
      } else if (!may_stand_alone(option)) {
        out += takes_file(option) ? " -r -F" : " -x";
      }
      out += " -d " + text(option.text) + "\n";
    }
  }
  return out +
         "complete -c ortc -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n";
}

}  // namespace

std::string completion_script(const Grammar& grammar, const std::string& shell) {
  if (shell == "bash") return bash_script(grammar);
  if (shell == "zsh") return zsh_script(grammar);
  if (shell == "fish") return fish_script(grammar);
  const std::vector<std::string> shells = {"bash", "zsh", "fish"};
  throw usage_error("ortc completion needs a shell, bash, zsh or fish" +
                    (shell.empty() ? std::string() : ", found '" + shell + "'") +
                    did_you_mean(shell, shells));
}

}  // namespace ortc::tool
