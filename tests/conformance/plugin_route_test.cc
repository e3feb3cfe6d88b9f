// SPDX-License-Identifier: MIT
// ONNX's packaged cases once more, through a library's provider that claims every node it is shown
// and computes each with this library's own operators: as many must pass as with the CPU provider
// alone. Which nodes it has to leave, and why, is unclaimed.txt; the list only shrinks.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>

#include "core/api/value/value_handle.h"
#include "core/graph/model.h"
#include "core/ops/op_list.h"
#include "ort_c/ort_c.h"
#include "tests/conformance/runner.h"
#include "tests/conformance/workers.h"
#include "tests/support/test.h"

namespace ortc::test {
namespace {

constexpr char kEp[] = "ClaimAllEp";

// What C gave, as a status.
Status taken(OrtStatus* given) {
  if (given == nullptr) return Status::ok();
  Status status = make_status(static_cast<Code>(OrtGetErrorCode(given)), OrtGetErrorMessage(given));
  OrtReleaseStatus(given);
  return status;
}

std::string operators() {
  std::set<std::string> names;
  for (const OpRow& row : op_rows()) names.insert(str_cat(row.domain, ":", row.name));
  std::string list;
  for (const std::string& name : names) list += str_cat(list.empty() ? "" : ",", name);
  return list;
}

struct Session {
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    OrtReleaseSession(session);
    OrtReleaseSessionOptions(options);
    OrtReleaseEnv(env);
  }
  Status open(const std::string& path, bool with_library) {
    RETURN_IF_ERROR(taken(OrtCreateEnv(ORT_LOGGING_LEVEL_FATAL, "route", &env)));
    RETURN_IF_ERROR(taken(OrtCreateSessionOptions(&options)));
    if (with_library) RETURN_IF_ERROR(choose_library());
    return taken(OrtCreateSession(env, path.c_str(), options, &session));
  }

  OrtEnv* env = nullptr;
  OrtSessionOptions* options = nullptr;
  OrtSession* session = nullptr;

 private:
  Status choose_library() {
    RETURN_IF_ERROR(
        taken(OrtRegisterExecutionProviderLibrary(env, "claim_all", ORTC_CLAIM_ALL_LIBRARY)));
    const OrtEpDevice* const* devices = nullptr;
    size_t count = 0;
    RETURN_IF_ERROR(taken(OrtGetEpDevices(env, &devices, &count)));
    const auto device = std::find_if(devices, devices + count, [](const OrtEpDevice* one) {
      return std::string_view(OrtEpDevice_EpName(one)) == kEp;
    });
    const std::string names = operators();
    const char *key = "operators", *value = names.c_str();
    return taken(
        OrtSessionOptionsAppendExecutionProvider_V2(options, env, device, 1, &key, &value, 1));
  }
};

Result<std::vector<Datum>> run(OrtSession* session, const Graph& graph, const DataSet& set) {
  std::vector<std::unique_ptr<OrtValue>> values;
  std::vector<const OrtValue*> inputs;
  std::vector<const char*> input_names, output_names;
  const auto ids = inputs_without_values(graph);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (set.inputs[i].is_none()) continue;
    values.push_back(std::make_unique<OrtValue>());
    values.back()->set(set.inputs[i]);
    inputs.push_back(values.back().get());
    input_names.push_back(graph.value(ids[i])->name.c_str());
  }
  for (const ValueId id : graph.outputs()) output_names.push_back(graph.value(id)->name.c_str());
  std::vector<OrtValue*> made(output_names.size());
  RETURN_IF_ERROR(taken(OrtRun(session, nullptr, input_names.data(), inputs.data(), inputs.size(),
                               output_names.data(), output_names.size(), made.data())));
  std::vector<Datum> outputs;
  for (OrtValue* value : made) {
    outputs.push_back(value->datum());
    OrtReleaseValue(value);
  }
  return outputs;
}

// What is wrong with the case's outputs; "" when nothing is.
std::string fault_of(const TestCase& test_case, bool with_library) {
  const auto attempt = [&]() -> Result<std::string> {
    ASSIGN_OR_RETURN(const auto model, import_model_file(test_case.model_path, {}));
    ASSIGN_OR_RETURN(const auto sets, read_data_sets(test_case, *model->graph));
    Session session;
    RETURN_IF_ERROR(session.open(test_case.model_path, with_library));
    std::vector<std::vector<Datum>> outputs;
    for (const DataSet& set : sets) {
      ASSIGN_OR_RETURN(outputs.emplace_back(), run(session.session, *model->graph, set));
    }
    return first_difference(outputs, sets, test_case.tolerance);
  };
  const auto fault = attempt();
  return fault.is_ok() ? *fault : fault.status().to_string();
}

std::string left_by_library() {
  static void* library = dlopen(ORTC_CLAIM_ALL_LIBRARY, RTLD_LAZY);
  CHECK(library != nullptr);
  const auto left = reinterpret_cast<const char* (*)()>(dlsym(library, "claim_all_left"));
  CHECK(left != nullptr);
  return left();
}

// What the case did ("pass", "skipped" or what is wrong), then the nodes that were left.
std::string run_case(const TestCase& test_case) {
  left_by_library();
  if (!fault_of(test_case, false).empty()) return "skipped\n";  // the other routes tell of it
  const std::string fault = fault_of(test_case, true);
  return str_cat(fault.empty() ? "pass" : fault, "\n", left_by_library());
}

std::set<std::string> listed() {
  std::set<std::string> lines;
  std::ifstream file(source_dir() + "/tests/conformance/unclaimed.txt");
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') lines.insert(line);
  }
  return lines;
}

TEST(plugin_route, packaged_cases_pass_when_a_library_claims_every_node) {
  const auto cases = packaged_cases();
  if (cases.empty()) {
    std::printf("NO CASES: ONNX's test data (libonnx-testdata) are not installed; NOTHING RAN\n");
    skip();
  }
  const auto texts =
      run_jobs(cases.size(), 2, temp_dir(), [&](size_t i) { return run_case(cases[i]); });
  std::set<std::string> left, expected = listed();
  size_t passed = 0, skipped = 0, wrong = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    std::istringstream lines(texts[i]);
    std::string outcome, line;
    std::getline(lines, outcome);
    passed += outcome == "pass" ? 1 : 0;
    skipped += outcome == "skipped" ? 1 : 0;
    if (outcome != "pass" && outcome != "skipped") {
      ++wrong;
      std::printf("%s/%s: %s\n", cases[i].set.c_str(), cases[i].name.c_str(), outcome.c_str());
    }
    while (std::getline(lines, line)) left.insert(line);
  }
  std::printf("%zu cases pass, %zu skipped, %zu wrong\n", passed, skipped, wrong);
  for (const std::string& line : left) {
    if (expected.erase(line) == 0) std::printf("left, and not listed: %s\n", line.c_str());
    wrong += listed().count(line) == 0 ? 1 : 0;
  }
  for (const std::string& line : expected) std::printf("listed, and not left: %s\n", line.c_str());
  CHECK_EQ(wrong, size_t{0});
  CHECK(expected.empty());
}

}  // namespace
}  // namespace ortc::test
