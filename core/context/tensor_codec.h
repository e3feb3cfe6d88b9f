// SPDX-License-Identifier: MIT
// Tensors as a context binary stores them: plain, to be mapped, or as one zstd frame.
#pragma once

#include "core/base/result.h"
#include "core/base/tensor.h"
#include "core/context/format.h"
#include "core/platform/parallel_work.h"

namespace ortc {

// Whether a record can be true, before anything is allocated for it: a known codec, sizes that
// agree. `file_size`: of the whole binary.
Status check_tensor_record(const ContextTensorRecord& record, uint64_t required_features,
                           uint64_t file_size);

// Whether a frame can give what the record says, by the frame's head; also before anything is
// allocated.
Status check_tensor_frame(const ContextTensorRecord& record, Bytes frame);

// A frame decoded into memory of its own, aligned as tensors are. Never more bytes than the record
// says, and only those that its hash is of.
Result<Blob> decode_tensor_frame(const ContextTensorRecord& record, Bytes frame);

// A tensor as it is written.
struct StoredTensor {
  Bytes bytes;
  std::shared_ptr<const void> owner;
  TensorCodec codec = TensorCodec::kPlain;
};
// Compressing a byte in units of Work, of which hashing and writing it take one each.
inline constexpr uint64_t kCompressionUnits = 16;

// zstd at `level`, when that makes it smaller; 0 leaves it plain.
Result<StoredTensor> encode_tensor(Bytes bytes, std::shared_ptr<const void> owner, int level,
                                   const Advance& advance);

}  // namespace ortc
