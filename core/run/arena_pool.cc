// SPDX-License-Identifier: MIT
// The pool of blocks: see the header.
#include "core/run/arena_pool.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "core/base/checked_math.h"

namespace ortc {

namespace {

// Whether a block is not so large that somebody else will miss it.
bool is_near(uint64_t block, uint64_t wanted) {
  constexpr uint64_t kSmall = 64 * 1024, kTimes = 16;
  return block <= kSmall || block / kTimes <= wanted;
}

uint64_t size_of(const BlockHeader& block) { return block.length - sizeof(BlockHeader); }

}  // namespace

std::byte* ArenaPool::Block::data() const {
  return header_ != nullptr ? reinterpret_cast<std::byte*>(header_ + 1) : nullptr;
}

uint64_t ArenaPool::Block::size() const { return header_ != nullptr ? size_of(*header_) : 0; }

// Nobody else has the pool any more. So if it is locked, a thread held it when this process was
// forked from the one that had that thread, and the blocks may be in any order: they stay.
ArenaPool::~ArenaPool() {
  if (!mutex_.try_lock()) return;
  mutex_.unlock();
  shrink();
}

Result<ArenaPool::Block> ArenaPool::acquire(uint64_t size) {
  if (size > kBytesMax) {
    return fail("a run would need a block of ", size, " bytes, expected ", kBytesMax, " at most");
  }
  const uint64_t length =
      FreeBlocks::length_for(sizeof(BlockHeader) + std::max<uint64_t>(size, 64));
  BlockHeader* header = take_free(size, length);
  if (header == nullptr) {
    void* memory = std::aligned_alloc(alignof(BlockHeader), length);
    if (memory == nullptr) return fail("a run needs ", length, " bytes; the system gives no more");
    header = new (memory) BlockHeader{nullptr, length};
    total_bytes_.fetch_add(length, std::memory_order_relaxed);
  }
  count_taken(header, size);
  return Block(*this, *header);
}

void ArenaPool::count_taken(BlockHeader* header, uint64_t size) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  header->requested = size;
  requested_.fetch_add(size, kRelaxed);
  const uint64_t in_use = in_use_.fetch_add(header->length, kRelaxed) + header->length;
  uint64_t peak = peak_.load(kRelaxed);
  while (peak < in_use && !peak_.compare_exchange_weak(peak, in_use, kRelaxed)) {
  }
}

// The smallest block that is large enough, and near to it: a small value does not hold the block of
// all activations. Null when there is none.
BlockHeader* ArenaPool::take_free(uint64_t size, uint64_t length) {
  BlockHeader* too_small = nullptr;
  {
    const std::lock_guard lock(mutex_);
    BlockHeader* const found = free_.shortest_from(length);
    if (found != nullptr && is_near(size_of(*found), size)) {
      free_.remove(found);
      return found;
    }
    too_small = free_.longest_below(length);  // the block made now takes its place
    if (too_small != nullptr) free_.remove(too_small);
  }
  if (too_small != nullptr) free_block(too_small);
  return nullptr;
}

void ArenaPool::release(BlockHeader* header) {
  requested_.fetch_sub(header->requested, std::memory_order_relaxed);
  in_use_.fetch_sub(header->length, std::memory_order_relaxed);
  if (!keeps_memory_) return free_block(header);
  const std::lock_guard lock(mutex_);
  free_.add(header);
}

void ArenaPool::free_block(BlockHeader* header) {
  total_bytes_.fetch_sub(header->length, std::memory_order_relaxed);
  std::free(header);
}

void ArenaPool::shrink() {
  BlockHeader* unused = nullptr;
  {
    const std::lock_guard lock(mutex_);
    while (!free_.is_empty()) {
      BlockHeader* const block = free_.shortest_from(0);
      free_.remove(block);
      block->next = std::exchange(unused, block);
    }
  }
  while (unused != nullptr) free_block(std::exchange(unused, unused->next));
}

uint64_t ArenaPool::total_bytes() const { return total_bytes_.load(std::memory_order_relaxed); }

ArenaUse ArenaPool::use() const {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  return {requested_.load(kRelaxed), in_use_.load(kRelaxed), peak_.load(kRelaxed), total_bytes()};
}

std::vector<Bytes> ArenaPool::unused_blocks() const {
  const std::lock_guard lock(mutex_);
  std::vector<Bytes> blocks;
  free_.for_each([&](const BlockHeader& block) {
    blocks.emplace_back(reinterpret_cast<const std::byte*>(&block), block.length);
  });
  return blocks;
}

uint64_t ArenaPool::held_bytes() const {
  const std::lock_guard lock(mutex_);
  uint64_t bytes = 0;
  free_.for_each([&](const BlockHeader& block) { bytes += size_of(block); });
  return bytes;
}

}  // namespace ortc
