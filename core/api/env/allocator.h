// SPDX-License-Identifier: MIT
// Memory through OrtAllocators, for the functions that give texts and arrays away.
#pragma once

#include <memory>
#include <string_view>

#include "core/api/env/memory_info_handle.h"
#include "core/base/result.h"
#include "ort_c/allocator.h"

namespace ortc::api {

inline constexpr size_t kBlockAlignment = 64;

OrtAllocator& default_allocator();

// INVALID_ARGUMENT for an allocator that cannot allocate, RUNTIME_EXCEPTION when memory is short.
// `size` 0 may give null.
Result<void*> allocate_anywhere(OrtAllocator& allocator, size_t size);
// The same for what the host writes: INVALID_ARGUMENT for memory of a device.
Result<void*> allocate(OrtAllocator& allocator, size_t size);
Status check_on_host(const OrtAllocator& allocator);
void deallocate(OrtAllocator& allocator, void* block);

// A block that goes back unless it is released to the program.
struct Deallocate {
  OrtAllocator* allocator;
  void operator()(void* block) const { deallocate(*allocator, block); }
};
using OwnedBlock = std::unique_ptr<void, Deallocate>;

// A copy with its terminating zero.
Result<char*> copy_text(OrtAllocator& allocator, std::string_view text);

}  // namespace ortc::api
