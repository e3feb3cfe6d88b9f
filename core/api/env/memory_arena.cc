// SPDX-License-Identifier: MIT
// The arena: see the header. Every byte of a region belongs to one chunk, used or free.
#include "core/api/env/memory_arena.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/checked_math.h"

namespace ortc {
namespace {

constexpr uint64_t kAlignment = 64;

}  // namespace

MemoryArena::~MemoryArena() {
  for (const auto& [region, size] : regions_) std::free(region);
}

std::byte* MemoryArena::add_region(uint64_t size) {
  if (config_.bytes_max != 0 &&
      size > config_.bytes_max - std::min(config_.bytes_max, stats_.total))
    return nullptr;
  auto* region = static_cast<std::byte*>(std::aligned_alloc(kAlignment, size));
  if (region == nullptr) return nullptr;
  regions_[region] = size;
  stats_.total += size;
  chunks_[region] = {size, false, region};
  return region;
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
  std::byte* region = add_region(wanted);
  if (region == nullptr && wanted != size) {
    wanted = size;
    region = add_region(wanted);
  }
  if (region == nullptr) return false;
  if (!config_.grows_as_requested && next_region_bytes_ <= config_.region_bytes_max / 2) {
    next_region_bytes_ *= 2;
  }
  ++stats_.extensions;
  free_.emplace(wanted, region);
  return true;
}

void* MemoryArena::take(std::byte* place, uint64_t size) {
  Chunk& chunk = chunks_[place];
  free_.erase({chunk.size, place});
  chunk.is_used = true;
  // Splits unless what is left over is small beside the block.
  const uint64_t rest = chunk.size - size;
  if (rest >= kAlignment && (rest >= size || rest > config_.dead_bytes_max || rest >= 4096)) {
    chunk.size = size;
    chunks_[place + size] = {rest, false, chunk.region};
    free_.emplace(rest, place + size);
  }
  note_use(chunk.size);
  return place;
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
  return take(best->second, *rounded);
}

void* MemoryArena::reserve(uint64_t size) {
  const auto rounded = checked_align_up(std::max<uint64_t>(size, 1), kAlignment);
  if (!rounded) return nullptr;
  const std::lock_guard lock(mutex_);
  std::byte* region = add_region(*rounded);
  if (region == nullptr) return nullptr;
  chunks_[region].is_used = true;
  ++stats_.reserves;
  note_use(*rounded);
  return region;
}

void MemoryArena::release(void* block) {
  const std::lock_guard lock(mutex_);
  auto place = chunks_.find(static_cast<std::byte*>(block));
  if (place == chunks_.end() || !place->second.is_used) return;
  place->second.is_used = false;
  stats_.in_use -= place->second.size;
  const auto next = std::next(place);
  if (next != chunks_.end() && !next->second.is_used &&
      next->second.region == place->second.region) {
    free_.erase({next->second.size, next->first});
    place->second.size += next->second.size;
    chunks_.erase(next);
  }
  if (place != chunks_.begin()) {
    const auto before = std::prev(place);
    if (!before->second.is_used && before->second.region == place->second.region) {
      free_.erase({before->second.size, before->first});
      before->second.size += place->second.size;
      chunks_.erase(place);
      place = before;
    }
  }
  free_.emplace(place->second.size, place->first);
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
