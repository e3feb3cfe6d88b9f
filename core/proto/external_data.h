// SPDX-License-Identifier: MIT
// Weights in files beside the model: TensorProto.external_data.
#pragma once

#include <optional>
#include <string>

#include "core/proto/decoded_model.h"
#include "core/proto/external_files.h"

namespace ortc {

// What external_data says, checked for form only.
struct ExternalReference {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;  // none: as many bytes as the tensor takes
  bool is_zstd = false;            // the bytes are one zstd frame
};

Result<ExternalReference> parse_external_data(const DecodedModel& model,
                                              const Onnx__TensorProto& tensor);

// The bytes of a tensor of `size` bytes. FAIL naming file, expected and found.
Result<Blob> read_external_data(ExternalFiles& files, const ExternalReference& reference,
                                uint64_t size);

}  // namespace ortc
