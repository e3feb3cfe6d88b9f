// SPDX-License-Identifier: MIT
// Tensors in imported memory.
#pragma once

#include "core/api/plugin/interop/resource_importer.h"
#include "core/api/value/value_handle.h"

namespace ortc::api {

using ImportedMemory = Imported<OrtExternalMemoryHandle>;

// By the library; the value keeps the memory. INVALID_ARGUMENT for one that does not fit into it,
// EP_FAIL when the library makes another one.
Result<std::unique_ptr<OrtValue>> make_imported_tensor(
    const Importer& importer, const std::shared_ptr<const ImportedMemory>& memory,
    size_t memory_bytes, const OrtExternalTensorDescriptor& descriptor);

}  // namespace ortc::api
