// SPDX-License-Identifier: MIT
// ortc run: one run of a model, its outputs and values inside it as tables and as .npy files.

#include <algorithm>
#include <cstdio>

#include "tools/ortc/command_line/suggestions.h"
#include "tools/ortc/commands.h"
#include "tools/ortc/library/api.h"
#include "tools/ortc/library/dimensions.h"
#include "tools/ortc/library/node_values.h"
#include "tools/ortc/library/package.h"
#include "tools/ortc/library/profile.h"
#include "tools/ortc/library/run.h"
#include "tools/ortc/library/staleness.h"
#include "tools/ortc/output/json.h"
#include "tools/ortc/output/table.h"
#include "tools/ortc/output/targets.h"
#include "tools/ortc/output/value_reports.h"
#include "tools/ortc/values/inputs.h"

namespace ortc::tool {
namespace {

size_t find_port(const std::vector<Port>& ports, const std::string& name) {
  const auto found =
      std::find_if(ports.begin(), ports.end(), [&](const Port& port) { return port.name == name; });
  return static_cast<size_t>(found - ports.begin());
}

// --output by the names that the model has; without it, all of them.
std::vector<std::string> chosen_outputs(const std::vector<std::string>& known,
                                        const std::vector<std::string>& chosen) {
  if (chosen.empty()) return known;
  for (const std::string& name : chosen) {
    if (std::count(chosen.begin(), chosen.end(), name) > 1) {
      throw usage_error("--output gives '" + name + "' twice");
    }
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string list;
    for (const std::string& other : known) list += " '" + other + "'";
    throw usage_error("--output: the model has no output '" + name + "', it has" + list +
                      did_you_mean(name, known))
        .set_hint("--dump-node shows values inside the model");
  }
  return chosen;
}

// What the run computes: outputs, then values of nodes that are no outputs.
struct Wanted {
  std::vector<Port> ports;
  size_t output_count = 0;
  std::vector<size_t> places;  // of the values of nodes in `ports`

  // A session that hands out values has them among its outputs.
  Wanted(const std::vector<Port>& session, const RunArguments& arguments,
         const NodeValues& node_values) {
    std::vector<std::string> known = node_values.outputs;
    if (arguments.dump_nodes.empty()) {
      for (const Port& port : session) known.push_back(port.name);
    }
    for (const std::string& name : chosen_outputs(known, arguments.outputs)) {
      const size_t at = find_port(session, name);
      if (at == session.size()) throw failure("the session has no output '" + name + "'");
      ports.push_back(session[at]);
    }
    output_count = ports.size();
    for (const NodeValue& value : node_values.values) {
      const size_t at = find_port(session, value.value);
      if (value.is_in_body || at == session.size()) {
        throw usage_error(
            "--dump-node: '" + value.value + "' of node '" + value.node +
            "' is not a tensor of the main graph: values inside If, Loop and Scan, and "
            "those of other kinds, cannot be shown");
      }
      const size_t place = find_port(ports, value.value);
      if (place == ports.size()) ports.push_back(session[at]);
      places.push_back(place);
    }
  }
};

LoadedSession load(const OrtEnv* env, const RunArguments& arguments) {
  if (is_package(arguments.model)) {
    if (!arguments.dump_nodes.empty()) {
      throw usage_error("--dump-node is for a model, '" + arguments.model + "' is a package")
          .set_hint("'ortc package show " + arguments.model + "' names its models");
    }
    return load_package_session(env, arguments.model, arguments.component, arguments.session);
  }
  if (!arguments.component.empty()) {
    throw usage_error("--component is for a package, '" + arguments.model + "' is none");
  }
  if (!arguments.dump_nodes.empty()) {
    return load_exposed_session(env, arguments.model, arguments.session);
  }
  const SessionOptions options = make_session_options(arguments.session);
  return load_session(env, arguments.model, options.get());
}

void print_run(const Json& result) {
  std::fputs(value_table("output", result.at("outputs")).c_str(), stdout);
  const Json nodes = result.at("node_values");
  if (!nodes.items().empty()) {
    std::printf("\n%s\n", value_table("value", nodes).c_str());
  }
  std::printf("load %s, run %s\n", time_text(result.number("load_ns")).c_str(),
              time_text(result.number("run_ns")).c_str());
}

}  // namespace

int command_run(const RunArguments& given) {
  RunArguments arguments = given;
  const std::vector<Target> targets = {{"--profile", arguments.session.profile}};
  check_targets(targets, read_with(arguments.model, targets));
  const ProfileFile profile(arguments.session);
  const Env env = make_env(arguments.session.verbose);
  check_dimensions(arguments.model, arguments.session.dimensions);
  NodeValues node_values;
  if (!arguments.dump_nodes.empty() && !is_package(arguments.model)) {
    node_values = find_node_values(arguments.model, arguments.dump_nodes);
  }
  const auto [session, load_ns] = load(env.get(), arguments);
  const auto inputs = make_inputs(session.get(), arguments.inputs, WhenMissing::kFail);
  const Wanted wanted(session_outputs(session.get()), arguments, node_values);
  ValueReports reports(arguments.output_dir);
  const Runs runs(session.get(), inputs, wanted.ports);
  const Stopwatch watch;
  const std::vector<Value> values = runs.run();
  const int64_t run_ns = watch.elapsed_ns();
  profile.finish(session.get());

  std::vector<Json> reported;
  Json outputs = Json::array(), nodes = Json::array();
  for (size_t i = 0; i < wanted.ports.size(); i++) {
    throw_if_cancelled();
    reported.push_back(reports.add(wanted.ports[i], values[i].get()));
    if (i < wanted.output_count) outputs.push(reported[i]);
  }
  for (size_t i = 0; i < wanted.places.size(); i++) {
    const NodeValue& value = node_values.values[i];
    Json report = reported[wanted.places[i]];
    nodes.push(report.set("node", value.node).set("operator", value.op));
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
                          .set("node_values", nodes)
                          .set("session", report);
  if (arguments.json) {
    std::printf("%s\n", result.dump().c_str());
  } else {
    print_run(result);
  }
  return kExitOk;
}

}  // namespace ortc::tool
