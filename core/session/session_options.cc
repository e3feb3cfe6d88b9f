// SPDX-License-Identifier: MIT
// Config entries of a session: see the header.
#include "core/session/session_options.h"

#include "core/options/option_tables.h"

namespace ortc {

ProviderKey split_provider_key(std::string_view key) {
  constexpr std::string_view kBegin = "ep.";
  if (!key.starts_with(kBegin)) return {};
  const std::string_view rest = key.substr(kBegin.size());
  const size_t dot = rest.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == rest.size()) return {};
  return {rest.substr(0, dot), rest.substr(dot + 1)};
}

Status SessionOptions::set(std::string_view key, std::string_view value) {
  const bool is_for_others =
      find_option(OptionScope::kSession, key) == nullptr &&
      (!split_provider_key(key).option.empty() || key.starts_with(kCustomOpPrefix));
  if (!is_for_others) RETURN_IF_ERROR(set_session_option(*this, key, value));
  config.insert_or_assign(std::string(key), value);
  return Status::ok();
}

KeyValues SessionOptions::printed() const {
  KeyValues entries = config;
  for (const std::span<const OptionRow> rows : option_tables(OptionScope::kSession)) {
    for (const OptionRow& row : rows) {
      if (!row.has_effect()) continue;
      std::string value = print_option(row, static_cast<const SessionSettings*>(this));
      const std::string key(row.key);
      if (value != row.otherwise || entries.contains(key)) entries[key] = std::move(value);
    }
  }
  return entries;
}

}  // namespace ortc
