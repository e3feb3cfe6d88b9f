// SPDX-License-Identifier: MIT
// File names are made of the letters, digits, '.', '_' and '-' of the names of values.

#include "tools/ortc/output/value_reports.h"

#include <algorithm>
#include <filesystem>

#include "tools/ortc/output/console.h"
#include "tools/ortc/output/table.h"
#include "tools/ortc/values/elements.h"
#include "tools/ortc/values/statistics.h"

namespace ortc::tool {
namespace {

Json statistics_json(const NpyArray& array, ONNXTensorElementDataType type, Json result) {
  const Statistics s = statistics_of(array, type);
  if (!s.is_known) return result;
  if (s.finite_count > 0) result.set("min", s.min).set("max", s.max).set("mean", s.mean);
  return result.set("non_finite_count", uint64_t{s.non_finite_count});
}

std::string shape_text(const Json& shape) {
  std::string text;
  for (const Json& size : shape.items()) text += (text.empty() ? "" : ",") + size.text();
  return "[" + text + "]";
}

}  // namespace

ValueReports::ValueReports(const std::string& folder) : folder_(folder) {
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw failure(folder + ": " + error.message());
}

std::string ValueReports::file_name_for(const std::string& name) {
  std::string stem;
  for (char c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    stem += is_plain ? c : '_';
  }
  if (stem.empty() || stem[0] == '.' || stem[0] == '-') stem = "_" + stem;
  stem.resize(std::min<size_t>(stem.size(), 200));
  std::string file = stem;
  for (int n = 2; !taken_.insert(file).second; n++) file = stem + "_" + std::to_string(n);
  return file + ".npy";
}

Json ValueReports::add(const Port& port, const OrtValue* value) {
  Json result = Json::object().set("name", port.name);
  int is_tensor = 0, has_value = 0;
  check(OrtHasValue(value, &has_value));
  if (has_value != 0) check(OrtIsTensor(value, &is_tensor));
  if (is_tensor == 0) {
    if (has_value != 0) {
      say_line("'" + printable(port.name) + "' is not a tensor: not shown, not written");
    }
    return result.set("type", has_value != 0 ? port.type_text() : "none");
  }
  const auto info = make<ShapeInfo>(OrtGetTensorTypeAndShape, value);
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  check(OrtGetTensorElementType(info.get(), &type));
  const NpyArray array = array_from_value(value);
  Json shape = Json::array();
  for (int64_t size : array.shape) shape.push(size);
  result.set("type", element_name(type)).set("shape", shape);
  result = statistics_json(array, type, result);
  if (folder_.empty()) return result;
  const std::string path = (std::filesystem::path(folder_) / file_name_for(port.name)).string();
  write_npy(path, array);
  return result.set("file", path);
}

std::string value_table(const char* head, const Json& reports) {
  const auto rows = reports.items();
  const bool has_nodes = !rows.empty() && rows.front().has("node");
  std::vector<std::string> columns = {head, "type", "shape", "min", "max", "mean", "file"};
  if (has_nodes) columns.insert(columns.begin() + 1, {"node", "operator"});
  Table table(columns);
  std::string remarks;
  for (const Json& report : rows) {
    const auto number = [&](const char* key) {
      return report.has(key) ? number_text(report.number(key)) : std::string("-");
    };
    const std::string name = printable(report.text("name"));
    std::vector<std::string> row = {name,
                                    report.text("type"),
                                    report.has("shape") ? shape_text(report.at("shape")) : "-",
                                    number("min"),
                                    number("max"),
                                    number("mean"),
                                    report.has("file") ? report.text("file") : "-"};
    if (has_nodes) {
      row.insert(row.begin() + 1,
                 {printable(report.text("node")), printable(report.text("operator"))});
    }
    table.add(std::move(row));
    const uint64_t count = report.count("non_finite_count");
    if (count == 0) continue;
    remarks += std::string(head) + " '" + name + "' has " + count_text(count, "element") +
               " that are infinite or not a number\n";
  }
  return table.text() + remarks;
}

}  // namespace ortc::tool
