// SPDX-License-Identifier: MIT
// Binaries that are open already: see the header.
#include "core/context/sharing/loaded_contexts.h"

#include <utility>
#include <vector>

#include "core/platform/shared_folder/file_stamp.h"

namespace ortc {

LoadedContexts::Binary LoadedContexts::find(const FileIdentity& file) const {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(file);
  return entry == entries_.end() ? nullptr : entry->second.binary.lock();
}

// Nobody takes what is left of those. Looked for when another one comes: that is when they would
// become many.
void LoadedContexts::let_go_of_replaced() {
  std::vector<std::pair<FileIdentity, std::string>> held;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [file, entry] : entries_) {
      if (entry.held != nullptr) held.emplace_back(file, entry.path);
    }
  }
  for (const auto& [file, path] : held) {
    if (identity_at(path) == file) continue;
    Binary let_go;  // behind the lock
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(file);
    if (entry != entries_.end()) let_go = std::move(entry->second.held);
  }
}

LoadedContexts::Binary LoadedContexts::leave(const std::string& path, const FileIdentity& file,
                                             Binary fresh) {
  let_go_of_replaced();
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [](const auto& entry) { return entry.second.binary.expired(); });
  Entry& entry = entries_[file];
  if (Binary known = entry.binary.lock()) return known;
  entry.path = path;
  entry.binary = fresh;
  const auto names = fresh->graph_names();
  entry.graphs = {names.begin(), names.end()};
  if (!entry.graphs.empty()) entry.held = fresh;
  return fresh;
}

void LoadedContexts::take(const FileIdentity& file, std::string_view graph) {
  Binary let_go;  // behind the lock
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(file);
  if (entry == entries_.end()) return;
  entry->second.graphs.erase(std::string(graph));
  if (entry->second.graphs.empty()) let_go = std::move(entry->second.held);
}

size_t LoadedContexts::held_count() const {
  const std::lock_guard lock(mutex_);
  size_t count = 0;
  for (const auto& [file, entry] : entries_) count += entry.held != nullptr ? 1 : 0;
  return count;
}

}  // namespace ortc
