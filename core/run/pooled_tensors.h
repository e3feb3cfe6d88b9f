// SPDX-License-Identifier: MIT
// Results of runs out of the session's memory: what a caller gives back is used by the next run,
// whose pages are in memory already. From the system they would be new for every run, and a page
// costs as much as a thousand elements do.
#pragma once

#include <memory>

#include "core/run/arena_pool.h"
#include "core/run/runner.h"

namespace ortc {

// From so many bytes on a result comes out of the pool; a smaller one from where all memory does.
inline constexpr uint64_t kPooledBytes = 64 * 1024;

// A program that lets go of a long list of results gets its memory back: more than this is not kept
// unused.
inline constexpr uint64_t kUnusedBytesMost = uint64_t{256} << 20;

// A result keeps the pool alive, and its block goes back from whichever thread drops it last. Its
// bytes are what the block held before, but for elements of less than a byte.
TensorMaker tensors_of(std::shared_ptr<ArenaPool> pool);

}  // namespace ortc
