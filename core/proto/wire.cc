// SPDX-License-Identifier: MIT
// The protobuf wire: see the header.
#include "core/proto/wire.h"

#include "core/base/checked_math.h"

namespace ortc {
namespace {

constexpr int kVarintBytesMax = 10;
constexpr uint64_t kFieldNumberMax = (1u << 29) - 1;

}  // namespace

bool read_varint(Bytes bytes, uint64_t& position, uint64_t end, uint64_t& value) {
  value = 0;
  for (int i = 0; i < kVarintBytesMax && position < end; ++i) {
    const auto byte = static_cast<uint64_t>(bytes[position++]);
    value |= (byte & 0x7f) << (7 * i);
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

// `head_end`: where the bytes end that are there; those of the payload need not be.
static Result<WireField> parse_field(Bytes bytes, uint64_t& position, uint64_t head_end,
                                     uint64_t end) {
  const uint64_t begin = position;
  uint64_t tag = 0;
  if (!read_varint(bytes, position, head_end, tag))
    return malformed_at(begin, "a tag does not end");
  WireField field;
  if ((tag >> 3) == 0 || (tag >> 3) > kFieldNumberMax) {
    return malformed_at(begin, "field number ", tag >> 3, " is not between 1 and 2^29-1");
  }
  field.number = static_cast<uint32_t>(tag >> 3);
  field.payload_begin = position;
  uint64_t length = 0;
  switch (tag & 7) {
    case 0:
      field.type = WireType::kVarint;
      if (!read_varint(bytes, position, head_end, length)) {
        return malformed_at(begin, "the number of field ", field.number, " does not end");
      }
      length = position - field.payload_begin;
      break;
    case 1:
      field.type = WireType::kFixed64;
      length = 8;
      break;
    case 2:
      field.type = WireType::kBytes;
      if (!read_varint(bytes, position, head_end, length)) {
        return malformed_at(begin, "the length of field ", field.number, " does not end");
      }
      field.payload_begin = position;
      break;
    case 5:
      field.type = WireType::kFixed32;
      length = 4;
      break;
    default:
      return malformed_at(begin, "field ", field.number, " has wire type ", tag & 7,
                          ", which ONNX does not use");
  }
  if (!range_within(field.payload_begin, length, end)) {
    return malformed_at(begin, "field ", field.number, " takes ", length, " bytes, ",
                        end - field.payload_begin, " are left");
  }
  field.payload_end = field.payload_begin + length;
  position = field.payload_end;
  return field;
}

Result<WireField> read_field(Bytes bytes, uint64_t& position, uint64_t end) {
  return parse_field(bytes, position, end, end);
}

Result<WireField> read_field_head(Bytes head, uint64_t available) {
  uint64_t position = 0;
  return parse_field(head, position, head.size(), available);
}

void append_varint(std::string& out, uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>((value & 0x7f) | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

void append_tag(std::string& out, uint32_t number, WireType type) {
  append_varint(out, (uint64_t{number} << 3) | static_cast<uint64_t>(type));
}

size_t varint_size(uint64_t value) {
  size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

void append_open_length(std::string& out) { out.append(kOpenLengthSize, '\0'); }

void fill_open_length(std::string& out, size_t position, uint64_t length) {
  for (size_t i = 0; i < kOpenLengthSize; ++i) {
    const bool is_last = i + 1 == kOpenLengthSize;
    out[position + i] = static_cast<char>((length & 0x7f) | (is_last ? 0 : 0x80));
    length >>= 7;
  }
}

}  // namespace ortc
