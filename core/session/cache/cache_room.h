// SPDX-License-Identifier: MIT
// What a cache takes on the disk, and how it is kept within its limit: the entries that were not
// used for the longest time go first. Room is made before it is taken: once when an entry begins to
// be made, for as much as is expected of it, and once when it is there. Both happen under one lock,
// so that two who make entries at once do not count on the same room.
#pragma once

#include <cstdint>

#include "core/platform/shared_folder/named_lock.h"
#include "core/session/cache/cache_folder.h"

namespace ortc {

struct CacheUse {
  std::string key;
  uint64_t bytes = 0;
  int64_t used_ns = 0;
};
// All entries, the one that was unused for the longest time first.
std::vector<CacheUse> cache_use(const CacheFolder& folder);

struct PruneResult {
  std::vector<CacheUse> removed;
  uint64_t kept_bytes = 0;
};

// What entries take that are being made, `key` aside.
struct MakingBytes {
  uint64_t written = 0;
  uint64_t expected = 0;  // what is written, or more if more is expected
};
MakingBytes bytes_in_making(const CacheFolder& folder, const std::string& key);

// Held while room is made and taken; null when another owner has it until the deadline.
Result<std::unique_ptr<NamedLock>> lock_room(const CacheFolder& folder, const WaitLimits& limits);
Status room_is_locked(const CacheFolder& folder);  // what is said then
// Removes entries until the others take no more than `bytes_max`. The caller has the lock.
Result<PruneResult> make_room(const CacheFolder& folder, uint64_t bytes_max);
// Makes room for the entry that the caller begins to make, whose folder is there. Where the disk
// has less than the limit allows, the disk is the limit; so it is with `bytes_max` 0. FAIL when
// others leave none, or have the lock until the deadline.
Status reserve_room(const CacheFolder& folder, const std::string& key, uint64_t bytes,
                    uint64_t bytes_max, const WaitLimits& limits);
// The same for what was made and is to be published; then the caller's folder has its entry's files
// alone. The caller has the lock.
Status make_room_for(const CacheFolder& folder, const std::string& key, uint64_t bytes_max);
void forget_reservation(const CacheFolder& folder, const std::string& key);
// What processes that ended left behind: entries that were being made or removed, and locks; and
// what was remembered of sources but not used for a month. Nothing that is in use.
void remove_leftovers(const CacheFolder& folder);
// Both, under the lock.
Result<PruneResult> prune_cache(const CacheFolder& folder, uint64_t bytes_max,
                                const WaitLimits& limits);

}  // namespace ortc
