// SPDX-License-Identifier: MIT
// One question that `ortc ep-test` asks a library of providers, and what came of it. Each is asked
// in a process of its own, so that a library that crashes or hangs ends one answer only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/ortc/command_line/arguments.h"

namespace ortc::tool {

enum class CheckVerdict { kPassed, kFailed, kCrashed, kLate, kNotApplicable };

const char* verdict_name(CheckVerdict verdict);  // "passed"

struct Finding {
  CheckVerdict verdict = CheckVerdict::kPassed;
  std::string text;  // what was seen; with a failure also what was expected
};

inline Finding passed(std::string text = "") { return {CheckVerdict::kPassed, std::move(text)}; }
inline Finding failed(std::string text) { return {CheckVerdict::kFailed, std::move(text)}; }
inline Finding not_applicable(std::string text) {
  return {CheckVerdict::kNotApplicable, std::move(text)};
}

struct Check {
  std::string group;  // "library", "sessions", "contexts", "callbacks"
  std::string name;   // a sentence
  std::function<Finding()> ask;
};

// Without devices there is nothing else to be asked.
inline constexpr char kOffersDevices[] = "offers devices";

// All of them, in the order of the report. `scratch` is a folder for what they write.
std::vector<Check> all_checks(const EpTestArguments& arguments, const std::string& scratch);

std::vector<Check> library_checks(const EpTestArguments& arguments);
std::vector<Check> session_checks(const EpTestArguments& arguments, const std::string& scratch);
std::vector<Check> context_checks(const EpTestArguments& arguments, const std::string& scratch);
std::vector<Check> callback_checks(const EpTestArguments& arguments);

// Asks in a child process. ToolErrors of the check are failures.
Finding ask_in_process(const Check& check, double seconds);

}  // namespace ortc::tool
