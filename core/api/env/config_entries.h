// SPDX-License-Identifier: MIT
// Config entries: which keys there are, what their values may be, and which have an effect.
#pragma once

#include <string>
#include <string_view>

#include "core/api/handles.h"

namespace ortc::api {

inline constexpr size_t kKeySizeMax = 1024;
inline constexpr size_t kValueSizeMax = 8192;

// The key under which an entry is kept: options of a provider by their short prefix ("ep.aot.x")
// get the full one.
std::string canonical_key(std::string_view key);

// INVALID_ARGUMENT: unknown (names the nearest), too long, or a value the key does not take.
Status check_session_entry(const std::string& key, const std::string& value);
Status check_run_entry(const std::string& key, const std::string& value);
Status check_env_entry(const std::string& key, const std::string& value);
// An option that may change while a session lives.
Status check_dynamic_entry(const std::string& key, const std::string& value);

// The first thing the two look at: lengths.
Status check_entry_sizes(std::string_view key, std::string_view value);
// Whether somebody judges the key: this library, or a provider whose options it names.
bool is_known_session_key(std::string_view key);
bool is_known_run_key(std::string_view key);
bool is_known_env_key(std::string_view key);

// Sets an entry that may be the text of a setter ("session.intra_op_num_threads"), which then is
// called.
Status set_session_entry(ortc::SessionOptions& options, std::string_view key,
                         std::string_view value);

// Logs, once for each environment, keys that change nothing here.
void report_idle_keys(SharedEnvironment& shared, const KeyValues& config);

Status check_severity(std::string_view parameter, int severity);
Status check_not_negative(std::string_view parameter, int64_t number);

}  // namespace ortc::api
