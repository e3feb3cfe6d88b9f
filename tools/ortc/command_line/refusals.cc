// SPDX-License-Identifier: MIT
// Each names what was found, and the nearest word that is known.

#include "tools/ortc/command_line/refusals.h"

#include <algorithm>

#include "tools/ortc/command_line/other_tools.h"
#include "tools/ortc/command_line/suggestions.h"
#include "tools/ortc/errors.h"

namespace ortc::tool {
namespace {

ToolError not_a_command(const std::string& word, const Grammar& grammar) {
  std::vector<std::string> names;
  for (const CommandGrammar& known : grammar) names.push_back(known.name);
  ToolError error = usage_error("there is no command '" + word + "'" + did_you_mean(word, names) +
                                " (see 'ortc help')");
  if (word.size() > 5 && word.compare(word.size() - 5, 5, ".onnx") == 0) {
    error.set_hint("a command goes before the model, as in: ortc inspect " + word);
  }
  return error.add_detail("command", word).add_detail("nearest", nearest_name(word, names));
}

bool has_option(const CommandGrammar& command, const std::string& option) {
  return std::any_of(command.options.begin(), command.options.end(), [&](const auto& known) {
    return known.long_name() == option || known.names.rfind(option + ",", 0) == 0;
  });
}

// An option of a command that was written before it, or without one.
ToolError before_the_command(const std::string& option, const std::string& command) {
  return usage_error("'" + option + "' goes after the command, as in: ortc " + command + " ... " +
                     option)
      .add_detail("option", option);
}

ToolError not_an_option(const std::string& word, const CommandGrammar& command,
                        const Grammar& grammar) {
  const std::string where = command.name.empty() ? "ortc" : "ortc " + command.name;
  const std::string option = word.substr(0, word.find('='));
  // The parser knows those of a command behind its name only.
  if (has_option(command, option)) return before_the_command(option, command.name);
  std::vector<std::string> names;
  for (const OptionGrammar& known : command.options) names.push_back(known.long_name());
  for (const CommandGrammar& known : grammar) {
    if (!command.name.empty() || known.name.empty() || !has_option(known, option)) continue;
    return before_the_command(option, "COMMAND");
  }
  const std::string elsewhere = name_here(option, command);
  ToolError error = usage_error(where + " has no option '" + option + "'" +
                                (elsewhere.empty() ? did_you_mean(option, names) : elsewhere) +
                                " (see '" + where + " --help')");
  return error.add_detail("option", option).add_detail("nearest", nearest_name(option, names));
}

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

}  // namespace

void refuse_remaining(const std::vector<std::string>& words, const CommandGrammar& command,
                      const Grammar& grammar) {
  if (words.empty()) return;
  const auto option = std::find_if(words.begin(), words.end(), is_option);
  if (command.name.empty()) {
    const auto name = std::find_if_not(words.begin(), words.end(), is_option);
    if (name != words.end()) throw not_a_command(*name, grammar);
  }
  if (option != words.end()) throw not_an_option(*option, command, grammar);
  throw usage_error("ortc " + command.name + ": one argument too many, '" + words.front() +
                    "' (see 'ortc " + command.name + " --help')");
}

const CommandGrammar& command_named(const Grammar& grammar, const std::string& name) {
  for (const CommandGrammar& command : grammar) {
    if (command.name == name) return command;
  }
  throw not_a_command(name, grammar);
}

std::string plain_message(const std::string& text) {
  const std::string option = text.substr(0, text.find(':'));
  if (text.find(": At Most 1 required") != std::string::npos) return option + " is given twice";
  const size_t missing = text.find(": 1 required ");
  if (missing == std::string::npos) return text;
  const size_t value = missing + 13;
  return option + " needs a value, " + text.substr(value, text.rfind(' ') - value);
}

}  // namespace ortc::tool
