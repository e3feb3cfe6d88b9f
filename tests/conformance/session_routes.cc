// SPDX-License-Identifier: MIT
// The routes through sessions: see runner.h.
#include <algorithm>

#include "tests/conformance/runner.h"
#include "tests/support/session_support.h"

namespace ortc::test {
namespace {

using Outputs = std::vector<std::vector<Datum>>;  // per data set

constexpr Tolerance kBetweenProviders{1e-5, 1e-6};

// One case with its data, and what the session from source with AOT gave.
struct SessionCase {
  const TestCase& test_case;
  std::vector<DataSet> sets;
  Outputs from_source;  // empty when that session failed
};

// A run that says NOT_IMPLEMENTED breaks the promise its session gave.
Status run_failed(const Status& status) { return fail("run: ", status.to_string()); }

// Some packaged inputs have not the shape their model declares; runs refuse those.
bool fits(const Tensor& tensor, const Type& type) {
  if (!type.shape.has_value()) return true;
  const auto& dims = *type.shape;
  return std::equal(
      dims.begin(), dims.end(), tensor.dims().begin(), tensor.dims().end(),
      [](const Dim& dim, int64_t size) { return !dim.is_known() || dim.value == size; });
}

bool inputs_fit(const std::vector<DataSet>& sets, const Graph& graph) {
  const auto ids = inputs_without_values(graph);
  for (const DataSet& set : sets) {
    for (size_t i = 0; i < ids.size(); ++i) {
      const Tensor* tensor = set.inputs[i].tensor();
      if (tensor != nullptr && !fits(*tensor, graph.value(ids[i])->type)) return false;
    }
  }
  return true;
}

Result<Outputs> outputs_of(const SessionCase& work, const std::string& model,
                           std::vector<std::string> providers, int threads) {
  const auto environment = quiet_environment();
  const SessionOptions options = options_with(*environment, std::move(providers), threads);
  ASSIGN_OR_RETURN(auto session, Session::create(environment, file_source(model), options));
  Outputs outputs;
  for (const DataSet& set : work.sets) {
    std::vector<Datum> found;
    if (session->inputs().size() != set.inputs.size()) return fail("other inputs than the model");
    const Status status = try_run_values(*session, set.inputs, &found);
    if (!status.is_ok()) return run_failed(status);
    outputs.push_back(std::move(found));
  }
  return outputs;
}

RouteResult wrong(const std::string& route, const std::string& what) {
  return {route, what.empty() ? Outcome::kPass : Outcome::kFail, what};
}

RouteResult run_from_source(SessionCase& work) {
  auto one = outputs_of(work, work.test_case.model_path, {"AOT"}, 1);
  if (!one.is_ok()) return failed("aot", one.status());
  work.from_source = std::move(one).value();
  const auto two = outputs_of(work, work.test_case.model_path, {"AOT"}, 2);
  if (!two.is_ok()) return failed("aot", two.status());
  if (!are_same(work.from_source, *two))
    return wrong("aot", "two threads give other bits than one");
  return wrong("aot", first_difference(work.from_source, work.sets, work.test_case.tolerance));
}

// How far the CPU provider's outputs lie from those with AOT; "same bits" is an empty text.
RouteResult compare_providers(const Outputs& cpu, const Outputs& aot) {
  Comparison worst;
  for (size_t s = 0; s < cpu.size(); ++s) {
    for (size_t i = 0; i < cpu[s].size(); ++i) {
      const Comparison result = compare(cpu[s][i], aot[s][i], kBetweenProviders);
      if (!result.agrees() && worst.agrees()) worst.what = str_cat("other than AOT: ", result.what);
      worst.worst = std::max(worst.worst, result.worst);
      worst.worst_of_allowed = std::max(worst.worst_of_allowed, result.worst_of_allowed);
    }
  }
  if (!worst.agrees()) return {"cpu", Outcome::kFail, worst.what};
  if (worst.worst == 0) return {"cpu", Outcome::kPass, ""};
  return {"cpu", Outcome::kPass,
          str_cat("differs from AOT by up to ", worst.worst, ", ", worst.worst_of_allowed,
                  " of what is allowed")};
}

RouteResult run_cpu(const SessionCase& work) {
  const auto outputs = outputs_of(work, work.test_case.model_path, {}, 2);
  if (!outputs.is_ok()) return failed("cpu", outputs.status());
  const std::string what = first_difference(*outputs, work.sets, work.test_case.tolerance);
  if (!what.empty()) return wrong("cpu", what);
  if (work.from_source.empty()) return {"cpu", Outcome::kPass, "not compared with AOT"};
  return compare_providers(*outputs, work.from_source);
}

// Compiles at the graph level of the sessions from source: other levels may give other bits.
Result<CompileReport> compile_case(const std::string& model, const std::string& output,
                                   bool embed) {
  const auto environment = quiet_environment();
  const SessionOptions session = options_with(*environment, {"AOT"}, 2);
  CompileOptions options = CompileOptions::from(session);
  options.level = session.level;
  options.input = file_source(model);
  options.output_path = output;
  options.embed = embed;
  return compile_to_output(environment, options);
}

RouteResult run_context(const SessionCase& work, const std::string& folder, bool embed) {
  const std::string route = embed ? "embedded" : "external";
  const std::string context = str_cat(folder, "/", route, "_ctx.onnx");
  const auto compiled = compile_case(work.test_case.model_path, context, embed);
  if (!compiled.is_ok()) return failed(route, compiled.status());
  for (const int threads : {1, 2}) {
    const auto outputs = outputs_of(work, context, {"AOT"}, threads);
    if (!outputs.is_ok()) return failed(route, outputs.status());
    const std::string what = first_difference(*outputs, work.sets, work.test_case.tolerance);
    if (!what.empty()) return wrong(route, str_cat(threads, " threads: ", what));
    if (!work.from_source.empty() && !are_same(*outputs, work.from_source)) {
      return wrong(route, str_cat(threads, " threads: other bits than the session from source"));
    }
  }
  const bool is_empty = compiled->partitions.empty();
  return {route, Outcome::kPass, is_empty ? "nothing was compiled" : ""};
}

std::vector<RouteResult> all_routes(Outcome outcome, const std::string& message) {
  std::vector<RouteResult> results;
  for (const char* route : {"cpu", "aot", "external", "embedded"}) {
    results.push_back({route, outcome, message});
  }
  return results;
}

}  // namespace

std::vector<RouteResult> run_sessions(const TestCase& test_case, const std::string& folder) {
  auto model = import_model_file(test_case.model_path, {});
  if (!model.is_ok()) {
    const RouteResult result = failed("", model.status());
    return all_routes(result.outcome, result.message);
  }
  const Graph& graph = *(*model)->graph;
  auto sets = read_data_sets(test_case, graph);
  if (!sets.is_ok()) return all_routes(Outcome::kFail, sets.status().to_string());
  if (!inputs_fit(*sets, graph)) {
    return all_routes(Outcome::kUnsupported, "the data have other shapes than the model declares");
  }
  SessionCase work{test_case, std::move(sets).value(), {}};
  const RouteResult aot = run_from_source(work);
  return {run_cpu(work), aot, run_context(work, folder, false), run_context(work, folder, true)};
}

}  // namespace ortc::test
