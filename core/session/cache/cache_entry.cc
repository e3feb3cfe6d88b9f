// SPDX-License-Identifier: MIT
// Entries of a cache: see the header.
#include "core/session/cache/cache_entry.h"

#include <charconv>

#include "core/base/version.h"
#include "core/platform/clock.h"
#include "core/platform/folder.h"
#include "core/platform/held_file.h"
#include "core/platform/path.h"
#include "core/platform/shared_folder/file_stamp.h"
#include "core/platform/shared_folder/folder_tree.h"
#include "core/platform/staged_write.h"

namespace ortc {
namespace {

constexpr std::string_view kEntryRecord = "ortc.cache.entry/1";
constexpr std::string_view kFileBegin = "file ", kPartBegin = "key ";
constexpr int64_t kStampNs = int64_t{3600} * 1000 * 1000 * 1000;

std::string check_size(const std::string& path, std::string_view name, std::string_view text) {
  uint64_t expected = 0;
  std::from_chars(text.data(), text.data() + text.size(), expected);
  const auto found = identity_at(path);
  if (!found) return str_cat("its file '", name, "' is missing");
  if (found->size == expected) return {};
  return str_cat("its file '", name, "' has ", found->size, " bytes, expected ", expected);
}

}  // namespace

CacheEntry CacheEntry::look(const CacheFolder& folder, const std::string& key) {
  CacheEntry entry;
  const std::string path = folder.entry_path(key);
  entry.record_path = path_join(path, kEntryRecordName);
  // The folder first: an entry appears whole, so that where its folder is seen its record is there.
  if (!path_is_directory(path)) return entry;
  entry.state = State::kDamaged;
  entry.damage = "its record is missing or damaged";
  entry.identity = identity_at(entry.record_path);
  if (!entry.identity) return entry;
  auto record = try_read_record(entry.record_path, kEntryRecord);
  if (!record.is_ok()) {
    entry.state = State::kUnreadable;
    entry.damage = record.status().message();
    return entry;
  }
  if (!*record) return entry;
  entry.record = std::move(**record);
  for (const auto& [field, value] : entry.record) {
    if (!field.starts_with(kFileBegin)) continue;
    const std::string name = field.substr(kFileBegin.size());
    const std::string file_path = path_join(path, name);
    entry.damage = check_size(file_path, name, value);
    if (!entry.damage.empty()) return entry;
    if (name == kEntryModelName) entry.model_path = file_path;
  }
  entry.state = State::kWhole;
  entry.damage.clear();
  return entry;
}

// A session holds fewer descriptors at a time.
Status CacheEntry::check_openable() const {
  std::vector<HeldFile> held;
  for (const auto& [field, value] : record) {
    if (!field.starts_with(kFileBegin)) continue;
    ASSIGN_OR_RETURN(HeldFile file, HeldFile::open(path_join(path_folder(model_path),
                                                             field.substr(kFileBegin.size()))));
    RETURN_IF_ERROR(file.map(Access::kMap).status());
    held.push_back(std::move(file));
  }
  constexpr int kFolders = 3;  // the model's, twice, and that of the settings
  std::vector<std::shared_ptr<const Folder>> folders;
  for (int i = 0; i < kFolders; ++i) {
    ASSIGN_OR_RETURN(folders.emplace_back(), Folder::open(path_folder(model_path)));
  }
  return Status::ok();
}

void CacheEntry::mark_used() const {
  if (identity && wall_clock_ns() - identity->modified_ns > kStampNs) renew_stamp(record_path);
}

Status write_entry_record(const std::string& path, const CacheKey& key,
                          const std::string& source_name) {
  RecordFields fields;
  fields.emplace_back("source", source_name);
  fields.emplace_back("library", kLibraryVersion);
  fields.emplace_back("created_ms", str_cat(wall_clock_ns() / 1000000));
  ASSIGN_OR_RETURN(const auto names, list_folder(path));
  for (const std::string& name : names) {
    const auto identity = identity_at(path_join(path, name));
    if (!identity) return fail("cannot examine '", path_join(path, name), "'");
    fields.emplace_back(str_cat(kFileBegin, name), str_cat(identity->size));
  }
  for (const auto& [name, value] : key.parts) {
    fields.emplace_back(str_cat(kPartBegin, name), value);
  }
  return write_record(path, std::string(kEntryRecordName), kEntryRecord, fields);
}

RecordFields key_parts_of(const CacheEntry& entry) {
  RecordFields parts;
  for (const auto& [name, value] : entry.record) {
    if (name.starts_with(kPartBegin)) parts.emplace_back(name.substr(kPartBegin.size()), value);
  }
  return parts;
}

Status remove_entry(const CacheFolder& folder, const std::string& key) {
  const std::string path = folder.entry_path(key);
  if (!path_is_directory(path)) return Status::ok();
  const std::string gone = key + ".gone";
  const std::string gone_path = path_join(path_folder(path), gone);
  RETURN_IF_ERROR(remove_tree(gone_path));
  const Status renamed = rename_in_folder(path_folder(path), key, gone);
  if (!renamed.is_ok()) return path_is_directory(path) ? renamed : Status::ok();
  return remove_tree(gone_path);
}

}  // namespace ortc
