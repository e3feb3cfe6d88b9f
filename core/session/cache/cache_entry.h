// SPDX-License-Identifier: MIT
// One entry of a cache: a compiled model with its files, and a record of what it was made of. Never
// changed after it appeared. Where nothing of a model was to be compiled there is the record alone,
// so that it is not tried again.
#pragma once

#include <optional>

#include "core/platform/file_map.h"
#include "core/session/cache/cache_folder.h"
#include "core/session/cache/cache_key.h"

namespace ortc {

struct CacheEntry {
  // Unreadable: this process could not look, for want of memory or descriptors, say.
  enum class State { kMissing, kWhole, kDamaged, kUnreadable };
  State state = State::kMissing;
  std::string damage;  // or why it is unreadable
  RecordFields record;
  std::string model_path;                // "": nothing was to be compiled
  std::optional<FileIdentity> identity;  // of the record that was read, if there is one

  // Reads the record, and looks whether the files have the sizes that it names.
  static CacheEntry look(const CacheFolder& folder, const std::string& key);

  bool is_empty() const { return state == State::kWhole && model_path.empty(); }
  // Whether this process can open its files now. NO_SUCHFILE when one is gone.
  Status check_openable() const;
  // For the order in which entries go; at most once an hour, as it is a write.
  void mark_used() const;

  std::string record_path;
};

// Writes the record of the entry that stands in `path`.
Status write_entry_record(const std::string& path, const CacheKey& key,
                          const std::string& source_name);
// The parts of the key that an entry was made by.
RecordFields key_parts_of(const CacheEntry& entry);
// At once for those that look; those that have its files open keep them.
Status remove_entry(const CacheFolder& folder, const std::string& key);

}  // namespace ortc
