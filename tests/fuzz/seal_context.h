// SPDX-License-Identifier: MIT
// Gives a damaged context binary the checksums that belong to it, as someone who crafts a file
// would: behind them every record must still be checked.
#pragma once

#include <cstring>
#include <string>

#include "core/base/hash.h"
#include "core/context/format.h"

namespace ortc::fuzz {

inline void seal_context(std::string& bytes) {
  if (bytes.size() < kContextPage) return;
  ContextHeader header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  const auto hash = [](std::string_view text) {
    const Hash128 value = hash128(as_bytes(text));
    return ContextHash{value.low, value.high};
  };
  if (header.metadata_offset <= bytes.size() &&
      header.metadata_size <= bytes.size() - header.metadata_offset) {
    header.metadata_hash =
        hash(std::string_view(bytes).substr(header.metadata_offset, header.metadata_size));
  }
  header.file_size = bytes.size();
  header.header_hash = {};
  std::memcpy(bytes.data(), &header, sizeof(header));
  header.header_hash = hash(std::string_view(bytes).substr(0, kContextPage));
  std::memcpy(bytes.data(), &header, sizeof(header));
}

}  // namespace ortc::fuzz
