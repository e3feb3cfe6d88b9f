// SPDX-License-Identifier: MIT
// Weights in files beside the model: TensorProto.external_data.
#pragma once

#include "core/proto/decoded_model.h"
#include "core/proto/external_files.h"
#include "core/proto/external_frames.h"

namespace ortc {

Result<ExternalReference> parse_external_data(const DecodedModel& model,
                                              const Onnx__TensorProto& tensor);

// The bytes as they stand in the file, of a tensor of `size` bytes. FAIL naming file, expected and
// found. Contents that a program gave have no owner.
Result<Blob> stored_external_data(ExternalFiles& files, const ExternalReference& reference,
                                  uint64_t size);
// Those of the tensor, which no one changes while there is an owner.
Result<Blob> read_external_data(ExternalFiles& files, const ExternalReference& reference,
                                uint64_t size);

}  // namespace ortc
