// SPDX-License-Identifier: MIT
// Memory for the activations of runs, kept for the next run. Thread-safe.
//
//   ASSIGN_OR_RETURN(ArenaPool::Block block, pool.acquire(bytes));
//   ... block.data() ...            // not zeroed; goes back to the pool when `block` ends
//
// Giving back allocates nothing and cannot fail; like taking, it costs the same however many blocks
// there are.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/result.h"
#include "core/run/free_blocks.h"

namespace ortc {

// What runs have of a pool, in bytes.
struct ArenaUse {
  uint64_t requested = 0;  // by runs under way
  uint64_t in_use = 0;     // the same, with what stands around it
  uint64_t peak = 0;       // the most that was in use at once
  uint64_t held = 0;       // in use or kept for the next run
};

class ArenaPool {
 public:
  // No real run needs more; a miscomputed size does.
  static constexpr uint64_t kBytesMax = uint64_t{1} << 46;

  class Block {
   public:
    Block() = default;
    Block(Block&& other) noexcept
        : pool_(other.pool_), header_(std::exchange(other.header_, nullptr)) {}
    Block& operator=(Block&& other) noexcept {
      std::swap(pool_, other.pool_);
      std::swap(header_, other.header_);
      return *this;
    }
    ~Block() {
      if (header_ != nullptr) pool_->release(header_);
    }
    std::byte* data() const;  // 64 B-aligned; null for no block
    uint64_t size() const;    // at least what was asked for

   private:
    friend class ArenaPool;
    Block(ArenaPool& pool, BlockHeader& header) : pool_(&pool), header_(&header) {}
    ArenaPool* pool_ = nullptr;
    BlockHeader* header_ = nullptr;
  };

  // `keeps_memory` false: what a run has used goes back to the system at once.
  explicit ArenaPool(bool keeps_memory = true) : keeps_memory_(keeps_memory) {}
  ~ArenaPool();  // all blocks are back
  ArenaPool(const ArenaPool&) = delete;
  ArenaPool& operator=(const ArenaPool&) = delete;

  // FAIL when `size` is beyond kBytesMax or the system has not that much.
  Result<Block> acquire(uint64_t size);
  void shrink();                 // gives back what no run uses now
  uint64_t held_bytes() const;   // unused now
  uint64_t total_bytes() const;  // in use or not
  ArenaUse use() const;
  // Where the unused ones lie; any run may take one the next moment.
  std::vector<Bytes> unused_blocks() const;

 private:
  BlockHeader* take_free(uint64_t size, uint64_t length);
  void count_taken(BlockHeader* header, uint64_t size);
  void release(BlockHeader* header);
  void free_block(BlockHeader* header);

  const bool keeps_memory_;
  mutable std::mutex mutex_;
  FreeBlocks free_;
  std::atomic<uint64_t> total_bytes_{0}, requested_{0}, in_use_{0}, peak_{0};
};

}  // namespace ortc
