// SPDX-License-Identifier: MIT
// External data: parsing the keys, cutting out ranges.
#include "core/proto/external_data.h"

#include <charconv>
#include <cstring>

#include "core/base/checked_math.h"
#include "core/base/tensor.h"
#include "core/platform/file_map.h"
#include "core/proto/external_location.h"

namespace ortc {
namespace {

// ASCII decimal, nothing else.
Result<uint64_t> parse_number(std::string_view key, std::string_view text) {
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end) {
    return fail("external data: ", key, " is '", text, "', expected a decimal number");
  }
  return value;
}

// Contents that a program gave live shorter than the model.
Result<Blob> aligned_copy(Bytes bytes) {
  ASSIGN_OR_RETURN(Tensor copy,
                   Tensor::create(DType::kUint8, {static_cast<int64_t>(bytes.size())}));
  if (!bytes.empty()) std::memcpy(copy.mutable_data(), bytes.data(), bytes.size());
  return Blob(copy.bytes(), copy.owner());
}

}  // namespace

Result<ExternalReference> parse_external_data(const DecodedModel& model,
                                              const Onnx__TensorProto& tensor) {
  ExternalReference reference;
  for (size_t i = 0; i < tensor.n_external_data; ++i) {
    const std::string_view key = model.text(tensor.external_data[i]->key);
    const std::string_view value = model.text(tensor.external_data[i]->value);
    if (key == "location") {
      reference.location = plain_location(value);
    } else if (key == "offset") {
      ASSIGN_OR_RETURN(reference.offset, parse_number(key, value));
    } else if (key == "length") {
      ASSIGN_OR_RETURN(reference.length, parse_number(key, value));
    } else if (key == "compression") {
      if (value != "zstd") {
        return not_implemented("external data: compression '", value, "', expected 'zstd'");
      }
      reference.is_zstd = true;
    } else if (key != "checksum" && key != "basepath" && !key.starts_with("prepacked")) {
      return fail("external data: unknown key '", key, "'");
    }
  }
  if (reference.location.empty()) return fail("external data: the location is missing");
  // Writers put 0 for what they leave to the tensor; an empty one takes no bytes either way.
  if (!reference.is_zstd && reference.length == 0) reference.length.reset();
  if (reference.is_zstd && !reference.length) {
    return fail("external data: compressed data need a length");
  }
  return reference;
}

Result<Blob> stored_external_data(ExternalFiles& files, const ExternalReference& reference,
                                  uint64_t size) {
  ASSIGN_OR_RETURN(const Blob whole, files.whole(reference.location));
  const Bytes contents = whole.bytes();
  const uint64_t length = reference.length.value_or(size);
  if (!reference.is_zstd && length != size) {
    return fail("external data '", reference.location, "': expected ", size,
                " bytes for the tensor's type and shape, found length ", length);
  }
  if (!range_within(reference.offset, length, contents.size())) {
    return fail("external data '", reference.location, "': expected ", length, " bytes at offset ",
                reference.offset, ", found a file of ", contents.size(), " bytes");
  }
  return Blob(contents.subspan(reference.offset, length), whole.owner());
}

Result<Blob> read_external_data(ExternalFiles& files, const ExternalReference& reference,
                                uint64_t size) {
  if (reference.is_zstd) {
    if (Blob known = files.frames().find(reference, size); !known.empty()) return known;
  }
  ASSIGN_OR_RETURN(const Blob stored, stored_external_data(files, reference, size));
  if (!reference.is_zstd) return stored.owner() == nullptr ? aligned_copy(stored.bytes()) : stored;
  auto decoded = decode_external_frame(stored.bytes(), size);
  RETURN_IF_ERROR_WHILE(decoded.status(), "external data '", reference.location, "' at offset ",
                        reference.offset);
  files.frames().keep(reference, *decoded);
  return decoded;
}

}  // namespace ortc
