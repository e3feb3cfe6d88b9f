// SPDX-License-Identifier: MIT
// WireWriter: see the header.
#include "core/proto/wire_writer.h"

#include "core/proto/wire.h"

namespace ortc {
namespace {

constexpr size_t kBorrowedSizeMin = 1024;

}  // namespace

void WireWriter::add_varint(uint32_t number, uint64_t value) {
  append_tag(text_, number, WireType::kVarint);
  append_varint(text_, value);
}

void WireWriter::add_float(uint32_t number, float value) {
  append_tag(text_, number, WireType::kFixed32);
  text_.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void WireWriter::add_text(uint32_t number, std::string_view text) {
  if (!text.empty()) add_bytes(number, text);
}

void WireWriter::add_bytes(uint32_t number, std::string_view bytes) {
  append_tag(text_, number, WireType::kBytes);
  append_varint(text_, bytes.size());
  text_ += bytes;
}

void WireWriter::add_payload(uint32_t number, Bytes payload) {
  if (payload.size() < kBorrowedSizeMin) {
    add_bytes(number, as_text(payload));
    return;
  }
  append_tag(text_, number, WireType::kBytes);
  append_varint(text_, payload.size());
  pieces_.push_back({text_.size(), payload});
  payload_size_ += payload.size();
}

void WireWriter::add_message(uint32_t number, const WireWriter& message) {
  append_tag(text_, number, WireType::kBytes);
  append_varint(text_, message.size());
  for (const Piece& piece : message.pieces_) {
    pieces_.push_back({text_.size() + piece.at, piece.payload});
  }
  text_ += message.text_;
  payload_size_ += message.payload_size_;
}

size_t WireWriter::begin_message(uint32_t number) {
  append_tag(text_, number, WireType::kBytes);
  append_open_length(text_);
  open_.push_back(size());
  return text_.size();
}

void WireWriter::end_message(size_t mark) {
  fill_open_length(text_, mark - kOpenLengthSize, size() - open_.back());
  open_.pop_back();
}

}  // namespace ortc
