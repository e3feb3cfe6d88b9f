// SPDX-License-Identifier: MIT
// The arena: see the header. Every byte of a region belongs to one chunk, used or free.
#include "core/api/env/memory_arena.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "core/base/checked_math.h"

namespace ortc {
namespace {

constexpr uint64_t kAlignment = 64;

}  // namespace

MemoryArena::~MemoryArena() {
  for (const auto& [region, size] : regions_) std::free(region);
}

// One chunk, neither used nor listed as free. The end of the chunks when there is no memory for it.
MemoryArena::Chunks::iterator MemoryArena::add_region(uint64_t size) {
  if (config_.bytes_max != 0 &&
      size > config_.bytes_max - std::min(config_.bytes_max, stats_.total))
    return chunks_.end();
  std::unique_ptr<std::byte, void (*)(void*)> memory(
      static_cast<std::byte*>(std::aligned_alloc(kAlignment, size)), std::free);
  if (memory == nullptr) return chunks_.end();
  FreeList entry{{size, memory.get()}};
  Chunks chunk;
  chunk[memory.get()] = {size, false, memory.get(), entry.extract(entry.begin())};
  regions_[memory.get()] = size;
  stats_.total += size;
  static_cast<void>(memory.release());
  return chunks_.insert(chunk.extract(chunk.begin())).position;
}

// A free chunk of at least `size` bytes, in a new region.
bool MemoryArena::extend(uint64_t size) {
  uint64_t wanted = size;
  if (!config_.grows_as_requested) {
    if (next_region_bytes_ == 0) {
      next_region_bytes_ = checked_align_up(config_.first_region_bytes, kAlignment).value_or(size);
    }
    wanted = std::max(size, next_region_bytes_);
  }
  auto region = add_region(wanted);
  if (region == chunks_.end() && wanted != size) region = add_region(size);
  if (region == chunks_.end()) return false;
  if (!config_.grows_as_requested && next_region_bytes_ <= config_.region_bytes_max / 2) {
    next_region_bytes_ *= 2;
  }
  ++stats_.extensions;
  list_as_free(region);
  return true;
}

void MemoryArena::list_as_free(Chunks::iterator chunk) {
  chunk->second.entry.value() = {chunk->second.size, chunk->first};
  free_.insert(std::move(chunk->second.entry));
}

void MemoryArena::take_off_list(Chunks::iterator chunk) {
  auto entry = free_.extract({chunk->second.size, chunk->first});
  if (!entry.empty()) chunk->second.entry = std::move(entry);
}

void* MemoryArena::take(Chunks::iterator chunk, uint64_t size) {
  // Splits unless what is left over is small beside the block.
  const uint64_t rest = chunk->second.size - size;
  if (rest >= kAlignment && (rest >= size || rest > config_.dead_bytes_max || rest >= 4096)) {
    std::byte* const place = chunk->first + size;
    FreeList entry{{rest, place}};
    Chunks left;
    left[place] = {rest, false, chunk->second.region, {}};
    take_off_list(chunk);
    chunk->second.size = size;
    chunks_.insert(left.extract(left.begin()));
    free_.insert(entry.extract(entry.begin()));
  } else {
    take_off_list(chunk);
  }
  chunk->second.is_used = true;
  note_use(chunk->second.size);
  return chunk->first;
}

void MemoryArena::note_use(uint64_t size) {
  stats_.in_use += size;
  stats_.in_use_max = std::max(stats_.in_use_max, stats_.in_use);
  stats_.block_max = std::max(stats_.block_max, size);
  ++stats_.allocations;
}

void* MemoryArena::allocate(uint64_t size) {
  const auto rounded = checked_align_up(std::max<uint64_t>(size, 1), kAlignment);
  if (!rounded) return nullptr;
  const std::lock_guard lock(mutex_);
  auto best = free_.lower_bound({*rounded, nullptr});
  if (best == free_.end()) {
    if (!extend(*rounded)) return nullptr;
    best = free_.lower_bound({*rounded, nullptr});
  }
  return take(chunks_.find(best->second), *rounded);
}

void* MemoryArena::reserve(uint64_t size) {
  const auto rounded = checked_align_up(std::max<uint64_t>(size, 1), kAlignment);
  if (!rounded) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto region = add_region(*rounded);
  if (region == chunks_.end()) return nullptr;
  region->second.is_used = true;
  ++stats_.reserves;
  note_use(*rounded);
  return region->first;
}

bool MemoryArena::are_free_neighbours(Chunks::iterator chunk, Chunks::iterator next) const {
  return next != chunks_.end() && !chunk->second.is_used && !next->second.is_used &&
         next->second.region == chunk->second.region;
}

void MemoryArena::join(Chunks::iterator chunk, Chunks::iterator next) {
  take_off_list(chunk);
  take_off_list(next);
  chunk->second.size += next->second.size;
  chunks_.erase(next);
}

void MemoryArena::release(void* block) {
  const std::lock_guard lock(mutex_);
  auto chunk = chunks_.find(static_cast<std::byte*>(block));
  if (chunk == chunks_.end() || !chunk->second.is_used) return;
  chunk->second.is_used = false;
  stats_.in_use -= chunk->second.size;
  const auto next = std::next(chunk);
  if (are_free_neighbours(chunk, next)) join(chunk, next);
  if (chunk != chunks_.begin() && are_free_neighbours(std::prev(chunk), chunk)) {
    const auto before = std::prev(chunk);
    join(before, chunk);
    chunk = before;
  }
  list_as_free(chunk);
}

void MemoryArena::shrink() {
  const std::lock_guard lock(mutex_);
  for (auto region = regions_.begin(); region != regions_.end();) {
    const auto chunk = chunks_.find(region->first);
    if (chunk->second.is_used || chunk->second.size != region->second) {
      ++region;
      continue;
    }
    free_.erase({chunk->second.size, chunk->first});
    chunks_.erase(chunk);
    stats_.total -= region->second;
    ++stats_.shrinkages;
    std::free(region->first);
    region = regions_.erase(region);
  }
}

MemoryArena::Stats MemoryArena::stats() const {
  const std::lock_guard lock(mutex_);
  Stats stats = stats_;
  stats.limit = config_.bytes_max;
  return stats;
}

}  // namespace ortc
