// SPDX-License-Identifier: MIT
// Config entries as the C interface takes them: the rows of core/options judge them; here are the
// limits of their lengths, the short names of providers, and two degrees of strictness.
#pragma once

#include <string>
#include <string_view>

#include "core/api/env/env_handle.h"
#include "core/options/option_tables.h"
#include "core/session/session.h"

namespace ortc::api {

inline constexpr size_t kKeySizeMax = 1024;
inline constexpr size_t kValueSizeMax = 8192;

// What happens to names that are unknown. The functions of this library refuse them; ONNX
// Runtime's table keeps them, and they are logged when they turn out to have no effect. It also
// takes an empty value for the default.
enum class UnknownKeys { kRefuse, kKeep };

// The key under which an entry is kept: options of a provider by their short prefix ("ep.aot.x")
// get the full one.
std::string canonical_key(std::string_view key);

// INVALID_ARGUMENT: unknown (names the nearest), too long, or a value the key does not take.
// Options of a provider of this library are judged at once, those of others when the session is
// made.
Status set_session_entry(ortc::SessionOptions& options, std::string_view key,
                         std::string_view value, UnknownKeys unknown = UnknownKeys::kRefuse);
Status set_run_entry(ortc::RunOptions& options, std::string_view key, std::string_view value,
                     UnknownKeys unknown = UnknownKeys::kRefuse);
Status set_env_entry(EnvironmentSettings& settings, std::string_view key, std::string_view value);
// An option that may change while a session lives.
Status check_dynamic_entry(std::string_view key, std::string_view value);

// The first thing that all of them look at: lengths.
Status check_entry_sizes(std::string_view key, std::string_view value);
bool is_known_env_key(std::string_view key);

// Options of providers that are not among these: INVALID_ARGUMENT, or a warning when the
// options are lenient. Full names ("ep.qnnexecutionprovider.") may be there for other machines.
Status check_session_entries(const ortc::SessionOptions& options, const Factories& factories);
// Logs, once for each environment, keys that change nothing here.
void report_idle_keys(SharedEnvironment& shared, const KeyValues& config,
                      const Factories& factories);

Status check_severity(std::string_view parameter, int severity);
Status check_thread_count(std::string_view parameter, int count);
Status check_not_negative(std::string_view parameter, int64_t number);

}  // namespace ortc::api
