// SPDX-License-Identifier: MIT
// The protobuf wire: reading one field after another from untrusted bytes, and the few encodings
// that both directions need.
//
//   field = tag payload        tag = varint(number << 3 | type)
#pragma once

#include <string>

#include "core/base/bytes.h"
#include "core/base/result.h"

namespace ortc {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t payload_begin = 0;  // kBytes: after the length
  uint64_t payload_end = 0;
  uint64_t payload_size() const { return payload_end - payload_begin; }
};

// INVALID_PROTOBUF: what is wrong, and at which byte of the file.
template <typename... Args>
Status malformed_at(uint64_t offset, const Args&... args) {
  return make_status(Code::kInvalidProtobuf, "at byte ", offset, ": ", args...);
}

// Reads a varint at `position`, moves it past; false when it does not end before `end` or within
// ten bytes.
bool read_varint(Bytes bytes, uint64_t& position, uint64_t end, uint64_t& value);

// Reads the tag at `position` and finds the end of its payload; moves `position` past the field.
// Requires position < end <= bytes.size().
Result<WireField> read_field(Bytes bytes, uint64_t& position, uint64_t end);

// The same of a field whose payload may lie elsewhere: `head` begins with the tag, and holds the
// first bytes of the `available` ones. Positions count from its begin.
Result<WireField> read_field_head(Bytes head, uint64_t available);

void append_varint(std::string& out, uint64_t value);
void append_tag(std::string& out, uint32_t number, WireType type);
size_t varint_size(uint64_t value);

// A length in five bytes whatever its value (a valid, if not the shortest, varint): written first,
// filled in when the message is complete.
inline constexpr size_t kOpenLengthSize = 5;
void append_open_length(std::string& out);
void fill_open_length(std::string& out, size_t position, uint64_t length);

}  // namespace ortc
