// SPDX-License-Identifier: MIT
// TensorProto -> Tensor: a view of the model's file or of an external file when the bytes lie there
// aligned to their element, else a copy. Typed fields (float_data, int32_data ...) are brought into
// the raw form; sub-byte elements stay packed.
#pragma once

#include "core/base/tensor.h"
#include "core/proto/external_data.h"

namespace ortc {

struct DecodedTensor {
  Tensor tensor;
  // Where the bytes stand when they are external and uncompressed; its length is filled in.
  std::optional<ExternalReference> external;
};

// INVALID_GRAPH when type, shape and data do not fit each other; FAIL for external data.
Result<DecodedTensor> decode_tensor(const DecodedModel& model, const Onnx__TensorProto& proto,
                                    ExternalFiles& files);

// What decode_tensor() is going to find compressed; nothing for all else, wrong tensors too.
std::optional<NeededFrame> external_frame_of(const DecodedModel& model,
                                             const Onnx__TensorProto& proto, ExternalFiles& files);

// The tensor over bytes that need not be aligned; `owner` keeps them alive, `is_lasting` says that
// they outlive the caller. The size must fit exactly.
Result<Tensor> tensor_over(DType dtype, Dims dims, const Blob& bytes, bool is_lasting);

}  // namespace ortc
