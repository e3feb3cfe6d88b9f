// SPDX-License-Identifier: MIT
// OrtAllocators that the library makes: over an arena, over the system, and handles to either.
#pragma once

#include <memory>

#include "core/api/env/memory_arena.h"
#include "core/api/env/memory_info_handle.h"
#include "core/session/session.h"
#include "ort_c/allocator.h"

namespace ortc::api {

// The interface number of the youngest member of OrtAllocator, and those from which on the younger
// members of a program's allocator may be read.
inline constexpr uint32_t kAllocatorVersion = 25;
inline constexpr uint32_t kVersionOfReserve = 18, kVersionOfStats = 23, kVersionOfShrink = 25;

// Both count what they give. `info` is what they say of themselves.
std::shared_ptr<OrtAllocator> make_arena_allocator(const MemoryArena::Config& config,
                                                   const OrtMemoryInfo& info);
std::shared_ptr<OrtAllocator> make_system_allocator(const OrtMemoryInfo& info);

// Another allocator's memory under a handle of its own, which release_handle() ends. A foreign
// allocator is left alone by it.
OrtAllocator* new_handle(std::shared_ptr<OrtAllocator> target, std::shared_ptr<const void> kept);
void release_handle(OrtAllocator* handle);
// The handle gives no memory any more; blocks that it gave go back where they came from.
void end_handle(OrtAllocator& handle, const OrtMemoryInfo& memory);

// The allocator for as long as its memory is in use: one of the library stays although its
// handle was released or it was unregistered, one of the program is the program's to keep.
std::shared_ptr<OrtAllocator> keep(OrtAllocator& allocator);

// Memory that goes back to the allocator when the last owner is gone. `size` 0 may give null.
Result<std::shared_ptr<void>> allocate_shared(std::shared_ptr<OrtAllocator> allocator, size_t size);

// Tensors whose bytes come from the allocator.
std::shared_ptr<const TensorMaker> tensors_from(std::shared_ptr<OrtAllocator> allocator);

}  // namespace ortc::api
