// SPDX-License-Identifier: MIT
// ortc summary: what a model costs, node by node.

#include <cstdio>

#include "tools/ortc/commands.h"
#include "tools/ortc/library/api.h"
#include "tools/ortc/library/inspection.h"
#include "tools/ortc/output/json.h"
#include "tools/ortc/output/table.h"

namespace ortc::tool {
namespace {

std::string operations_text(const Json& operations) {
  return operations.is_null() ? "?" : operations.text();
}

std::string summary_text(const Json& summary) {
  Table table({"node", "operator", "parameters", "weights", "outputs", "operations"});
  const auto add = [&](const std::string& name, const std::string& op, const Json& cost) {
    table.add({printable(name), printable(op), cost.text("parameters"),
               size_text(cost.count("parameter_bytes")), size_text(cost.count("output_bytes")),
               operations_text(cost.at("operations"))});
  };
  for (const Json& node : summary.at("nodes").items())
    add(node.text("node"), node.text("op"), node);
  add("all", "", summary);
  std::string text = table.text();
  const Json largest = summary.at("largest_tensors");
  Table tensors({"largest tensors", "type", "size"});
  for (const Json& tensor : largest.items()) {
    tensors.add({printable(tensor.text("name")), printable(tensor.text("type")),
                 size_text(tensor.count("bytes"))});
  }
  if (!tensors.empty()) text += "\n" + tensors.text();
  std::string assumed;
  for (const Json& name : summary.at("assumed_dimensions").items()) {
    assumed += (assumed.empty() ? "" : ", ") + printable(name.text());
  }
  if (!assumed.empty()) text += "\nsizes for one of: " + assumed + "\n";
  const uint64_t unknown = summary.count("nodes_without_operations");
  if (unknown != 0) text += "operations are not known of " + count_text(unknown, "node") + "\n";
  if (summary.has("fault")) text += "shapes as the file has them: " + summary.text("fault") + "\n";
  return text;
}

}  // namespace

int command_summary(const LookArguments& arguments) {
  const Json inspection = inspect_file(arguments.file, OrtInspectFlags_SUMMARY);
  if (!inspection.has("summary")) throw binary_error(arguments.file);
  const Json summary = inspection.at("summary");
  const Json result = Json::object()
                          .set("schema", "ortc.summary/1")
                          .set("file", arguments.file)
                          .set("summary", summary);
  const std::string text = arguments.json ? result.dump() + "\n" : summary_text(summary);
  std::fputs(text.c_str(), stdout);
  return kExitOk;
}

}  // namespace ortc::tool
