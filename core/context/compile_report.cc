// SPDX-License-Identifier: MIT
// The compile report as JSON: see the header.
#include "core/context/compile_report.h"

#include <map>

namespace ortc {

int64_t CompileReport::total_ns() const {
  int64_t total = 0;
  for (const StageTime& stage : stages) total += stage.duration_ns;
  return total;
}

void CompileReport::write(JsonWriter& json) const {
  json.field("total_ms", static_cast<double>(total_ns()) / 1e6);
  json.field("loaded_from_context", loaded_from_context);
  if (!cache.result.empty()) {
    json.key("cache").begin_object().field("result", cache.result).field("key", cache.key);
    json.field("reason", cache.reason);
    json.field("compile_ms", static_cast<double>(cache.compile_ns) / 1e6).end_object();
  }
  json.key("stages").begin_array();
  for (const StageTime& stage : stages) {
    json.begin_object()
        .field("stage", stage.stage)
        .field("ms", static_cast<double>(stage.duration_ns) / 1e6)
        .end_object();
  }
  json.end_array();
  std::map<std::string, uint64_t> nodes_by_provider;
  json.key("partitions").begin_array();
  for (const PartitionReport& partition : partitions) {
    nodes_by_provider[partition.provider] += partition.node_count;
    json.begin_object().field("name", partition.name).field("provider", partition.provider);
    json.field("nodes", static_cast<uint64_t>(partition.node_count)).end_object();
  }
  json.end_array();
  if (!assignments.empty()) nodes_by_provider[default_provider] += assignments.size();
  json.key("nodes_by_provider").begin_object();
  for (const auto& [provider, count] : nodes_by_provider) json.field(provider, count);
  json.end_object();
  json.key("left_on_cpu").begin_array();
  for (const Assignment& assignment : assignments) {
    json.begin_object().field("node", assignment.node).field("op_type", assignment.op_type);
    json.field("reason", assignment.reason).end_object();
  }
  json.end_array();
  json.key("files").begin_array();
  for (const FileReport& file : files) {
    json.begin_object().field("path", file.path).field("bytes", file.bytes).end_object();
  }
  json.end_array();
  json.field("weight_bytes", weight_bytes);
}

}  // namespace ortc
