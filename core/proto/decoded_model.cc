// SPDX-License-Identifier: MIT
// DecodedModel: scan, then protobuf-c.
#include "core/proto/decoded_model.h"

#include "core/proto/file_kind.h"
#include "core/proto/wire.h"

namespace ortc {

Result<std::unique_ptr<const DecodedModel>> DecodedModel::decode(Blob source,
                                                                 const ScanLimits& limits) {
  if (source.empty()) {
    return make_status(Code::kInvalidProtobuf, "expected an ONNX model, found nothing at all");
  }
  auto scanned = scan_model(source.bytes(), limits);
  if (!scanned.is_ok()) {
    const std::string_view kind = file_kind(source.bytes());
    if (!kind.empty()) {
      return make_status(Code::kInvalidProtobuf, "expected an ONNX model, found ", kind);
    }
    return std::move(Status(scanned.status()).note("the bytes are not an ONNX model"));
  }
  std::unique_ptr<DecodedModel> model(new DecodedModel);
  const std::string& wire = scanned->wire;
  model->message_.reset(onnx__model_proto__unpack(nullptr, wire.size(),
                                                  reinterpret_cast<const uint8_t*>(wire.data())));
  if (model->message_ == nullptr) {
    return make_status(Code::kInvalidProtobuf,
                       "the bytes are not an ONNX model: its messages cannot be decoded");
  }
  model->source_ = std::move(source);
  return std::unique_ptr<const DecodedModel>(std::move(model));
}

Blob DecodedModel::blob(const ProtobufCBinaryData& field) const {
  const Bytes content = bytes(field);
  return is_view(field) ? Blob(content, source_.owner()) : Blob::copy_of(content);
}

std::string unknown_fields_of(const ProtobufCMessage& message) {
  std::string wire;
  for (unsigned i = 0; i < message.n_unknown_fields; ++i) {
    const ProtobufCMessageUnknownField& field = message.unknown_fields[i];
    append_varint(wire, (uint64_t{field.tag} << 3) | static_cast<uint64_t>(field.wire_type));
    wire.append(reinterpret_cast<const char*>(field.data), field.len);  // with its length
  }
  return wire;
}

}  // namespace ortc
