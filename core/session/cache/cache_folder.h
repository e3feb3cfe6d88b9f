// SPDX-License-Identifier: MIT
// Where things are in a cache folder, and nothing else:
//
//   CACHEDIR.TAG       says to backups what the folder is
//   ab/<key>/          an entry: entry, and unless nothing was to be compiled model_ctx.onnx with
//                      the files it names; it appears and goes by a rename of the folder
//   ab/<key>.gone/     an entry that is being removed
//   <key>.making/      an entry that is being made, by who holds locks/<key>; in it room, which
//                      says how much is expected of it
//   locks/<key>        see NamedLock; locks/room is held while room is made and taken
//   sources/<digits>   what was read of a source model before (source_content.h)
//
// A key is 32 hexadecimal digits. What is called otherwise is not the cache's and stays.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.h"
#include "core/base/result.h"

namespace ortc {

inline constexpr std::string_view kEntryRecordName = "entry";
inline constexpr std::string_view kEntryModelName = "model_ctx.onnx";
inline constexpr std::string_view kEntryWeightsName = "model_weights.bin";

class CacheFolder {
 public:
  explicit CacheFolder(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  // The folder itself, for writing; FAIL says why it cannot be had.
  Status make() const;
  // Whether it was made, and is not just any folder.
  bool has_tag() const;

  static std::string entry_name(const std::string& key);  // "ab/<key>"
  std::string entry_path(const std::string& key) const;
  static std::string making_name(const std::string& key);
  std::string making_path(const std::string& key) const;
  std::string lock_path(const std::string& key) const;
  std::string room_lock_path() const;
  std::string sources_path() const;

  // What is there of each kind, by key, in order; nothing of a folder that cannot be listed.
  std::vector<std::string> entries() const;
  std::vector<std::string> makings() const;
  std::vector<std::string> locks() const;
  std::vector<std::string> gone() const;  // paths beneath the folder
  std::vector<std::string> sources() const;

 private:
  std::vector<std::string> shelves() const;
  std::string path_;
};

}  // namespace ortc
