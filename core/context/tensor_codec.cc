// SPDX-License-Identifier: MIT
// Codecs of tensors: see the header.
#include "core/context/tensor_codec.h"

#include "core/base/checked_math.h"
#include "core/context/context_header.h"
#include "core/platform/zstd.h"

namespace ortc {
namespace {

// A zstd block of four bytes gives at most 128 KiB.
constexpr uint64_t kExpansionMax = 32 * 1024;
// Below this a frame saves nothing worth a decompression.
constexpr size_t kFrameMin = 256;

}  // namespace

Status check_tensor_record(const ContextTensorRecord& record, uint64_t required_features,
                           uint64_t file_size) {
  if (!range_within(record.offset, record.stored_size, file_size) ||
      record.offset % kSmallAlignment != 0) {
    return invalid_graph("it lies outside the file or is misaligned");
  }
  switch (static_cast<TensorCodec>(record.codec)) {
    case TensorCodec::kPlain:
      if (record.stored_size == record.size) return Status::ok();
      return invalid_graph("it is plain, yet ", record.stored_size, " bytes should give ",
                           record.size);
    case TensorCodec::kZstd:
      if ((required_features & kFeatureZstd) == 0) {
        return invalid_graph("it is compressed, but the header does not require 'zstd'");
      }
      if (record.size / kExpansionMax <= record.stored_size) return Status::ok();
      return invalid_graph("a frame of ", record.stored_size, " bytes cannot give ", record.size);
  }
  return invalid_graph("its codec is ", record.codec, "; expected 0 (plain) or 1 (zstd)");
}

Status check_tensor_frame(const ContextTensorRecord& record, Bytes frame) {
  return zstd_check_size(frame, record.size);
}

Result<Blob> decode_tensor_frame(const ContextTensorRecord& record, Bytes frame) {
  RETURN_IF_ERROR(check_tensor_frame(record, frame));
  const auto size = checked_cast<int64_t>(record.size);
  if (!size) return invalid_graph("a tensor of ", record.size, " bytes");
  ASSIGN_OR_RETURN(Tensor tensor, Tensor::create(DType::kUint8, {*size}));
  RETURN_IF_ERROR(
      zstd_decompress(frame, {static_cast<std::byte*>(tensor.mutable_data()), tensor.byte_size()}));
  const Hash128 actual = hash128(tensor.bytes());
  if (actual != from_record(record.hash)) {
    return invalid_graph("it is damaged (checksum ", actual.hex(), ", expected ",
                         from_record(record.hash).hex(), ")");
  }
  return Blob(tensor.bytes(), tensor.owner());
}

Result<StoredTensor> encode_tensor(Bytes bytes, std::shared_ptr<const void> owner, int level,
                                   const Advance& advance) {
  if (level == 0 || bytes.size() < kFrameMin) return StoredTensor{bytes, std::move(owner), {}};
  const auto advance_bytes = [&](uint64_t count) { return advance(count * kCompressionUnits); };
  ASSIGN_OR_RETURN(std::string frame, zstd_compress(bytes, level, advance_bytes));
  if (frame.size() >= bytes.size()) return StoredTensor{bytes, std::move(owner), {}};
  frame.shrink_to_fit();
  auto owned = std::make_shared<const std::string>(std::move(frame));
  return StoredTensor{as_bytes(*owned), owned, TensorCodec::kZstd};
}

}  // namespace ortc
