// SPDX-License-Identifier: MIT
// An arena: blocks cut from regions that come from the system and stay until shrink() or the end.
// Free neighbours join again. Blocks are aligned to 64 bytes. Thread-safe.
//
// What books a block needs to come back is made when it is given out, so that release() and
// shrink() allocate nothing. Functions that give blocks may throw bad_alloc and then change
// nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>

namespace ortc {

class MemoryArena {
 public:
  struct Config {
    uint64_t bytes_max = 0;           // of all regions; 0: no limit
    bool grows_as_requested = false;  // else each region is twice as large as the last
    uint64_t first_region_bytes = 1 << 20;
    uint64_t dead_bytes_max = 128 << 20;  // a block may be so much larger than asked for
    uint64_t region_bytes_max = 1 << 30;  // where doubling ends
  };
  struct Stats {
    uint64_t limit = 0, in_use = 0, total = 0, in_use_max = 0, block_max = 0;
    uint64_t allocations = 0, reserves = 0, extensions = 0, shrinkages = 0;
  };

  explicit MemoryArena(const Config& config) : config_(config) {}
  ~MemoryArena();  // blocks that are still out end here
  MemoryArena(const MemoryArena&) = delete;
  MemoryArena& operator=(const MemoryArena&) = delete;

  void* allocate(uint64_t size);  // null when memory is short or the limit is reached
  // A block with a region of its own, for what stays long.
  void* reserve(uint64_t size);
  void release(void* block);  // null and blocks of others are ignored
  void shrink();              // regions without blocks go back to the system
  Stats stats() const;

 private:
  using FreeList = std::set<std::pair<uint64_t, std::byte*>>;  // by size
  struct Chunk {
    uint64_t size = 0;
    bool is_used = false;
    std::byte* region = nullptr;
    FreeList::node_type entry;  // in the list of free chunks, while the chunk is not in it
  };
  using Chunks = std::map<std::byte*, Chunk>;  // by place; all regions

  Chunks::iterator add_region(uint64_t size);
  bool extend(uint64_t size);
  void* take(Chunks::iterator chunk, uint64_t size);
  void note_use(uint64_t size);
  void list_as_free(Chunks::iterator chunk);
  void take_off_list(Chunks::iterator chunk);
  bool are_free_neighbours(Chunks::iterator chunk, Chunks::iterator next) const;
  void join(Chunks::iterator chunk, Chunks::iterator next);

  const Config config_;
  mutable std::mutex mutex_;
  Chunks chunks_;
  FreeList free_;
  std::map<std::byte*, uint64_t> regions_;  // with sizes
  uint64_t next_region_bytes_ = 0;
  Stats stats_;
};

}  // namespace ortc
