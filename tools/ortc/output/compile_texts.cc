// SPDX-License-Identifier: MIT
// One table each.

#include "tools/ortc/output/compile_texts.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "tools/ortc/output/table.h"

namespace ortc::tool {
namespace {

constexpr size_t kMaxRows = 20;

// "m_aot.bin" for "./m_aot.bin".
std::string plain_path(const std::string& path) {
  return printable(std::filesystem::path(path).lexically_normal().string());
}

std::string providers_text(const std::vector<CompiledModel>& models) {
  std::vector<std::string> providers;  // in the order of the reports
  std::map<std::string, uint64_t> nodes, parts;
  for (const CompiledModel& model : models) {
    const Json counts = model.report.at("nodes_by_provider");
    for (const std::string& provider : counts.keys()) {
      if (nodes.count(provider) == 0) providers.push_back(provider);
      nodes[provider] += counts.count(provider);
    }
    for (const Json& part : model.report.at("partitions").items()) parts[part.text("provider")]++;
  }
  Table table({"execution provider", "nodes", "compiled parts"});
  for (const std::string& provider : providers) {
    table.add({provider, std::to_string(nodes[provider]), std::to_string(parts[provider])});
  }
  return table.empty() ? "no nodes\n" : table.text();
}

// Nodes that the compiling providers refused, each with the reason.
std::string left_text(const std::vector<CompiledModel>& models) {
  const bool is_one = models.size() == 1;
  std::vector<std::string> head = {"left to the CPU provider", "operator", "reason"};
  if (!is_one) head.insert(head.begin(), "model");
  Table table(head);
  size_t count = 0;
  for (const CompiledModel& model : models) {
    for (const Json& left : model.report.at("left_on_cpu").items()) {
      if (count++ >= kMaxRows) continue;
      const std::string node = left.text("node");
      std::vector<std::string> row = {node.empty() ? "(no name)" : printable(node),
                                      printable(left.text("op_type")),
                                      printable(left.text("reason"))};
      if (!is_one) row.insert(row.begin(), printable(model.name));
      table.add(row);
    }
  }
  if (table.empty()) return "";
  std::string text = "\n" + table.text();
  if (count > kMaxRows) {
    text += "and " + count_text(count - kMaxRows, "more node") + "; --json lists all\n";
  }
  return text;
}

std::string times_text(const std::vector<CompiledModel>& models) {
  std::vector<std::pair<std::string, double>> times;  // in the order of the stages
  double all = 0;
  for (const CompiledModel& model : models) {
    for (const Json& stage : model.report.at("stages").items()) {
      const std::string name = stage.text("stage");
      auto row = std::find_if(times.begin(), times.end(),
                              [&](const auto& known) { return known.first == name; });
      if (row == times.end()) row = times.insert(times.end(), {name, 0});
      row->second += stage.number("ms");
    }
    all += model.report.number("total_ms");
  }
  Table table({"stage", "time"});
  for (const auto& [stage, ms] : times) table.add({stage, time_text(ms * 1e6)});
  table.add({"all", time_text(all * 1e6)});
  return table.text();
}

}  // namespace

std::string files_text(const Json& files) {
  Table table({"file", "size"});
  for (const Json& file : files.items()) {
    table.add({plain_path(file.text("path")), size_text(file.count("bytes"))});
  }
  return table.empty() ? "no files written\n" : table.text();
}

std::string work_text(const std::vector<CompiledModel>& models) {
  return "\n" + providers_text(models) + left_text(models) + "\n" + times_text(models);
}

std::string shared_text(const Json& group) {
  const uint64_t all = group.count("tensor_bytes"), stored = group.count("stored_tensor_bytes");
  if (all == 0) return "";
  const bool is_there = group.text("state") == "published";
  return "\ntensors of " + size_text(all) + (is_there ? " are" : " would be") + " stored in " +
         size_text(stored) + "\n";
}

}  // namespace ortc::tool
