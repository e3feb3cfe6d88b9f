// SPDX-License-Identifier: MIT
// The grammar of the command line, and the only includer of CLI11. Each add_ function describes one
// command; options that several commands share are described once.

#include "tools/ortc/command_line/arguments.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "CLI/CLI.hpp"
#include "tools/ortc/command_line/completion.h"
#include "tools/ortc/command_line/examples.h"
#include "tools/ortc/command_line/help.h"
#include "tools/ortc/command_line/needs.h"
#include "tools/ortc/command_line/refusals.h"
#include "tools/ortc/command_line/suggestions.h"
#include "tools/ortc/library/api.h"

namespace ortc::tool {
namespace {

// One command, told to the parser and to the grammar alike.
class CommandBuilder {
 public:
  CommandBuilder(CLI::App* app, const std::string& name, const std::string& text) : app_(app) {
    grammar_.name = name;
    grammar_.text = text;
    grammar_.examples = examples_of(name);
    app_->set_help_flag();
    grammar_.options.push_back({"-h,--help", "", "Explain this", {}});
  }

  void positional(std::string& target, const char* value, const char* text) {
    app_->add_option("file" + std::to_string(grammar_.positionals.size()), target);
    grammar_.positionals.push_back({value, "", text, {}});
  }

  // One of some words.
  void positional_choice(std::string& target, const char* value, const char* text,
                         const std::vector<std::string>& choices) {
    app_->add_option("file" + std::to_string(grammar_.positionals.size()), target)
        ->check(one_of(choices));
    grammar_.positionals.push_back({value, "", text, choices});
  }

  // One word or more, the last thing that stands without a dash.
  void positionals(std::vector<std::string>& targets, const char* value, const char* text) {
    app_->add_option("files", targets);
    grammar_.positionals.push_back({value, "", text, {}});
  }

  void flag(const char* names, bool& target, const char* text) {
    app_->add_flag(names, target);
    grammar_.options.push_back({names, "", text, {}});
  }

  template <typename T>
  CLI::Option* option(const char* names, T& target, const char* value, const std::string& text) {
    grammar_.options.push_back({names, value, text, {}});
    return app_->add_option(names, target)->allow_extra_args(false)->type_name(value);
  }

  template <typename T>
  CLI::Option* choice(const char* names, T& target, const char* value, const std::string& text,
                      const std::vector<std::string>& choices) {
    auto* added = option(names, target, value, text);
    grammar_.options.back().choices = choices;
    return added->check(one_of(choices));
  }

  void exit_codes(const char* text) { grammar_.exit_codes = text; }

  const CommandGrammar& grammar() const { return grammar_; }
  CLI::App* app() const { return app_; }

 private:
  static CLI::Validator one_of(const std::vector<std::string>& choices) {
    return CLI::Validator(
        [choices](std::string& word) -> std::string {
          if (std::find(choices.begin(), choices.end(), word) != choices.end()) return {};
          std::string list;
          for (const std::string& known : choices) list += (list.empty() ? "" : ", ") + known;
          return "expected one of " + list + ", found '" + word + "'" + did_you_mean(word, choices);
        },
        "");
  }

  CLI::App* app_;
  CommandGrammar grammar_;
};

// Whole numbers in [low, high]; the parser by itself would take -1 for a very large one.
CLI::Validator whole_number(uint64_t low, uint64_t high) {
  return CLI::Validator(
      [low, high](std::string& text) -> std::string {
        uint64_t number = 0;
        bool is_right = !text.empty() && text.size() <= 20;
        for (char c : text) {
          is_right = is_right && c >= '0' && c <= '9' && number <= (high - (c - '0')) / 10;
          if (is_right) number = number * 10 + static_cast<uint64_t>(c - '0');
        }
        if (is_right && number >= low && number <= high) return {};
        return "expected a whole number from " + std::to_string(low) + " to " +
               std::to_string(high) + ", found '" + text + "'";
      },
      "");
}

CLI::Validator real_number(double low, double high) {
  return CLI::Validator(
      [low, high](std::string& text) -> std::string {
        char* end = nullptr;
        const double number = std::strtod(text.c_str(), &end);
        const bool is_number = !text.empty() && *end == '\0' && std::isfinite(number);
        if (is_number && number >= low && number <= high) return {};
        return "expected a number from " + CLI::detail::to_string(low) + " to " +
               CLI::detail::to_string(high) + ", found '" + text + "'";
      },
      "");
}

// The texts are kept as they were written; split_pairs() takes them apart after parsing.
struct RawPairs {
  std::vector<std::string> provider_options, config, dimensions;
};

void add_json(CommandBuilder& command, bool& json) {
  command.flag("--json", json, "Print the result, or the error, as one JSON object");
}

// What a command does with the options of a session.
enum class Uses { kCompile, kOneSession, kManySessions };

void add_session(CommandBuilder& command, SessionArguments& session, RawPairs& raw, Uses uses) {
  command.option("--ep", session.providers, "NAME",
                 "Execution provider, repeatable, asked in this order (default AOT; the CPU "
                 "provider is always there and last)");
  command.option("--ep-opt", raw.provider_options, "K=V", "Option of the one --ep, repeatable");
  command.option("--config", raw.config, "K=V", "Session config entry, repeatable");
  command.option("--dim", raw.dimensions, "NAME=SIZE",
                 "Size of a dimension that the model leaves open, by its name, repeatable");
  if (uses != Uses::kCompile) {
    command.option("--threads", session.threads, "N", "Threads that work on one operator")
        ->check(whole_number(1, 4096));
  }
  if (uses == Uses::kOneSession) {
    command.choice("--residency", session.residency, "MODE",
                   "When weights come into memory: lazy (default), prefetch, populate, locked or "
                   "copied; as --config session.context_residency=MODE",
                   {"lazy", "prefetch", "populate", "locked", "copied"});
    command.option("--profile", session.profile, "FILE.json",
                   "Write what ran when, as a Chrome trace (chrome://tracing, Perfetto)");
  }
  command.flag("-v,--verbose", session.verbose, "Say what happens, on stderr");
}

void add_inputs(CommandBuilder& command, InputArguments& inputs, const char* otherwise) {
  command.option(
      "--input", inputs.inputs, "NAME=VALUE",
      std::string("Value of an input, repeatable: a .npy file (- for stdin), raw:FILE for bytes as "
                  "a tensor has them, a number or list as 16000 or [[1,2],[3,4]] or [\"a\",\"b\"], "
                  "zeros, or random[:SEED][:LOW..HIGH]; FILE.npz by itself has an array for each "
                  "input") +
          otherwise);
  command.option("--shape", inputs.shapes, "NAME=1x3x8x8",
                 "Shape of an input that is made up, where the model leaves dimensions open");
}

void add_compile(CommandBuilder& command, CompileArguments& a, RawPairs& raw) {
  command.positionals(a.models, "IN.onnx", "The model; with --share several");
  auto* output = command.option("-o,--output", a.output, "OUT_ctx.onnx",
                                "The compiled model (default IN_ctx.onnx)");
  command
      .option("--out-dir", a.output_dir, "DIR",
              "Folder for the files, which keep their names (default that of IN.onnx)")
      ->excludes(output);
  command.flag("--share", a.share,
               "Compile all models given into one context binary, with the name of the first, that "
               "holds equal weights once; the files appear together");
  command.option("--target", a.session.target, "TARGET",
                 "What to compile for: host, or a level such as x86-64-v3, perhaps with "
                 "+features; 'ortc devices' lists them. Several for one file with ';' between, "
                 "in quotes (default host)");
  add_session(command, a.session, raw, Uses::kCompile);
  command.flag("--embed", a.embed, "Put the compiled data into the model, not beside it");
  command.option("--compression", a.compression, "CODEC",
                 "How compiled data are stored: none, to be mapped when they are loaded, or "
                 "zstd[:LEVEL], with a level from 1 to 19 (default none)");
  auto* file = command.option("--external-data", a.external_data, "FILE",
                              "Move initializers left in the model to this file beside it");
  command
      .option("--threshold", a.threshold, "BYTES",
              "With --external-data: smaller initializers stay in the model (default 1024)")
      ->check(whole_number(0, uint64_t{1} << 62))
      ->needs(file);
  command.option("--prefix", a.prefix, "P", "Stands before the names of EPContext nodes");
  command.flag("--error-if-none", a.error_if_none, "Fail when nothing could be compiled");
  command.flag("--no-overwrite", a.no_overwrite, "Fail when the output is there already");
  command.flag("--replace-shared", a.replace_shared,
               "Replace files although another model of the folder reads them");
  command.flag("--dry-run", a.dry_run, "Compile and report, but write no files");
  command.choice("--opt-level", a.opt_level, "LEVEL",
                 "Graph rewriting before compilation: 0, 1, 2 or 99 for all (default 0)",
                 {"0", "1", "2", "99"});
  command.choice("--progress", a.progress, "FORM",
                 "auto, bar, plain, json or none (default auto: a bar on terminals, else plain; "
                 "none with --json)",
                 {"auto", "bar", "plain", "json", "none"});
  add_json(command, a.json);
}

void add_run(CommandBuilder& command, RunArguments& a, RawPairs& raw) {
  command.positional(a.model, "MODEL", "The model");
  add_inputs(command, a.inputs, "");
  add_session(command, a.session, raw, Uses::kOneSession);
  command.option("--output", a.outputs, "NAME", "An output to compute, repeatable (default all)");
  command.option("--dump-node", a.dump_nodes, "NAME[,NAME]",
                 "Show what nodes or values inside the model have computed, repeatable; nothing is "
                 "fused then");
  command.option("--output-dir", a.output_dir, "DIR",
                 "Write each output, and each value of --dump-node, there as a .npy file");
  add_json(command, a.json);
}

void add_inspect(CommandBuilder& command, InspectArguments& a) {
  command.positionals(a.files, "FILE",
                      "A model or a context binary; several models with --picture");
  command.flag("--details", a.details, "List each node and tensor");
  command.flag("--verify", a.verify, "Read all compiled data and compare their checksums");
  command.option("--picture", a.picture, "FILE.svg|FILE.html",
                 "Draw instead: one model's graph and what of it is compiled, or which tensors "
                 "several models share; a page has both");
  add_json(command, a.json);
}

constexpr const char* kLayers = "--layers";

void add_bench(CommandBuilder& command, BenchArguments& a, RawPairs& raw) {
  command.positional(a.model, "MODEL", "The model");
  auto* iterations = command.option("--iterations", a.iterations, "N", "Timed runs")
                         ->check(whole_number(1, 1'000'000'000));
  command.option("--duration", a.duration_s, "SECONDS", "Time for timed runs (default 2)")
      ->check(real_number(0.001, 86400.0))
      ->excludes(iterations);
  command
      .option("--warmup", a.warmup, "N",
              "Runs of each stream after the first that are not counted (default 3)")
      ->check(whole_number(0, 1'000'000));
  command.flag("--cold", a.cold,
               "Begin with the model's files on the disk: drop them from the system's cache first");
  command
      .option("--streams", a.streams, "N",
              "Threads that run the session at the same time (default 1)")
      ->check(whole_number(1, 1024));
  command.option("--loads", a.loads, "N", "Load that often, one session at a time (default 1)")
      ->check(whole_number(1, 1'000'000));
  command
      .option(kLayers, a.layers, "[N]",
              "Then run up to 100 times with a profile, and list what each layer takes: the "
              "costliest N, or all")
      ->check(whole_number(0, 1'000'000'000));
  command.option("--csv", a.csv, "FILE.csv", "Write all layers there, one row each");
  command.option("--export-times", a.export_times, "FILE.json",
                 "Write when each run began and what it took, the first million");
  add_inputs(command, a.inputs, " (default random)");
  add_session(command, a.session, raw, Uses::kOneSession);
  add_json(command, a.json);
}

void add_compare(CommandBuilder& command, CompareArguments& a, RawPairs& raw) {
  command.positional(a.first, "MODEL", "The model");
  command.positional(a.second, "OTHER", "The model that it is compared with");
  command.option("--rtol", a.relative, "R", "Relative tolerance (default 0.0001)")
      ->check(real_number(0, 1e6));
  command.option("--atol", a.absolute, "A", "Absolute tolerance (default 0.00001)")
      ->check(real_number(0, 1e30));
  command.flag("--per-node", a.per_node,
               "Compare every value that both models have, and say where they part");
  add_inputs(command, a.inputs, " (default random, the same for both)");
  add_session(command, a.session, raw, Uses::kManySessions);
  add_json(command, a.json);
}

void add_verify(CommandBuilder& command, LookArguments& a) {
  command.exit_codes(
      "0 sound and runs here, 1 broken, 2 wrong command line, 3 sound, but must be compiled anew "
      "to "
      "run here.");
  command.positional(a.file, "FILE", "A compiled model or a context binary");
  add_json(command, a.json);
}

void add_summary(CommandBuilder& command, LookArguments& a) {
  command.positional(a.file, "MODEL", "The model");
  add_json(command, a.json);
}

void add_diff(CommandBuilder& command, LookArguments& a) {
  command.exit_codes("0 equal, 1 different, 2 trouble.");
  command.positional(a.file, "FILE", "A model or a context binary");
  command.positional(a.other, "OTHER", "The file that it is compared with");
  add_json(command, a.json);
}

// What all commands have that write a compiled model.
void add_edit_output(CommandBuilder& command, EditArguments& a) {
  command.option("-o,--output", a.output, "OUT_ctx.onnx", "The model to write");
  command.flag("--no-overwrite", a.no_overwrite, "Fail when an output is there already");
  command.flag("--replace-shared", a.replace_shared,
               "Replace files although another model of the folder reads them");
  add_json(command, a.json);
}

void add_pack(CommandBuilder& command, EditArguments& a) {
  command.positionals(a.models, "MODEL_ctx.onnx", "The compiled model");
  command.flag("--external", a.external,
               "The other way: compiled data out of the model, into files beside it");
  add_edit_output(command, a);
}

void add_merge(CommandBuilder& command, EditArguments& a) {
  command.positionals(a.models, "MODEL_ctx.onnx...",
                      "Two models or more. What a later one calls as an earlier one does gets its "
                      "file's name in front, as dec/x");
  command.option("--connect", a.connections, "A.y=B.x",
                 "Feed output y of A_ctx.onnx to input x of B_ctx.onnx, repeatable; models may be "
                 "called by number too, as 1.y=2.x");
  add_edit_output(command, a);
}

void add_extract(CommandBuilder& command, EditArguments& a) {
  command.positionals(a.models, "MODEL_ctx.onnx", "The compiled model");
  command.option("--node", a.node, "NAME", "The EPContext node; 'ortc inspect' lists them");
  add_edit_output(command, a);
}

void add_prefix(CommandBuilder& command, EditArguments& a) {
  command.positionals(a.models, "MODEL_ctx.onnx", "The compiled model");
  command.option("--prefix", a.prefix, "P",
                 "Stands before the names of EPContext nodes and of their graphs");
  add_edit_output(command, a);
}

void add_cache(CommandBuilder& command, CacheArguments& a, RawPairs& raw) {
  command.exit_codes(
      "0 done; verify: 1 something is damaged; explain: 3 a session would compile; else as with "
      "other commands.");
  command.positional_choice(a.action, "ACTION",
                            "list, prune, verify, or explain: whether and why a session of MODEL "
                            "finds what it would compile",
                            {"list", "prune", "verify", "explain"});
  command.positional(a.folder, "DIR", "The folder of ep.context_cache_dir");
  command.positional(a.model, "[MODEL]", "With explain: the model");
  command
      .option("--max-bytes", a.max_bytes, "BYTES",
              "With prune: what may stay; the longest unused goes (default: all stays but what "
              "ended processes left)")
      ->check(whole_number(0, UINT64_MAX));
  add_session(command, a.session, raw, Uses::kManySessions);
  add_json(command, a.json);
}

void add_ep_test(CommandBuilder& command, EpTestArguments& a, RawPairs& raw) {
  command.exit_codes("0 nothing failed; 1 a check failed, crashed or was late.");
  command.positional(a.library, "LIBRARY.so", "A library of execution providers");
  command.option("--name", a.registration, "NAME",
                 "What it is registered as; with NAME.virtual it may offer virtual devices");
  command.option("--model", a.model, "MODEL.onnx",
                 "What the sessions run (default: a MatMul, Add, Relu, Mul of float32)");
  command.option("--ep-opt", raw.provider_options, "K=V", "Option of the provider");
  command.option("--rtol", a.relative, "X", "Relative tolerance against the CPU provider (1e-3)")
      ->check(real_number(0, 1e9));
  command.option("--atol", a.absolute, "X", "Absolute tolerance (1e-3)")
      ->check(real_number(0, 1e9));
  command.option("--seconds", a.seconds, "S", "How long each check may take (60)")
      ->check(real_number(1, 86400));
  command.option("--html", a.html, "FILE", "Write the report as a page");
  add_json(command, a.json);
}

Pairs split_pairs(const char* option, const std::vector<std::string>& texts) {
  Pairs pairs;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw usage_error(std::string(option) + " needs NAME=VALUE, found '" + text + "'");
    }
    const std::string name = text.substr(0, equals);
    for (const auto& [known, value] : pairs) {
      if (known == name) throw usage_error(std::string(option) + " gives '" + name + "' twice");
    }
    pairs.emplace_back(name, text.substr(equals + 1));
  }
  return pairs;
}

void split_session(SessionArguments& session, const RawPairs& raw) {
  session.provider_options = split_pairs("--ep-opt", raw.provider_options);
  session.config = split_pairs("--config", raw.config);
  session.dimensions = split_pairs("--dim", raw.dimensions);
}

// Everything the parser fills that is not in Arguments.
struct Parsed {
  RawPairs for_compile, for_run, for_bench, for_compare, for_cache, for_ep_test;
  bool version = false, man = false, completion = false;
  std::string topic, shell;
};

Grammar describe(CLI::App& app, Arguments& a, Parsed& parsed) {
  CommandBuilder root(&app, "", "Compile ONNX models ahead of time, and run them");
  root.flag("--version", parsed.version, "Print the version and the execution providers");
  Grammar grammar = {root.grammar()};
  const auto add = [&](const char* name, const char* text, auto fill) {
    CommandBuilder command(app.add_subcommand(name), name, text);
    fill(command);
    grammar.push_back(command.grammar());
  };
  add("compile", "Compile a model, so that it loads fast",
      [&](auto& command) { add_compile(command, a.compile, parsed.for_compile); });
  add("run", "Run a model once, compiled or not",
      [&](auto& command) { add_run(command, a.run, parsed.for_run); });
  add("inspect", "Describe a model or a context binary",
      [&](auto& command) { add_inspect(command, a.inspect); });
  add("verify", "Check all of a compiled model, and whether it runs here",
      [&](auto& command) { add_verify(command, a.look); });
  add("summary", "List parameters, operations and memory by node, and the largest tensors",
      [&](auto& command) { add_summary(command, a.look); });
  add("bench", "Measure load time, latency and memory of a model",
      [&](auto& command) { add_bench(command, a.bench, parsed.for_bench); });
  add("compare", "Run two models with the same inputs and compare their outputs",
      [&](auto& command) { add_compare(command, a.compare, parsed.for_compare); });
  add("diff", "Say what is different in two models or context binaries",
      [&](auto& command) { add_diff(command, a.look); });
  add("pack", "Put the compiled data of a model into it, or back into files",
      [&](auto& command) { add_pack(command, a.edit); });
  add("merge", "Make one compiled model of several, side by side or chained",
      [&](auto& command) { add_merge(command, a.edit); });
  add("extract", "Make a model of one EPContext node",
      [&](auto& command) { add_extract(command, a.edit); });
  add("prefix", "Put a prefix before the names of EPContext nodes",
      [&](auto& command) { add_prefix(command, a.edit); });
  add("cache", "Look into a cache of compiled models, or make room in it",
      [&](auto& command) { add_cache(command, a.cache, parsed.for_cache); });
  add("devices", "List execution providers, their devices and targets",
      [&](auto& command) { add_json(command, a.devices.json); });
  add("ep-test", "Check a library of execution providers, each question in its own process",
      [&](auto& command) { add_ep_test(command, a.ep_test, parsed.for_ep_test); });
  add("completion", "Print a script that completes commands in a shell",
      [&](auto& command) { command.positional(parsed.shell, "SHELL", "bash, zsh or fish"); });
  add("help", "Explain a command", [&](auto& command) {
    command.app()->add_option("command", parsed.topic);
    command.flag("--man", parsed.man, "Print the man page");
    command.flag("--bash-completion", parsed.completion,
                 "Print a script that completes commands in bash");
  });
  return grammar;
}

std::string text_of_help(const Grammar& grammar, const Parsed& parsed) {
  if (parsed.man) return man_page(grammar, OrtGetVersionString());
  if (parsed.completion) return completion_script(grammar, "bash");
  return help_text(grammar, command_named(grammar, parsed.topic));
}

// The command that was chosen, its options in their places.
void take_command(const std::string& name, Arguments& a, const Parsed& parsed) {
  static constexpr std::pair<std::string_view, Command> kCommands[] = {
      {"compile", Command::kCompile}, {"run", Command::kRun},
      {"inspect", Command::kInspect}, {"verify", Command::kVerify},
      {"summary", Command::kSummary}, {"bench", Command::kBench},
      {"compare", Command::kCompare}, {"diff", Command::kDiff},
      {"pack", Command::kPack},       {"merge", Command::kMerge},
      {"extract", Command::kExtract}, {"prefix", Command::kPrefix},
      {"cache", Command::kCache},     {"devices", Command::kDevices},
      {"ep-test", Command::kEpTest}};
  const auto chosen = std::find_if(std::begin(kCommands), std::end(kCommands),
                                   [&](const auto& known) { return known.first == name; });
  if (chosen != std::end(kCommands)) a.command = chosen->second;
  if (name == "compile") split_session(a.compile.session, parsed.for_compile);
  if (name == "run") split_session(a.run.session, parsed.for_run);
  if (name == "bench") split_session(a.bench.session, parsed.for_bench);
  if (name == "compare") split_session(a.compare.session, parsed.for_compare);
  if (name == "ep-test") {
    a.ep_test.provider_options = split_pairs("--ep-opt", parsed.for_ep_test.provider_options);
  }
  if (name == "cache") split_session(a.cache.session, parsed.for_cache);
}

// The words of the command line, in the form that the parser understands. A value that may be left
// out is written down, since it would take the model for it; "model summary" is "summary".
std::vector<const char*> words_of(int argc, const char* const* argv) {
  static const std::string all = std::string(kLayers) + "=0";
  std::vector<const char*> words(argv, argv + argc);
  const auto is = [&](size_t i, std::string_view word) {
    return i < words.size() && words[i] == word;
  };
  if (is(1, "model") && is(2, "summary")) words.erase(words.begin() + 1);
  for (size_t i = 0; i < words.size(); i++) {
    const std::string next = i + 1 < words.size() ? words[i + 1] : "";
    const bool is_number = !next.empty() && next.find_first_not_of("0123456789") == next.npos;
    if (is(i, kLayers) && !is_number) words[i] = all.c_str();
  }
  return words;
}

}  // namespace

void parse_arguments(int argc, const char* const* argv, Arguments& a) {
  const std::vector<const char*> words = words_of(argc, argv);
  const auto is_written = [&](std::string_view word) {
    return std::find(words.begin() + (argc > 0), words.end(), word) != words.end();
  };
  // --json counts also where the rest cannot be understood.
  a.json = is_written("--json");
  CLI::App app{"", "ortc"};
  app.require_subcommand(0, 1);
  Parsed parsed;
  const Grammar grammar = describe(app, a, parsed);
  if (words.size() > 1 && (is_written("--help") || is_written("-h"))) {
    const bool has_command = words[1][0] != '-';
    a.text = help_text(grammar, command_named(grammar, has_command ? words[1] : ""));
    return;
  }

  const auto chosen = [&] {
    const auto commands = app.get_subcommands();
    return commands.empty() ? std::string() : commands.front()->get_name();
  };
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    a.command_name = chosen();
    refuse_remaining(app.remaining(/*recurse=*/true), command_named(grammar, chosen()), grammar);
    const std::string where = chosen().empty() ? "ortc" : "ortc " + chosen();
    throw usage_error(plain_message(error.what()) + " (see '" + where + " --help')");
  }

  a.command_name = chosen();
  if (parsed.version) {
    a.text = version_text();
    return;
  }
  if (a.command_name.empty()) throw usage_error("no command given (see 'ortc help')");
  if (a.command_name == "help") {
    a.text = text_of_help(grammar, parsed);
    return;
  }
  if (a.command_name == "completion") {
    a.text = completion_script(grammar, parsed.shell);
    return;
  }
  take_command(a.command_name, a, parsed);
  check_needs(a, command_named(grammar, a.command_name));
}

}  // namespace ortc::tool
