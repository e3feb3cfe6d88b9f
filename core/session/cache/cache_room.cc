// SPDX-License-Identifier: MIT
// Room in a cache: see the header.
#include "core/session/cache/cache_room.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/platform/clock.h"
#include "core/platform/path.h"
#include "core/platform/shared_folder/file_stamp.h"
#include "core/platform/shared_folder/folder_tree.h"
#include "core/platform/staged_write.h"
#include "core/session/cache/cache_entry.h"
#include "core/session/cache/record_text.h"

namespace ortc {
namespace {

constexpr int64_t kMonthNs = int64_t{30} * 24 * 3600 * 1000 * 1000 * 1000;
constexpr std::string_view kReservationKind = "ortc.cache.room/1";
constexpr std::string_view kReservationName = "room";

uint64_t minus(uint64_t from, uint64_t bytes) { return from > bytes ? from - bytes : 0; }

}  // namespace

std::vector<CacheUse> cache_use(const CacheFolder& folder) {
  std::vector<CacheUse> all;
  for (const std::string& key : folder.entries()) {
    const std::string path = folder.entry_path(key);
    const auto stamp = identity_at(path_join(path, kEntryRecordName));
    // One without a record is damaged: it may go first.
    all.push_back({key, tree_bytes(path), stamp ? stamp->modified_ns : 0});
  }
  std::sort(all.begin(), all.end(), [](const CacheUse& a, const CacheUse& b) {
    return std::tie(a.used_ns, a.key) < std::tie(b.used_ns, b.key);
  });
  return all;
}

Result<std::unique_ptr<NamedLock>> lock_room(const CacheFolder& folder, const WaitLimits& limits) {
  return NamedLock::acquire(folder.room_lock_path(), limits);
}

Status room_is_locked(const CacheFolder& folder) {
  return fail("another process keeps '", folder.room_lock_path(), "' locked");
}

Result<PruneResult> make_room(const CacheFolder& folder, uint64_t bytes_max) {
  PruneResult result;
  const std::vector<CacheUse> all = cache_use(folder);
  for (const CacheUse& use : all) result.kept_bytes += use.bytes;
  for (const CacheUse& use : all) {
    if (result.kept_bytes <= bytes_max) break;
    RETURN_IF_ERROR(remove_entry(folder, use.key));
    result.kept_bytes -= use.bytes;
    result.removed.push_back(use);
  }
  return result;
}

MakingBytes bytes_in_making(const CacheFolder& folder, const std::string& key) {
  MakingBytes total;
  for (const std::string& other : folder.makings()) {
    if (other == key) continue;
    const std::string path = folder.making_path(other);
    const auto expected = read_record(path_join(path, kReservationName), kReservationKind);
    const uint64_t written = tree_bytes(path);
    total.written += written;
    total.expected += std::max(written, expected ? number_field(*expected, "bytes") : 0);
  }
  return total;
}

Status reserve_room(const CacheFolder& folder, const std::string& key, uint64_t bytes,
                    uint64_t bytes_max, const WaitLimits& limits) {
  ASSIGN_OR_RETURN(const auto lock, lock_room(folder, limits));
  if (lock == nullptr) return room_is_locked(folder);
  remove_leftovers(folder);
  const MakingBytes others = bytes_in_making(folder, key);
  uint64_t on_disk = others.written;
  for (const CacheUse& use : cache_use(folder)) on_disk += use.bytes;
  const uint64_t disk_max = checked_add(on_disk, free_bytes(folder.path())).value_or(UINT64_MAX);
  const uint64_t most = std::min(disk_max, bytes_max != 0 ? bytes_max : UINT64_MAX);
  if (bytes > minus(most, others.expected)) {
    return fail("about ", bytes, " bytes are needed, and ",
                most == disk_max ? "the disk has room for " : "ep.context_cache_max_bytes is ",
                most, ", of which others take ", others.expected);
  }
  RETURN_IF_ERROR(make_room(folder, most - others.expected - bytes).status());
  return write_record(folder.making_path(key), std::string(kReservationName), kReservationKind,
                      {{"bytes", str_cat(bytes)}});
}

Status make_room_for(const CacheFolder& folder, const std::string& key, uint64_t bytes_max) {
  if (bytes_max == 0) return Status::ok();
  const uint64_t bytes = tree_bytes(folder.making_path(key));
  if (bytes > bytes_max) {
    return fail("it takes ", bytes, " bytes, ep.context_cache_max_bytes is ", bytes_max);
  }
  const MakingBytes others = bytes_in_making(folder, key);
  return make_room(folder, minus(bytes_max, others.expected + bytes)).status();
}

void forget_reservation(const CacheFolder& folder, const std::string& key) {
  (void)remove_in_folder(folder.making_path(key), std::string(kReservationName));
}

void remove_leftovers(const CacheFolder& folder) {
  // What cannot be removed is no worse than before.
  for (const std::string& name : folder.gone()) (void)remove_tree(path_join(folder.path(), name));
  for (const std::string& key : folder.makings()) {
    const auto lock = NamedLock::try_acquire(folder.lock_path(key));
    if (!lock.is_ok() || *lock == nullptr) continue;
    (void)remove_tree(folder.making_path(key));
    (*lock)->remove_file();
  }
  for (const std::string& key : folder.locks()) {
    const auto lock = NamedLock::try_acquire(folder.lock_path(key));
    if (lock.is_ok() && *lock != nullptr) (*lock)->remove_file();
  }
  const int64_t oldest_ns = wall_clock_ns() - kMonthNs;
  for (const std::string& name : folder.sources()) {
    const auto identity = identity_at(path_join(folder.sources_path(), name));
    if (!identity || identity->modified_ns > oldest_ns) continue;
    (void)remove_in_folder(folder.sources_path(), name);
  }
}

Result<PruneResult> prune_cache(const CacheFolder& folder, uint64_t bytes_max,
                                const WaitLimits& limits) {
  ASSIGN_OR_RETURN(const auto lock, lock_room(folder, limits));
  if (lock == nullptr) return fail("cannot prune '", folder.path(), "': another process does");
  remove_leftovers(folder);
  return make_room(folder, bytes_max);
}

}  // namespace ortc
