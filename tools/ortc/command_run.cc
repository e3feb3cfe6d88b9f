// SPDX-License-Identifier: MIT
// ortc run: one run of a model, its outputs as a table and as .npy files.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "tools/ortc/commands.h"
#include "tools/ortc/library/api.h"
#include "tools/ortc/library/dimensions.h"
#include "tools/ortc/library/run.h"
#include "tools/ortc/library/staleness.h"
#include "tools/ortc/output/console.h"
#include "tools/ortc/output/json.h"
#include "tools/ortc/output/table.h"
#include "tools/ortc/values/elements.h"
#include "tools/ortc/values/inputs.h"
#include "tools/ortc/values/statistics.h"

namespace ortc::tool {
namespace {

// A file name of letters, digits, '.', '_' and '-' that no other output of this run has.
std::string file_name_for(const std::string& output, std::set<std::string>& taken) {
  std::string stem;
  for (char c : output) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    stem += is_plain ? c : '_';
  }
  if (stem.empty() || stem[0] == '.' || stem[0] == '-') stem = "_" + stem;
  stem.resize(std::min<size_t>(stem.size(), 200));
  std::string name = stem;
  for (int n = 2; !taken.insert(name).second; n++) name = stem + "_" + std::to_string(n);
  return name + ".npy";
}

Json statistics_json(const NpyArray& array, ONNXTensorElementDataType type, Json result) {
  const Statistics s = statistics_of(array, type);
  if (!s.is_known) return result;
  if (s.finite_count > 0) result.set("min", s.min).set("max", s.max).set("mean", s.mean);
  return result.set("non_finite_count", uint64_t{s.non_finite_count});
}

// Describes an output, and writes it when there is a folder for it.
Json output_json(const Port& port, const OrtValue* value, const std::string& folder,
                 std::set<std::string>& taken) {
  Json result = Json::object().set("name", port.name);
  int is_tensor = 0, has_value = 0;
  check(OrtHasValue(value, &has_value));
  if (has_value != 0) check(OrtIsTensor(value, &is_tensor));
  if (is_tensor == 0) {
    if (has_value != 0) {
      say_line("output '" + printable(port.name) + "' is not a tensor: not shown, not written");
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
  if (folder.empty()) return result;
  const std::string path =
      (std::filesystem::path(folder) / file_name_for(port.name, taken)).string();
  write_npy(path, array);
  return result.set("file", path);
}

std::string shape_text(const Json& shape) {
  std::string text;
  for (const Json& size : shape.items()) text += (text.empty() ? "" : ",") + size.text();
  return "[" + text + "]";
}

void print_text(const Json& result) {
  Table table({"output", "type", "shape", "min", "max", "mean", "file"});
  bool has_non_finite = false;
  for (const Json& output : result.at("outputs").items()) {
    const auto number = [&](const char* key) {
      return output.has(key) ? number_text(output.number(key)) : std::string("-");
    };
    table.add({printable(output.text("name")), output.text("type"),
               output.has("shape") ? shape_text(output.at("shape")) : "-", number("min"),
               number("max"), number("mean"),
               output.has("file") ? output.text("file") : std::string("-")});
    has_non_finite = has_non_finite || output.count("non_finite_count") > 0;
  }
  std::fputs(table.text().c_str(), stdout);
  if (has_non_finite) {
    for (const Json& output : result.at("outputs").items()) {
      if (output.count("non_finite_count") == 0) continue;
      std::printf("output '%s' has %s that are infinite or not a number\n",
                  printable(output.text("name")).c_str(),
                  count_text(output.count("non_finite_count"), "element").c_str());
    }
  }
  std::printf("load %s, run %s\n", time_text(result.number("load_ns")).c_str(),
              time_text(result.number("run_ns")).c_str());
}

void make_folder(const std::string& folder) {
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw failure(folder + ": " + error.message());
}

}  // namespace

int command_run(const RunArguments& arguments) {
  const Env env = make_env(arguments.session.verbose);
  const SessionOptions options = make_session_options(arguments.session);
  check_dimensions(arguments.model, arguments.session.dimensions);
  const auto [session, load_ns] = load_session(env.get(), arguments.model, options.get());
  const auto inputs = make_inputs(session.get(), arguments.inputs, WhenMissing::kFail);
  const std::vector<Port> ports = session_outputs(session.get());
  make_folder(arguments.output_dir);
  Runs runs(session.get(), inputs, ports);
  const Stopwatch watch;
  const std::vector<Value> values = runs.run();
  const int64_t run_ns = watch.elapsed_ns();
  finish_profile(session.get(), arguments.session);

  Json outputs = Json::array();
  std::set<std::string> taken;
  for (size_t i = 0; i < ports.size(); i++) {
    throw_if_cancelled();
    outputs.push(output_json(ports[i], values[i].get(), arguments.output_dir, taken));
  }
  Json sources = Json::array();
  for (const Input& input : inputs) {
    sources.push(Json::object().set("name", input.name).set("source", input.source));
  }
  const Json report = session_report(session.get());
  warn_of_stale_source(arguments.model, report);
  const Json result = Json::object()
                          .set("schema", "ortc.run/1")
                          .set("model", arguments.model)
                          .set("load_ns", load_ns)
                          .set("run_ns", run_ns)
                          .set("inputs", sources)
                          .set("outputs", outputs)
                          .set("session", report);
  if (arguments.json) {
    std::printf("%s\n", result.dump().c_str());
  } else {
    print_text(result);
  }
  return kExitOk;
}

}  // namespace ortc::tool
