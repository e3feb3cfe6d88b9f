// SPDX-License-Identifier: MIT
// A model's messages, decoded by protobuf-c from the scanned skeleton, and access to their bytes
// fields: the generated structures hold references there (skeleton.h), never content.
//
// Blobs and texts given out live as long as the source's owner; short texts as long as this object.
#pragma once

#include <memory>
#include <string>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/proto/onnx.pb-c.h"
#include "core/proto/skeleton.h"

namespace ortc {

class DecodedModel {
 public:
  // INVALID_PROTOBUF when the bytes are not a ModelProto.
  static Result<std::unique_ptr<const DecodedModel>> decode(Blob source,
                                                            const ScanLimits& limits = {});

  const Onnx__ModelProto& message() const { return *message_; }
  const Blob& source() const { return source_; }

  // The content of a bytes field; absent fields are empty.
  Bytes bytes(const ProtobufCBinaryData& field) const {
    return resolve_reference({reinterpret_cast<const std::byte*>(field.data), field.len},
                             source_.bytes());
  }
  std::string_view text(const ProtobufCBinaryData& field) const { return as_text(bytes(field)); }
  std::string string(const ProtobufCBinaryData& field) const { return std::string(text(field)); }
  // Content that outlives this object: a view of the source when it stands there, else a copy.
  Blob blob(const ProtobufCBinaryData& field) const;
  bool is_view(const ProtobufCBinaryData& field) const {
    return reference_is_span({reinterpret_cast<const std::byte*>(field.data), field.len});
  }

 private:
  struct Free {
    void operator()(Onnx__ModelProto* message) const {
      onnx__model_proto__free_unpacked(message, nullptr);
    }
  };
  DecodedModel() = default;
  Blob source_;
  std::unique_ptr<Onnx__ModelProto, Free> message_;
};

// The fields of a message that onnx.proto does not declare, as wire bytes in their order.
std::string unknown_fields_of(const ProtobufCMessage& message);

}  // namespace ortc
