// SPDX-License-Identifier: MIT
// Protocol buffers field by field, for the small models that the tool makes itself; the numbers of
// the fields are those of onnx.proto.
#pragma once

#include <cstdint>
#include <string>

namespace ortc::tool::message {

inline std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(value | 128);
  return bytes + static_cast<char>(value);
}
inline std::string number(int field, uint64_t value) {
  return varint(static_cast<uint64_t>(field) << 3) + varint(value);
}
inline std::string text(int field, const std::string& bytes) {
  return varint(static_cast<uint64_t>(field) << 3 | 2) + varint(bytes.size()) + bytes;
}

}  // namespace ortc::tool::message
