// SPDX-License-Identifier: MIT
// Commands and what their values may be: see the header.
#include "tools/ortc/command_line/command_builder.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "CLI/CLI.hpp"
#include "tools/ortc/command_line/examples.h"
#include "tools/ortc/command_line/suggestions.h"

namespace ortc::tool {

// The parser by itself would take -1 for a very large number, and 010 for eight.
Option& Option::whole_number(uint64_t low, uint64_t high) {
  const auto check = [low, high](std::string& text) -> std::string {
    uint64_t number = 0;
    bool is_right = !text.empty() && text.size() <= 20;
    for (char c : text) {
      is_right = is_right && c >= '0' && c <= '9' &&
                 number <= (high - static_cast<uint64_t>(c - '0')) / 10;
      if (is_right) number = number * 10 + static_cast<uint64_t>(c - '0');
    }
    if (is_right && number >= low && number <= high) {
      text = std::to_string(number);
      return {};
    }
    return "expected a whole number from " + std::to_string(low) + " to " + std::to_string(high) +
           ", found '" + text + "'";
  };
  option_->transform(CLI::Validator(check, ""));
  return *this;
}

Option& Option::real_number(double low, double high) {
  const auto check = [low, high](std::string& text) -> std::string {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    const bool is_number = !text.empty() && *end == '\0' && std::isfinite(number);
    if (is_number && number >= low && number <= high) return {};
    return "expected a number from " + CLI::detail::to_string(low) + " to " +
           CLI::detail::to_string(high) + ", found '" + text + "'";
  };
  option_->check(CLI::Validator(check, ""));
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& choices) {
  const auto check = [choices](std::string& word) -> std::string {
    if (std::find(choices.begin(), choices.end(), word) != choices.end()) return {};
    std::string list;
    for (const std::string& known : choices) list += (list.empty() ? "" : ", ") + known;
    return "expected one of " + list + ", found '" + word + "'" + did_you_mean(word, choices);
  };
  option_->check(CLI::Validator(check, ""));
  return *this;
}

Option& Option::needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

CommandBuilder::CommandBuilder(CLI::App* app, const std::string& name, const std::string& text)
    : app_(app) {
  grammar_.name = name;
  grammar_.text = text;
  grammar_.examples = examples_of(name);
  app_->set_help_flag();
  grammar_.options.push_back({"-h,--help", "", "Explain this", {}});
}

void CommandBuilder::positional(std::string& target, const char* value, const char* text) {
  app_->add_option("file" + std::to_string(grammar_.positionals.size()), target);
  grammar_.positionals.push_back({value, "", text, {}});
}

void CommandBuilder::positional_choice(std::string& target, const char* value, const char* text,
                                       const std::vector<std::string>& choices) {
  Option(app_->add_option(value, target)).one_of(choices);
  grammar_.positionals.push_back({value, "", text, choices});
}

void CommandBuilder::positionals(std::vector<std::string>& targets, const char* value,
                                 const char* text) {
  app_->add_option("files", targets);
  grammar_.positionals.push_back({value, "", text, {}});
}

void CommandBuilder::flag(const char* names, bool& target, const char* text) {
  app_->add_flag(names, target);
  grammar_.options.push_back({names, "", text, {}});
}

namespace {

// An empty text would count as an option that was not given.
void refuse_empty(CLI::Option* option, const std::string&, const char* value) {
  const auto check = [value](std::string& text) -> std::string {
    return text.empty() ? "expected " + std::string(value) + ", found ''" : std::string();
  };
  option->check(CLI::Validator(check, ""));
}

template <typename T>
void refuse_empty(CLI::Option*, const T&, const char*) {}

}  // namespace

template <typename T>
Option CommandBuilder::option(const char* names, T& target, const char* value,
                              const std::string& text) {
  grammar_.options.push_back({names, value, text, {}});
  CLI::Option* added = app_->add_option(names, target)->allow_extra_args(false)->type_name(value);
  refuse_empty(added, target, value);
  return Option(added);
}

template Option CommandBuilder::option(const char*, std::string&, const char*, const std::string&);
template Option CommandBuilder::option(const char*, std::vector<std::string>&, const char*,
                                       const std::string&);
template Option CommandBuilder::option(const char*, int&, const char*, const std::string&);
template Option CommandBuilder::option(const char*, double&, const char*, const std::string&);
template Option CommandBuilder::option(const char*, uint64_t&, const char*, const std::string&);
template Option CommandBuilder::option(const char*, std::optional<uint64_t>&, const char*,
                                       const std::string&);

}  // namespace ortc::tool
