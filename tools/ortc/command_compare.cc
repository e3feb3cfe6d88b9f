// SPDX-License-Identifier: MIT
// ortc compare: two models with the same inputs, as a source model and what it was compiled to. The
// exit code says whether their outputs agree.

#include <cstdio>

#include "tools/ortc/commands.h"
#include "tools/ortc/library/api.h"
#include "tools/ortc/library/dimensions.h"
#include "tools/ortc/library/node_values.h"
#include "tools/ortc/library/run.h"
#include "tools/ortc/output/console.h"
#include "tools/ortc/output/json.h"
#include "tools/ortc/output/table.h"
#include "tools/ortc/values/byte_source.h"
#include "tools/ortc/values/difference.h"
#include "tools/ortc/values/elements.h"
#include "tools/ortc/values/inputs.h"

namespace ortc::tool {
namespace {

struct Results {
  std::vector<Port> ports;
  std::vector<Value> values;
};

// `names`: of the inputs of the model that came first, once there is one.
Results run_once(OrtSession* session, const CompareArguments& arguments,
                 std::vector<std::string>& names) {
  begin_stdin_again();
  const auto inputs = make_inputs(session, arguments.inputs, WhenMissing::kRandom, names);
  if (names.empty()) {
    for (const Input& input : inputs) names.push_back(input.name);
  }
  Results results;
  results.ports = session_outputs(session);
  results.values = Runs(session, inputs, results.ports).run();
  return results;
}

// A session of its own, which ends here: the values do not need it.
Results results_of(const OrtEnv* env, const std::string& model, const CompareArguments& arguments,
                   std::vector<std::string>& names) {
  check_dimensions(model, arguments.session.dimensions);
  const SessionOptions options = make_session_options(arguments.session);
  const auto [session, load_ns] = load_session(env, model, options.get());
  return run_once(session.get(), arguments, names);
}

// The same of a model that gives every value it computes, in the order in which it computes them.
Results values_of(const OrtEnv* env, const std::string& model, const CompareArguments& arguments,
                  std::vector<std::string>& names) {
  const auto [session, load_ns] = load_exposed_session(env, model, arguments.session);
  return run_once(session.get(), arguments, names);
}

const OrtValue* find_value(const Results& results, const std::string& name) {
  for (size_t i = 0; i < results.ports.size(); i++) {
    if (results.ports[i].name == name) return results.values[i].get();
  }
  return nullptr;
}

bool is_tensor(const OrtValue* value, ONNXTensorElementDataType& type) {
  int is_it = 0;
  check(OrtIsTensor(value, &is_it));
  if (is_it == 0) return false;
  const auto info = make<ShapeInfo>(OrtGetTensorTypeAndShape, value);
  check(OrtGetTensorElementType(info.get(), &type));
  return true;
}

Difference compare(const OrtValue* a, const OrtValue* b, const Tolerance& tolerance) {
  ONNXTensorElementDataType a_type = {}, b_type = {};
  Difference result;
  if (b == nullptr) {
    result.reason = "the second model has no such output";
  } else if (!is_tensor(a, a_type) || !is_tensor(b, b_type)) {
    result.reason = "not a tensor: not compared";
  } else if (a_type != b_type) {
    result.reason = "element types differ";
  } else {
    result = difference_of(array_from_value(a), array_from_value(b), a_type, tolerance);
  }
  return result;
}

Json difference_json(const std::string& name, const Difference& difference) {
  Json result = Json::object().set("name", name).set("agrees", difference.agrees());
  if (!difference.reason.empty()) return result.set("reason", difference.reason);
  return result.set("same_bits", difference.has_same_bits)
      .set("elements", uint64_t{difference.element_count})
      .set("elements_beyond", uint64_t{difference.count})
      .set("largest_difference", difference.largest);
}

// Those of the first model, then what the second has besides.
Json compare_outputs(const Results& first, const Results& second, const CompareArguments& arguments,
                     bool& agrees) {
  const Tolerance tolerance = {arguments.relative, arguments.absolute};
  Json outputs = Json::array();
  const auto add = [&](const std::string& name, const Difference& difference) {
    agrees = agrees && difference.agrees();
    outputs.push(difference_json(name, difference));
  };
  for (size_t i = 0; i < first.ports.size(); i++) {
    const std::string& name = first.ports[i].name;
    add(name, compare(first.values[i].get(), find_value(second, name), tolerance));
  }
  for (const Port& port : second.ports) {
    if (find_value(first, port.name) != nullptr) continue;
    Difference difference;
    difference.reason = "the first model has no such output";
    add(port.name, difference);
  }
  return outputs;
}

// Every value that both models have, as the first one computes them; "" when they agree in all.
Json compare_values(const OrtEnv* env, const CompareArguments& arguments, std::string& parts_at) {
  std::vector<std::string> names;
  const Results first = values_of(env, arguments.first, arguments, names);
  const Results second = values_of(env, arguments.second, arguments, names);
  const Tolerance tolerance = {arguments.relative, arguments.absolute};
  Json values = Json::array();
  for (size_t i = 0; i < first.ports.size(); i++) {
    const std::string& name = first.ports[i].name;
    const OrtValue* other = find_value(second, name);
    if (other == nullptr) continue;
    const Difference difference = compare(first.values[i].get(), other, tolerance);
    if (!difference.agrees() && parts_at.empty()) parts_at = name;
    values.push(difference_json(name, difference));
  }
  return values;
}

std::string rows_text(const char* head, const Json& rows) {
  Table table({head, "verdict", "largest difference", "beyond tolerance"});
  for (const Json& output : rows.items()) {
    const bool agrees = output.flag("agrees"), is_compared = !output.has("reason");
    const std::string beyond = output.text("elements_beyond") + " of " + output.text("elements");
    table.add({printable(output.text("name")),
               !is_compared               ? output.text("reason")
               : output.flag("same_bits") ? "same bits"
               : agrees                   ? "agrees"
                                          : "differs",
               is_compared ? number_text(output.number("largest_difference")) : "-",
               is_compared ? beyond : "-"});
  }
  return table.text();
}

void print_comparison(const Json& result) {
  if (result.has("values")) {
    std::fputs((rows_text("value", result.at("values")) + "\n").c_str(), stdout);
  }
  std::fputs(rows_text("output", result.at("outputs")).c_str(), stdout);
  if (result.has("parts_at")) {
    std::printf("\nthe models part at '%s'\n", printable(result.text("parts_at")).c_str());
  }
  std::printf("\nverdict: %s\n", result.flag("agrees")
                                     ? styled(stdout, Style::kGreen, "the outputs agree").c_str()
                                     : styled(stdout, Style::kRed, "the outputs differ").c_str());
}

}  // namespace

int command_compare(const CompareArguments& arguments) {
  const Env env = make_env(arguments.session.verbose);
  std::vector<std::string> names;
  const Results first = results_of(env.get(), arguments.first, arguments, names);
  const Results second = results_of(env.get(), arguments.second, arguments, names);
  bool agrees = true;
  const Json outputs = compare_outputs(first, second, arguments, agrees);
  Json result = Json::object()
                    .set("schema", "ortc.compare/1")
                    .set("first", arguments.first)
                    .set("second", arguments.second)
                    .set("agrees", agrees)
                    .set("outputs", outputs);
  if (arguments.per_node) {
    std::string parts_at;
    result.set("values", compare_values(env.get(), arguments, parts_at));
    if (!parts_at.empty()) result.set("parts_at", parts_at);
  }
  if (arguments.json) {
    std::printf("%s\n", result.dump().c_str());
  } else {
    print_comparison(result);
  }
  return agrees ? kExitOk : kExitFailure;
}

}  // namespace ortc::tool
