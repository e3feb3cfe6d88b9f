// SPDX-License-Identifier: MIT
// Config keys by scope: see the header.
#include "core/options/option_tables.h"

#include <vector>

#include "core/base/near_name.h"

namespace ortc {
namespace {

std::string_view name_of(OptionScope scope) {
  switch (scope) {
    case OptionScope::kSession:
      return "session config";
    case OptionScope::kRun:
      return "run config";
    case OptionScope::kEnvironment:
      return "environment";
    case OptionScope::kDynamic:
      return "dynamic option";
  }
  return "config";
}

Status set_in(OptionScope scope, void* settings, std::string_view key, std::string_view value) {
  const OptionRow* const row = find_option(scope, key);
  return row != nullptr ? set_option(*row, settings, value) : unknown_option(scope, key);
}

}  // namespace

std::span<const std::span<const OptionRow>> option_tables(OptionScope scope) {
  // Options that may change while a session lives may also be given before.
  static const std::span<const OptionRow> kSession[] = {context_rows(), session_rows(), idle_rows(),
                                                        dynamic_rows()};
  static const std::span<const OptionRow> kRun[] = {run_rows()};
  static const std::span<const OptionRow> kEnvironment[] = {environment_rows()};
  static const std::span<const OptionRow> kDynamic[] = {dynamic_rows()};
  switch (scope) {
    case OptionScope::kSession:
      return kSession;
    case OptionScope::kRun:
      return kRun;
    case OptionScope::kEnvironment:
      return kEnvironment;
    case OptionScope::kDynamic:
      return kDynamic;
  }
  return {};
}

const OptionRow* find_option(OptionScope scope, std::string_view key) {
  for (const std::span<const OptionRow> rows : option_tables(scope)) {
    if (const OptionRow* row = find_option(rows, key); row != nullptr) return row;
  }
  return nullptr;
}

Status unknown_option(OptionScope scope, std::string_view key) {
  std::vector<std::string_view> known;
  for (const std::span<const OptionRow> rows : option_tables(scope)) {
    for (const OptionRow& row : rows) known.push_back(row.key);
  }
  return invalid_argument("unknown ", name_of(scope), " key '", key, "'", did_you_mean(key, known));
}

Status set_session_option(SessionSettings& settings, std::string_view key, std::string_view value) {
  return set_in(OptionScope::kSession, &settings, key, value);
}

Status set_run_option(RunSettings& settings, std::string_view key, std::string_view value) {
  return set_in(OptionScope::kRun, &settings, key, value);
}

Status set_environment_option(EnvironmentSettings& settings, std::string_view key,
                              std::string_view value) {
  return set_in(OptionScope::kEnvironment, &settings, key, value);
}

}  // namespace ortc
