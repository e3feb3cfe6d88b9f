// SPDX-License-Identifier: MIT
// Writes protobuf messages of any size: small things are gathered, large payloads stay where they
// lie in memory and are spliced in when the result is given out.
//
// A message is written either whole, into a writer of its own that is then added with its length,
// or open, in place: then everything in it has a known position from the start, at the price of a
// length of five bytes.
#pragma once

#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/status.h"

namespace ortc {

class WireWriter {
 public:
  void add_varint(uint32_t number, uint64_t value);
  void add_float(uint32_t number, float value);
  // The text is copied. `add_text` leaves empty texts out, `add_bytes` does not.
  void add_text(uint32_t number, std::string_view text);
  void add_bytes(uint32_t number, std::string_view bytes);
  // Large payloads are borrowed: they must live until the last write_to().
  void add_payload(uint32_t number, Bytes payload);
  void add_message(uint32_t number, const WireWriter& message);
  // Fields that are wire bytes already.
  void add_wire(std::string_view fields) { text_ += fields; }

  size_t begin_message(uint32_t number);
  void end_message(size_t mark);

  uint64_t size() const { return text_.size() + payload_size_; }
  // Calls write(Bytes) for piece after piece.
  template <typename Write>
  Status write_to(Write&& write) const {
    size_t from = 0;
    for (const Piece& piece : pieces_) {
      RETURN_IF_ERROR(write(as_bytes(text_).subspan(from, piece.at - from)));
      RETURN_IF_ERROR(write(piece.payload));
      from = piece.at;
    }
    return write(as_bytes(text_).subspan(from));
  }

 private:
  struct Piece {
    size_t at;  // stands in front of this byte of text_
    Bytes payload;
  };
  std::string text_;
  std::vector<Piece> pieces_;
  uint64_t payload_size_ = 0;
  std::vector<uint64_t> open_;  // size() where each open message's content begins
};

}  // namespace ortc
