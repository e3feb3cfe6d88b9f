// SPDX-License-Identifier: MIT
// The grammar of the command line, and the only includer of CLI11. Each add_ function describes one
// command; options that several commands share are described once.

#include "tools/ortc/arguments.h"

#include <memory>

#include "CLI/CLI.hpp"
#include "tools/ortc/api.h"

namespace ortc::tool {
namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 done, 1 failure, 2 wrong command line, 3 the model must be compiled (anew),\n"
    "4 not supported on this device, 130 cancelled.";

void add_json(CLI::App* app, bool& json) {
  app->add_flag("--json", json, "Print the result as one JSON object");
}

// The texts are kept as they were written; split_pairs() takes them apart after parsing.
struct RawPairs {
  std::vector<std::string> provider_options, config, inputs, shapes;
};

void add_session(CLI::App* app, SessionArguments& session, RawPairs& raw, bool runs) {
  app->add_option("--ep", session.providers,
                  "Execution provider, repeatable, asked in this order (default AOT; the CPU "
                  "provider is always there and last)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app->add_option("--ep-opt", raw.provider_options, "Option of the one --ep, repeatable")
      ->type_name("K=V")
      ->allow_extra_args(false);
  app->add_option("--config", raw.config, "Session config entry, repeatable")
      ->type_name("K=V")
      ->allow_extra_args(false);
  if (runs) {
    app->add_option("--threads", session.threads, "Threads that work on one operator")
        ->type_name("N")
        ->check(CLI::Range(1, 4096));
    app->add_option("--profile", session.profile,
                    "Write what ran when, as a Chrome trace (chrome://tracing, Perfetto)")
        ->type_name("FILE.json");
  }
  app->add_flag("-v,--verbose", session.verbose, "Log more than warnings");
}

void add_inputs(CLI::App* app, RawPairs& raw, const char* otherwise) {
  app->add_option("--input", raw.inputs,
                  std::string("Value of an input: a .npy file, random[:seed] or zeros") + otherwise)
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app->add_option("--shape", raw.shapes,
                  "Shape of an input that is made up, where the model leaves dimensions open")
      ->type_name("NAME=1x3x8x8")
      ->allow_extra_args(false);
}

CLI::App* add_compile(CLI::App& root, CompileArguments& a, RawPairs& raw) {
  auto* app = root.add_subcommand("compile", "Compile a model, so that it loads fast");
  app->add_option("model", a.model, "The model")->required()->type_name("IN.onnx");
  app->add_option("-o,--output", a.output, "The compiled model (default IN_ctx.onnx)")
      ->type_name("OUT_ctx.onnx");
  add_session(app, a.session, raw, /*runs=*/false);
  app->add_flag("--embed", a.embed, "Put the compiled data into the model, not beside it");
  auto* file = app->add_option("--external-data", a.external_data,
                               "Move initializers left in the model to this file beside it")
                   ->type_name("FILE");
  app->add_option("--threshold", a.threshold,
                  "Initializers of fewer bytes stay in the model (default 1024)")
      ->type_name("BYTES")
      ->needs(file);
  app->add_option("--prefix", a.prefix, "Stands before the names of EPContext nodes")
      ->type_name("P");
  app->add_flag("--error-if-none", a.error_if_none, "Fail when nothing could be compiled");
  app->add_flag("--no-overwrite", a.no_overwrite, "Fail when the output is there already");
  app->add_option("--opt-level", a.opt_level, "Graph rewriting before compilation (default 0)")
      ->type_name("LEVEL")
      ->check(CLI::IsMember({0, 1, 2, 99}));
  app->add_option("--progress", a.progress,
                  "auto, plain, json or none (default auto: plain, but none with --json)")
      ->type_name("FORM")
      ->check(CLI::IsMember({"auto", "plain", "json", "none"}));
  add_json(app, a.json);
  return app;
}

CLI::App* add_run(CLI::App& root, RunArguments& a, RawPairs& raw) {
  auto* app = root.add_subcommand("run", "Run a model once, compiled or not");
  app->add_option("model", a.model, "The model")->required()->type_name("MODEL");
  add_inputs(app, raw, "");
  add_session(app, a.session, raw, /*runs=*/true);
  app->add_option("--output-dir", a.output_dir, "Write each output there as a .npy file")
      ->type_name("DIR");
  add_json(app, a.json);
  return app;
}

CLI::App* add_inspect(CLI::App& root, InspectArguments& a) {
  auto* app = root.add_subcommand("inspect", "Describe a model or a context binary");
  app->add_option("file", a.file, "The file")->required()->type_name("FILE");
  app->add_flag("--details", a.details, "List each node and tensor");
  app->add_flag("--verify", a.verify, "Read all compiled data and compare their checksums");
  add_json(app, a.json);
  return app;
}

CLI::App* add_bench(CLI::App& root, BenchArguments& a, RawPairs& raw) {
  auto* app = root.add_subcommand("bench", "Measure load time, latency and memory of a model");
  app->add_option("model", a.model, "The model")->required()->type_name("MODEL");
  auto* iterations = app->add_option("--iterations", a.iterations, "Timed runs")
                         ->type_name("N")
                         ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000}));
  app->add_option("--duration", a.duration_s, "Time for timed runs (default 2)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.001, 86400.0))
      ->excludes(iterations);
  app->add_option("--warmup", a.warmup, "Runs after the first that are not counted (default 3)")
      ->type_name("N");
  add_inputs(app, raw, " (default random)");
  add_session(app, a.session, raw, /*runs=*/true);
  add_json(app, a.json);
  return app;
}

Pairs split_pairs(const char* option, const std::vector<std::string>& texts) {
  Pairs pairs;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw usage_error(std::string(option) + " needs NAME=VALUE, found '" + text + "'");
    }
    pairs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return pairs;
}

void split_session(SessionArguments& session, const RawPairs& raw) {
  session.provider_options = split_pairs("--ep-opt", raw.provider_options);
  session.config = split_pairs("--config", raw.config);
}

void split_inputs(InputArguments& inputs, const RawPairs& raw) {
  inputs.inputs = split_pairs("--input", raw.inputs);
  inputs.shapes = split_pairs("--shape", raw.shapes);
}

}  // namespace

Arguments parse_arguments(int argc, const char* const* argv) {
  Arguments a;
  RawPairs for_compile, for_run, for_bench;
  CLI::App root{"ortc: compile ONNX models ahead of time, and run them", "ortc"};
  root.footer(kExitCodes);
  bool version = false;
  root.add_flag("--version", version, "Print the version and the execution providers");
  auto* compile = add_compile(root, a.compile, for_compile);
  auto* run = add_run(root, a.run, for_run);
  auto* inspect = add_inspect(root, a.inspect);
  auto* bench = add_bench(root, a.bench, for_bench);
  auto* devices = root.add_subcommand("devices", "List execution providers and their devices");
  add_json(devices, a.devices.json);
  auto* help = root.add_subcommand("help", "Explain a command");
  std::string topic;
  help->add_option("command", topic, "The command")->type_name("COMMAND");
  root.require_subcommand(0, 1);

  try {
    root.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    a.text = root.help();
    return a;
  } catch (const CLI::ParseError& error) {
    throw usage_error(std::string(error.what()) + " (see 'ortc help')");
  }

  if (version) {
    a.text = version_text();
  } else if (help->parsed()) {
    const auto named =
        root.get_subcommands([&](const CLI::App* app) { return app->get_name() == topic; });
    if (!topic.empty() && named.empty()) throw usage_error("there is no command '" + topic + "'");
    const CLI::App* about = topic.empty() ? &root : named.front();
    // App::help() of the root would explain `help`, the command that was parsed.
    a.text = about->get_formatter()->make_help(about, topic.empty() ? "ortc" : "ortc " + topic,
                                               CLI::AppFormatMode::Normal);
  } else if (compile->parsed()) {
    a.command = Command::kCompile;
    split_session(a.compile.session, for_compile);
  } else if (run->parsed()) {
    a.command = Command::kRun;
    split_session(a.run.session, for_run);
    split_inputs(a.run.inputs, for_run);
  } else if (inspect->parsed()) {
    a.command = Command::kInspect;
  } else if (bench->parsed()) {
    a.command = Command::kBench;
    split_session(a.bench.session, for_bench);
    split_inputs(a.bench.inputs, for_bench);
  } else if (devices->parsed()) {
    a.command = Command::kDevices;
  } else {
    throw usage_error("no command given (see 'ortc help')");
  }
  return a;
}

}  // namespace ortc::tool
