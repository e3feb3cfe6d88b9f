// SPDX-License-Identifier: MIT
// Bytes that read as zeros and take no memory: what stands for data that are not there when a model
// is only described.
#pragma once

#include "core/base/bytes.h"
#include "core/base/result.h"

namespace ortc {

// FAIL when the address space does not hold so many.
Result<Blob> zero_pages(uint64_t size);

}  // namespace ortc
