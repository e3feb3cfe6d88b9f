// SPDX-License-Identifier: MIT
// From the words of the command line to the arguments of a command.
#include "tools/ortc/command_line/arguments.h"

#include <algorithm>

#include "CLI/CLI.hpp"
#include "tools/ortc/command_line/command_list.h"
#include "tools/ortc/command_line/completion.h"
#include "tools/ortc/command_line/help.h"
#include "tools/ortc/command_line/needs.h"
#include "tools/ortc/command_line/refusals.h"
#include "tools/ortc/library/api.h"

namespace ortc::tool {
namespace {

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
  RawPairs for_compile, for_run, for_bench, for_compare, for_cache, for_ep_test, for_package;
  std::vector<std::string> variants;
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
  add("package", "Make a folder with variants of models, or look into one",
      [&](auto& command) { add_package(command, a.package, parsed.for_package, parsed.variants); });
  add("devices", "List execution providers, their devices and targets",
      [&](auto& command) { add_devices(command, a.devices); });
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
      {"ep-test", Command::kEpTest},  {"package", Command::kPackage}};
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
  if (name == "package") {
    split_session(a.package.session, parsed.for_package);
    a.package.variants = split_pairs("--variant", parsed.variants);
  }
}

// The words of the command line, in the form that the parser understands. A value that may be left
// out is written down, since it would take the model for it; "model summary" is "summary", and
// "help model" that of it.
std::vector<const char*> words_of(int argc, const char* const* argv) {
  static const std::string all = std::string(kLayers) + "=0";
  std::vector<const char*> words(argv, argv + argc);
  const auto is = [&](size_t i, std::string_view word) {
    return i < words.size() && words[i] == word;
  };
  const size_t at = is(1, "help") ? 2 : 1;
  if (is(at, "model") && is(at + 1, "summary")) words.erase(words.begin() + at);
  const bool is_asked = at == 2 || is(2, "--help") || is(2, "-h");
  if (is(at, "model") && is_asked) words[at] = "summary";
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
