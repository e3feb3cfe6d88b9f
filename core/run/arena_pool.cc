// SPDX-License-Identifier: MIT
// The pool of blocks: see the header.
#include "core/run/arena_pool.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "core/base/checked_math.h"

namespace ortc {

// As long as the alignment of the bytes behind it.
struct alignas(64) ArenaPool::Header {
  Header* next;   // in the list of free blocks
  uint64_t size;  // of the bytes behind
  uint64_t requested = 0;
};

namespace {

// Whether a block is not so large that somebody else will miss it.
bool is_near(uint64_t block, uint64_t wanted) {
  constexpr uint64_t kSmall = 64 * 1024, kTimes = 16;
  return block <= kSmall || block / kTimes <= wanted;
}

}  // namespace

std::byte* ArenaPool::Block::data() const {
  return header_ != nullptr ? reinterpret_cast<std::byte*>(header_ + 1) : nullptr;
}

uint64_t ArenaPool::Block::size() const { return header_ != nullptr ? header_->size : 0; }

ArenaPool::~ArenaPool() { free_all(free_); }

Result<ArenaPool::Block> ArenaPool::acquire(uint64_t size) {
  if (size > kBytesMax) {
    return fail("a run would need a block of ", size, " bytes, expected ", kBytesMax, " at most");
  }
  Header* header = take_free(size);
  if (header == nullptr) {
    const uint64_t bytes = align_up(sizeof(Header) + std::max<uint64_t>(size, 64), 4096);
    void* memory = std::aligned_alloc(alignof(Header), bytes);
    if (memory == nullptr) return fail("a run needs ", bytes, " bytes; the system gives no more");
    header = new (memory) Header{nullptr, bytes - sizeof(Header), 0};
    total_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }
  count_taken(header, size);
  return Block(*this, *header);
}

void ArenaPool::count_taken(Header* header, uint64_t size) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  header->requested = size;
  requested_.fetch_add(size, kRelaxed);
  const uint64_t bytes = sizeof(Header) + header->size;
  const uint64_t in_use = in_use_.fetch_add(bytes, kRelaxed) + bytes;
  uint64_t peak = peak_.load(kRelaxed);
  while (peak < in_use && !peak_.compare_exchange_weak(peak, in_use, kRelaxed)) {
  }
}

// The smallest block that is large enough, and near to it: a small value does not hold the block of
// all activations. Null when there is none.
ArenaPool::Header* ArenaPool::take_free(uint64_t size) {
  Header* found = nullptr;
  Header* too_small = nullptr;
  {
    const std::lock_guard lock(mutex_);
    Header **best = nullptr, **smaller = nullptr;
    for (Header** at = &free_; *at != nullptr; at = &(*at)->next) {
      if ((*at)->size < size && smaller == nullptr) smaller = at;
      if ((*at)->size >= size && (best == nullptr || (*at)->size < (*best)->size)) best = at;
    }
    if (best != nullptr && is_near((*best)->size, size)) {
      found = *best;
      *best = found->next;
    } else if (smaller != nullptr) {  // the block made now takes its place
      too_small = *smaller;
      *smaller = too_small->next;
    }
  }
  if (too_small != nullptr) free_block(too_small);
  return found;
}

void ArenaPool::release(Header* header) {
  requested_.fetch_sub(header->requested, std::memory_order_relaxed);
  in_use_.fetch_sub(sizeof(Header) + header->size, std::memory_order_relaxed);
  if (!keeps_memory_) return free_block(header);
  const std::lock_guard lock(mutex_);
  header->next = free_;
  free_ = header;
}

void ArenaPool::free_block(Header* header) {
  total_bytes_.fetch_sub(sizeof(Header) + header->size, std::memory_order_relaxed);
  std::free(header);
}

void ArenaPool::free_all(Header* first) {
  while (first != nullptr) free_block(std::exchange(first, first->next));
}

void ArenaPool::shrink() {
  Header* unused;
  {
    const std::lock_guard lock(mutex_);
    unused = std::exchange(free_, nullptr);
  }
  free_all(unused);
}

uint64_t ArenaPool::total_bytes() const { return total_bytes_.load(std::memory_order_relaxed); }

ArenaUse ArenaPool::use() const {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  return {requested_.load(kRelaxed), in_use_.load(kRelaxed), peak_.load(kRelaxed), total_bytes()};
}

std::vector<Bytes> ArenaPool::unused_blocks() const {
  const std::lock_guard lock(mutex_);
  std::vector<Bytes> blocks;
  for (const Header* block = free_; block != nullptr; block = block->next) {
    blocks.emplace_back(reinterpret_cast<const std::byte*>(block), sizeof(Header) + block->size);
  }
  return blocks;
}

uint64_t ArenaPool::held_bytes() const {
  const std::lock_guard lock(mutex_);
  uint64_t bytes = 0;
  for (const Header* block = free_; block != nullptr; block = block->next) bytes += block->size;
  return bytes;
}

}  // namespace ortc
