// SPDX-License-Identifier: MIT
// The tables of all config keys that are not options of a provider, by scope.
#pragma once

#include <span>
#include <string_view>

#include "core/base/key_values.h"
#include "core/options/option_row.h"
#include "core/options/settings.h"

namespace ortc {

enum class OptionScope : uint8_t {
  kSession,      // SessionSettings
  kRun,          // RunSettings
  kEnvironment,  // EnvironmentSettings
  kDynamic,      // may change while a session lives; nothing here does
};

// The tables, each in a file of its own. Idle rows are session keys that ONNX Runtime has and that
// have no effect here.
std::span<const OptionRow> context_rows();
std::span<const OptionRow> session_rows();
std::span<const OptionRow> idle_rows();
std::span<const OptionRow> run_rows();
std::span<const OptionRow> environment_rows();
std::span<const OptionRow> dynamic_rows();

// A scope may have several tables; all are of its settings.
std::span<const std::span<const OptionRow>> option_tables(OptionScope scope);
const OptionRow* find_option(OptionScope scope, std::string_view key);
// "unknown session config key 'ep.contxt_enable'; did you mean 'ep.context_enable'?"
Status unknown_option(OptionScope scope, std::string_view key);

// Sets one option of the scope; INVALID_ARGUMENT for an unknown key or a value that it does not
// take.
Status set_session_option(SessionSettings& settings, std::string_view key, std::string_view value);
Status set_run_option(RunSettings& settings, std::string_view key, std::string_view value);
Status set_environment_option(EnvironmentSettings& settings, std::string_view key,
                              std::string_view value);

}  // namespace ortc
