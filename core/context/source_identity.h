// SPDX-License-Identifier: MIT
// What a compiled model remembers of its source, so that it can be told that the source has changed
// since. No times: the same source gives the same bytes wherever and whenever it is compiled.
//
// metadata_props "ortc.source.{name,size,hash,external_data_size}".
#pragma once

#include <optional>
#include <string>

#include "core/base/hash.h"
#include "core/graph/model.h"
#include "core/platform/file_map.h"

namespace ortc {

struct SourceIdentity {
  std::string name;                 // of the file, without its folder; "" for a model from memory
  uint64_t size = 0;                // of the model's bytes
  Hash128 hash;                     // of the same; xxhsum -H2 shows it
  uint64_t external_data_size = 0;  // of the files that it refers to, each once; not read

  // NO_SUCHFILE and the like when the model cannot be read. `external_folder`: where its external
  // data are when that is not the model's own folder.
  static Result<SourceIdentity> of_file(const std::string& path,
                                        const std::string& external_folder = {});
  // The same of what is open already.
  static SourceIdentity of_map(const FileMap& map, const std::string& path,
                               const std::string& external_folder);
  // The same without the hash, which takes all of the model's bytes.
  static Result<SourceIdentity> sizes_of_file(const std::string& path);
  static SourceIdentity of_bytes(Bytes model, const std::string& external_folder);

  // Nothing when there is none, or a damaged one.
  static std::optional<SourceIdentity> read(const Model& model);
  void write_to(Model& model) const;
  static void remove_from(Model& model);

  // What is different now, for people; "" when nothing is. Names do not count.
  std::string difference(const SourceIdentity& now) const;
  // The same of sizes alone.
  std::string size_difference(const SourceIdentity& now) const;
};

}  // namespace ortc
