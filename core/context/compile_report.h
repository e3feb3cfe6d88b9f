// SPDX-License-Identifier: MIT
// What happened while a session was made or a model compiled: times, nodes, files.
#pragma once

#include <string>
#include <vector>

#include "core/base/json_writer.h"
#include "core/partition/partitioner.h"

namespace ortc {

struct StageTime {
  std::string stage;  // "load", "optimise", "partition", "compile", "write", "lower"
  int64_t duration_ns = 0;
};

struct PartitionReport {
  std::string name, provider;
  size_t node_count = 0;
};

struct FileReport {
  std::string path;
  uint64_t bytes = 0;
};

// What became of ep.context_cache_dir.
struct CacheReport {
  // "hit", "made", "waited" (for another that made it), "bypassed"; "": no cache.
  std::string result;
  std::string key;     // 32 hexadecimal digits; "" when it was not asked
  std::string reason;  // of "bypassed"; of "made", when nothing was kept or an entry was damaged
  int64_t compile_ns = 0;  // of "made"
};

struct CompileReport {
  std::vector<StageTime> stages;
  std::vector<PartitionReport> partitions;
  std::vector<Assignment> assignments;  // nodes that are left to the default provider, and why
  std::string default_provider;         // its name
  std::vector<FileReport> files;        // written
  uint64_t weight_bytes = 0;            // of all constants in plans
  bool loaded_from_context = false;
  CacheReport cache;

  int64_t total_ns() const;
  void write(JsonWriter& json) const;  // fields of an open object
};

}  // namespace ortc
