// SPDX-License-Identifier: MIT
// One measurement of one library per process, printed as one line of JSON:
//
//   bench_driver MODE --library LIBRARY [--model MODEL] ...
//
// bench/README.md lists modes and options. The exit code is 1 and the JSON has "error" when
// anything failed; times that were not measured are not there.
#include <cstdio>
#include <cstdlib>
#include <map>

#include "bench/driver/memory.h"
#include "bench/driver/modes.h"
#include "bench/driver/runner.h"

namespace {

using namespace bench;

using Mode = void (*)(const Start&, const Arguments&, JsonText&);

void measure_nothing(const Start&, const Arguments&, JsonText&) {}

const std::map<std::string, Mode> kModes = {
    {"init", measure_nothing},      {"session", measure_session},   {"pair", measure_pair},
    {"parallel", measure_parallel}, {"compile", measure_compile},   {"optimise", measure_optimise},
    {"profile", measure_profile},   {"generate", measure_generate},
};

Start start_library(const std::string& path) {
  Start start;
  const Stopwatch watch;
  start.library = open_library(path);
  start.library_ms = watch.ms();
  start.env = make_env(start.library);
  start.init_ms = watch.ms();
  start.base_bytes = private_bytes();
  return start;
}

void measure(int argc, char** argv, JsonText& result) {
  const Arguments arguments = parse_arguments(argc, argv);
  const auto mode = kModes.find(arguments.mode);
  if (mode == kModes.end()) throw Failure("there is no mode " + arguments.mode);
  const Start start = start_library(arguments.library);
  result.add("mode", arguments.mode)
      .add("table", start.library.base_name)
      .add("table_version", std::string(start.library.base->GetVersionString()))
      .add("library_ms", start.library_ms)
      .add("init_ms", start.init_ms);
  mode->second(start, arguments, result);
}

}  // namespace

int main(int argc, char** argv) {
  JsonText result;
  int exit_code = 0;
  try {
    measure(argc, argv, result);
  } catch (const std::exception& error) {
    result.add("error", std::string(error.what()));
    exit_code = 1;
  }
  std::printf("%s\n", result.text().c_str());
  std::fflush(stdout);
  // Libraries with threads of their own are not asked to end them.
  std::_Exit(exit_code);
}
