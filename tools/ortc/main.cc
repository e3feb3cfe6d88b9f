// SPDX-License-Identifier: MIT
// ortc: compiles ONNX models ahead of time, runs them, and looks into them. Results go to stdout,
// everything else to stderr; a failure is one line, "ortc: <CODE>: message", and an exit code.

#include <cstdio>
#include <exception>

#include "tools/ortc/api.h"
#include "tools/ortc/arguments.h"
#include "tools/ortc/commands.h"

namespace ortc::tool {
namespace {

int dispatch(const Arguments& arguments) {
  switch (arguments.command) {
    case Command::kCompile:
      return command_compile(arguments.compile);
    case Command::kRun:
      return command_run(arguments.run);
    case Command::kInspect:
      return command_inspect(arguments.inspect);
    case Command::kBench:
      return command_bench(arguments.bench);
    case Command::kDevices:
      return command_devices(arguments.devices);
    case Command::kNone:
      break;
  }
  std::fputs(arguments.text.c_str(), stdout);
  return kExitOk;
}

int run_tool(int argc, const char* const* argv) {
  try {
    const int exit_code = dispatch(parse_arguments(argc, argv));
    // A result that did not arrive is a failure: a full disk, a closed pipe.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      throw failure("the result could not be written to stdout");
    }
    return exit_code;
  } catch (const ToolError& error) {
    std::fprintf(stderr, "ortc: %s: %s\n", error.code().c_str(), error.what());
    return error.exit_code();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ortc: RUNTIME_EXCEPTION: %s\n", error.what());
    return kExitFailure;
  }
}

}  // namespace
}  // namespace ortc::tool

int main(int argc, char** argv) { return ortc::tool::run_tool(argc, argv); }
