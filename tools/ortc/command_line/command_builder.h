// SPDX-License-Identifier: MIT
// One command, told to the parser and to the grammar alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/ortc/command_line/grammar.h"

namespace CLI {  // seen from command_builder.cc and arguments.cc only: it is slow to compile
class App;
class Option;
}  // namespace CLI

namespace ortc::tool {

// What may be said of an option once it is there.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option& whole_number(uint64_t low, uint64_t high);
  Option& real_number(double low, double high);
  Option& one_of(const std::vector<std::string>& choices);
  Option& needs(const Option& other);
  Option& excludes(const Option& other);

 private:
  CLI::Option* option_;
};

class CommandBuilder {
 public:
  CommandBuilder(CLI::App* app, const std::string& name, const std::string& text);

  void positional(std::string& target, const char* value, const char* text);
  // One of some words.
  void positional_choice(std::string& target, const char* value, const char* text,
                         const std::vector<std::string>& choices);
  // One word or more, the last thing that stands without a dash.
  void positionals(std::vector<std::string>& targets, const char* value, const char* text);
  void flag(const char* names, bool& target, const char* text);

  // T is what arguments.h has: texts, numbers, lists of texts.
  template <typename T>
  Option option(const char* names, T& target, const char* value, const std::string& text);
  template <typename T>
  Option choice(const char* names, T& target, const char* value, const std::string& text,
                const std::vector<std::string>& choices) {
    Option added = option(names, target, value, text);
    grammar_.options.back().choices = choices;
    return added.one_of(choices);
  }

  void exit_codes(const char* text) { grammar_.exit_codes = text; }

  const CommandGrammar& grammar() const { return grammar_; }
  CLI::App* app() const { return app_; }

 private:
  CLI::App* app_;
  CommandGrammar grammar_;
};

}  // namespace ortc::tool
