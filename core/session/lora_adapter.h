// SPDX-License-Identifier: MIT
// LoRA adapters: named tensors in ONNX Runtime's file format, a FlatBuffer with the identifier
// "TORT":
//
//   Adapter    0 format_version int32, 1 adapter_version int32, 2 model_version int32,
//              3 parameters [Parameter]
//   Parameter  0 name string, 1 dims [int64], 2 data_type int32 (ONNX's numbers), 3 raw_data
//   [uint8]
#pragma once

#include "core/session/session.h"

namespace ortc {

// Tensors are views of `bytes` where those are aligned. FAIL says what is wrong with the bytes.
Result<std::shared_ptr<const NamedTensors>> read_lora_adapter(const Blob& bytes);

}  // namespace ortc
