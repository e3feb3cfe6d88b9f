// SPDX-License-Identifier: MIT
// What a source model holds, its external data included, as hashes. Hashing a large model costs
// more than loading what was compiled of it, so the hashes are remembered in the cache folder
// together with the identity (device, inode, size, times of change) of each file; they are believed
// only while every identity is the same. A file that was written to within the last two seconds may
// change once more without its times telling, so nothing is remembered of it.
#pragma once

#include <string>
#include <vector>

#include "core/session/cache/cache_folder.h"
#include "core/session/making.h"
#include "core/session/model_source.h"

namespace ortc {

struct SourceContent {
  struct File {
    std::string name;  // as the model has it; "" is the model itself
    Hash128 hash;
    FileIdentity identity;  // of a file; of bytes in memory the size alone

    bool operator==(const File&) const = default;
  };
  std::vector<File> files;   // the model first
  bool is_compiled = false;  // it has EPContext nodes; then nothing was hashed
  bool may_change_unseen = false;

  uint64_t bytes() const;
};

class SourceReader {
 public:
  // All outlive the reader.
  SourceReader(const ModelSource& source, const Making& making, const CacheFolder& folder)
      : source_(source), making_(making), folder_(folder) {}

  // From what is remembered, else by reading everything. FAIL for what cannot be read, and while a
  // writer's journal stands beside the model; MODEL_LOAD_CANCELED.
  Result<SourceContent> read() const;
  // Reads everything, and remembers what it may; that this cannot be written is not a failure.
  Result<SourceContent> read_anew() const;
  // Whether the files are still those that `content` tells of.
  Result<bool> is_unchanged(const SourceContent& content) const;

 private:
  bool remembers() const { return !source_.from_memory; }
  std::string memory_name(const FileIdentity& model) const;
  std::vector<std::string> folders() const;
  std::optional<FileIdentity> identity_of(const std::string& name) const;
  std::optional<SourceContent> recall() const;
  void remember(const SourceContent& content) const;
  Result<SourceContent::File> hash_file(const std::string& name,
                                        const std::shared_ptr<const FileMap>& file) const;
  Result<Hash128> hash(Bytes bytes) const;

  const ModelSource& source_;
  const Making& making_;
  const CacheFolder& folder_;
};

}  // namespace ortc
