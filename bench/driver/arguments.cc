// SPDX-License-Identifier: MIT
// Options are pairs of words; a few stand alone.
#include "bench/driver/arguments.h"

#include <functional>
#include <map>

#include "bench/driver/library.h"

namespace bench {
namespace {

std::pair<std::string, std::string> split(const std::string& text) {
  const size_t at = text.find('=');
  if (at == std::string::npos) throw Failure("'" + text + "' is not NAME=VALUE");
  return {text.substr(0, at), text.substr(at + 1)};
}

}  // namespace

Arguments parse_arguments(int count, char** texts) {
  Arguments a;
  using Text = const std::string&;
  const std::map<std::string, std::function<void(Text)>> options = {
      {"--library", [&](Text v) { a.library = v; }},
      {"--provider", [&](Text v) { a.provider = v; }},
      {"--model", [&](Text v) { a.models.push_back(v); }},
      {"--output", [&](Text v) { a.outputs.push_back(v); }},
      {"--input", [&](Text v) { a.inputs.push_back(split(v)); }},
      {"--input2", [&](Text v) { a.inputs2.push_back(split(v)); }},
      {"--config", [&](Text v) { a.config.push_back(split(v)); }},
      {"--shared", [&](Text v) { a.shared = v; }},
      {"--dump", [&](Text v) { a.dump = v; }},
      {"--profile", [&](Text v) { a.profile = v; }},
      {"--threads", [&](Text v) { a.threads = std::stoi(v); }},
      {"--level", [&](Text v) { a.level = std::stoi(v); }},
      {"--seconds", [&](Text v) { a.seconds = std::stod(v); }},
      {"--least-runs", [&](Text v) { a.least_runs = std::stoull(v); }},
      {"--sessions", [&](Text v) { a.sessions = std::stoull(v); }},
      {"--prompt", [&](Text v) { a.prompt = std::stoull(v); }},
      {"--tokens", [&](Text v) { a.tokens = std::stoull(v); }},
      {"--most-runs", [&](Text v) { a.most_runs = std::stoull(v); }},
  };
  const std::map<std::string, std::function<void()>> flags = {
      {"--peak", [&] { a.is_peak_wanted = true; }},
      {"--embed", [&] { a.is_embedded = true; }},
      {"--no-run", [&] { a.is_first_run_wanted = false; }},
  };
  if (count < 2) throw Failure("the first argument is the mode");
  a.mode = texts[1];
  for (int i = 2; i < count; i++) {
    const std::string name = texts[i];
    if (const auto flag = flags.find(name); flag != flags.end()) {
      flag->second();
      continue;
    }
    const auto option = options.find(name);
    if (option == options.end()) throw Failure("there is no option " + name);
    if (i + 1 == count) throw Failure(name + " lacks its value");
    option->second(texts[++i]);
  }
  if (a.library.empty()) throw Failure("--library is missing");
  return a;
}

}  // namespace bench
