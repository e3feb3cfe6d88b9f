// SPDX-License-Identifier: MIT
// Weights that a kernel of a library packed and leaves to the runtime, so that kernels of several
// sessions can have the same ones.
#pragma once

#include <memory>
#include <vector>

#include "core/base/bytes.h"
#include "core/provider/execution_provider.h"
#include "ort_c/ort_api.h"

// For one call of PrePackWeight. What is stored belongs to the runtime, which frees it with the
// allocator that the kernel was given.
struct OrtSharedPrePackedWeightCache {
  explicit OrtSharedPrePackedWeightCache(std::shared_ptr<OrtAllocator> from)
      : allocator(std::move(from)) {}

  // INVALID_ARGUMENT for a buffer that is missing; then all stay the caller's.
  ortc::Status store(void* const* data, const size_t* sizes, size_t count);

  std::shared_ptr<OrtAllocator> allocator;
  std::vector<ortc::Blob> buffers;
};
