// SPDX-License-Identifier: MIT
// Names of files beside a model: see the header.
#include "core/proto/external_location.h"

namespace ortc {

std::string plain_location(std::string_view location) {
  std::string plain = location.starts_with('/') ? "/" : "";
  while (!location.empty()) {
    const std::string_view part = location.substr(0, location.find('/'));
    location.remove_prefix(part.size() < location.size() ? part.size() + 1 : part.size());
    if (part.empty() || part == ".") continue;
    if (!plain.empty() && plain.back() != '/') plain += '/';
    plain += part;
  }
  return plain;
}

}  // namespace ortc
