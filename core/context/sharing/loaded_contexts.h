// SPDX-License-Identifier: MIT
// Context binaries that sessions have opened and checked, for later sessions of the same file
// (ep.share_ep_contexts=1): those need neither. A binary is held here until each of its graphs was
// taken once, or its path leads to another file or to none; then by its sessions alone. That is
// bookkeeping: a session that finds nothing here opens the file again, at the price of the checks.
// Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "core/context/binary_reader.h"
#include "core/platform/file_map.h"

namespace ortc {

class LoadedContexts {
 public:
  using Binary = std::shared_ptr<const ContextBinary>;

  // Null when it was not left here, or is held no more.
  Binary find(const FileIdentity& file) const;
  // What is known of the file from now on: `fresh`, or what another session was first with. `path`
  // is where it was found.
  Binary leave(const std::string& path, const FileIdentity& file, Binary fresh);
  void take(const FileIdentity& file, std::string_view graph);
  size_t held_count() const;  // binaries with graphs that no session took

 private:
  void let_go_of_replaced();

  struct Entry {
    std::string path;
    std::weak_ptr<const ContextBinary> binary;
    Binary held;                   // while there are graphs to take
    std::set<std::string> graphs;  // that no session took
  };
  mutable std::mutex mutex_;
  std::map<FileIdentity, Entry> entries_;
};

}  // namespace ortc
