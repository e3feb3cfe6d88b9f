// SPDX-License-Identifier: MIT
// The layout of a cache folder: see the header.
#include "core/session/cache/cache_folder.h"

#include <algorithm>

#include "core/platform/path.h"
#include "core/platform/shared_folder/folder_tree.h"
#include "core/platform/staged_write.h"

namespace ortc {
namespace {

constexpr std::string_view kMakingEnd = ".making";
constexpr std::string_view kGoneEnd = ".gone";
constexpr size_t kShelfDigits = 2;
constexpr std::string_view kTagName = "CACHEDIR.TAG";
// The first line is what backup programs look for.
constexpr std::string_view kTagText =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# Compiled models, kept by ortc. They are made again when they are missing.\n";

bool is_hex(std::string_view text, size_t size) {
  return text.size() == size &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_key(std::string_view text) { return is_hex(text, 32); }

std::vector<std::string> names_in(const std::string& folder) {
  auto names = list_folder(folder);
  return names.is_ok() ? std::move(names).value() : std::vector<std::string>();
}

std::vector<std::string> keys_in(const std::string& folder, std::string_view end) {
  std::vector<std::string> keys;
  for (const std::string& name : names_in(folder)) {
    if (!name.ends_with(end)) continue;
    std::string key = name.substr(0, name.size() - end.size());
    if (is_key(key)) keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace

Status CacheFolder::make() const {
  RETURN_IF_ERROR(make_folders(path_));
  RETURN_IF_ERROR(make_folders(path_join(path_, "locks")));
  RETURN_IF_ERROR(make_folders(sources_path()));
  if (has_tag()) return Status::ok();
  ASSIGN_OR_RETURN(const auto tag, StagedFile::create(path_, std::string(kTagName)));
  RETURN_IF_ERROR(tag->write(as_bytes(kTagText)));
  RETURN_IF_ERROR(tag->sync_and_close());
  return rename_to_free_name(path_, tag->staged_name(), std::string(kTagName)).status();
}

bool CacheFolder::has_tag() const { return path_exists(path_join(path_, kTagName)); }

std::string CacheFolder::entry_name(const std::string& key) {
  return str_cat(std::string_view(key).substr(0, kShelfDigits), "/", key);
}
std::string CacheFolder::entry_path(const std::string& key) const {
  return path_join(path_, entry_name(key));
}
std::string CacheFolder::making_name(const std::string& key) { return str_cat(key, kMakingEnd); }
std::string CacheFolder::making_path(const std::string& key) const {
  return path_join(path_, making_name(key));
}
std::string CacheFolder::lock_path(const std::string& key) const {
  return path_join(path_, str_cat("locks/", key));
}
std::string CacheFolder::room_lock_path() const { return path_join(path_, "locks/room"); }
std::string CacheFolder::sources_path() const { return path_join(path_, "sources"); }

std::vector<std::string> CacheFolder::shelves() const {
  std::vector<std::string> names = names_in(path_);
  std::erase_if(names, [](const std::string& name) { return !is_hex(name, kShelfDigits); });
  return names;
}

std::vector<std::string> CacheFolder::entries() const {
  std::vector<std::string> all;
  for (const std::string& shelf : shelves()) {
    for (std::string& key : keys_in(path_join(path_, shelf), "")) {
      if (key.starts_with(shelf)) all.push_back(std::move(key));
    }
  }
  return all;
}

std::vector<std::string> CacheFolder::gone() const {
  std::vector<std::string> all;
  for (const std::string& shelf : shelves()) {
    for (const std::string& key : keys_in(path_join(path_, shelf), kGoneEnd)) {
      all.push_back(str_cat(shelf, "/", key, kGoneEnd));
    }
  }
  return all;
}

std::vector<std::string> CacheFolder::makings() const { return keys_in(path_, kMakingEnd); }
std::vector<std::string> CacheFolder::locks() const {
  return keys_in(path_join(path_, "locks"), "");
}
std::vector<std::string> CacheFolder::sources() const { return names_in(sources_path()); }

}  // namespace ortc
