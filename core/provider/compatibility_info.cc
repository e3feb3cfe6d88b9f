// SPDX-License-Identifier: MIT
// The text of compatibility: see the header.
#include "core/provider/compatibility_info.h"

#include <algorithm>
#include <charconv>

#include "core/base/str_cat.h"
#include "core/platform/target_list.h"

namespace ortc {
namespace {

constexpr std::string_view kKind = "ortc-context";

std::optional<int> number_in(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// "1.0"
bool read_version(std::string_view text, CompatibilityInfo& info) {
  const size_t dot = text.find('.');
  if (dot == std::string_view::npos) return false;
  const auto major = number_in(text.substr(0, dot));
  const auto minor = number_in(text.substr(dot + 1));
  if (!major || !minor) return false;
  info.format_major = *major;
  info.format_minor = *minor;
  return true;
}

// Between several targets, since ';' stands between the fields.
constexpr char kListSeparator = ',';

std::string with(std::string text, char separator, char instead) {
  std::replace(text.begin(), text.end(), separator, instead);
  return text;
}

}  // namespace

std::string print_compatibility_info(const CompatibilityInfo& info) {
  return str_cat(kKind, ";provider=", info.provider, ";format=", info.format_major, ".",
                 info.format_minor, ";library=", info.library_version,
                 ";target=", with(info.target, kTargetSeparator, kListSeparator),
                 ";kernels=", info.kernels);
}

std::optional<CompatibilityInfo> parse_compatibility_info(std::string_view text) {
  if (text.substr(0, text.find(';')) != kKind) return std::nullopt;
  CompatibilityInfo info;
  bool has_version = false;
  for (size_t begin = kKind.size() + 1; begin < text.size();) {
    const size_t end = std::min(text.find(';', begin), text.size());
    const std::string_view field = text.substr(begin, end - begin);
    begin = end + 1;
    const size_t equals = field.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = field.substr(0, equals), value = field.substr(equals + 1);
    if (key == "provider") info.provider = value;
    if (key == "library") info.library_version = value;
    if (key == "target") info.target = with(std::string(value), kListSeparator, kTargetSeparator);
    if (key == "kernels") info.kernels = value;
    if (key == "format") has_version = read_version(value, info);
  }
  if (!has_version) return std::nullopt;
  return info;
}

}  // namespace ortc
