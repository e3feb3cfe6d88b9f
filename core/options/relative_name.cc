// SPDX-License-Identifier: MIT
// Relative names: see the header.
#include "core/options/relative_name.h"

#include <algorithm>

#include "core/base/ascii.h"

namespace ortc {
namespace {

// Every component is the name of something below: not "", "." or "..".
bool stays_below(std::string_view path) {
  while (true) {
    const size_t size = std::min(path.find_first_of("/\\"), path.size());
    const std::string_view component = path.substr(0, size);
    if (component.empty() || component == "." || component == "..") return false;
    if (size == path.size()) return true;
    path.remove_prefix(size + 1);
  }
}

}  // namespace

bool is_absolute_path(std::string_view path) {
  if (path.empty()) return false;
  if (path.front() == '/' || path.front() == '\\') return true;
  return path.size() >= 2 && is_ascii_letter(path[0]) && path[1] == ':';
}

std::string_view plain_relative_name(std::string_view name) {
  while (name.starts_with("./")) name.remove_prefix(2);
  return name;
}

Status judge_relative_name(std::string_view name) {
  const std::string_view plain = plain_relative_name(name);
  if (name.empty() || is_absolute_path(name)) return Status::ok();
  if (!is_absolute_path(plain) && stays_below(plain)) return Status::ok();
  return invalid_argument(
      "expected a file name without empty, \".\" or \"..\" components, found \"", name, "\"");
}

}  // namespace ortc
