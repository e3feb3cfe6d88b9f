// SPDX-License-Identifier: MIT
// ortc: compiles ONNX models ahead of time, runs them, and looks into them. Results go to stdout,
// everything else to stderr; a failure is one line, "ortc: <CODE>: message", perhaps a hint, and an
// exit code. With --json a failure is an object on stdout as well.

#include <cstdio>
#include <exception>
#include <new>

#include "tools/ortc/command_line/arguments.h"
#include "tools/ortc/commands.h"
#include "tools/ortc/library/api.h"
#include "tools/ortc/output/console.h"
#include "tools/ortc/output/json.h"
#include "tools/ortc/output/table.h"
#include "tools/ortc/signals.h"
#include "tools/ortc/standard_streams.h"

namespace ortc::tool {
namespace {

constexpr int kExitTrouble = 2;

int dispatch(const Arguments& arguments) {
  switch (arguments.command) {
    case Command::kCompile:
      return command_compile(arguments.compile);
    case Command::kRun:
      return command_run(arguments.run);
    case Command::kInspect:
      return command_inspect(arguments.inspect);
    case Command::kVerify:
      return command_verify(arguments.look);
    case Command::kSummary:
      return command_summary(arguments.look);
    case Command::kDiff:
      return command_diff(arguments.look);
    case Command::kPack:
      return command_pack(arguments.edit);
    case Command::kMerge:
      return command_merge(arguments.edit);
    case Command::kExtract:
      return command_extract(arguments.edit);
    case Command::kPrefix:
      return command_prefix(arguments.edit);
    case Command::kBench:
      return command_bench(arguments.bench);
    case Command::kCompare:
      return command_compare(arguments.compare);
    case Command::kCache:
      return command_cache(arguments.cache);
    case Command::kPackage:
      return command_package(arguments.package);
    case Command::kDevices:
      return command_devices(arguments.devices);
    case Command::kEpTest:
      return command_ep_test(arguments.ep_test);
    case Command::kNone:
      break;
  }
  std::fputs(arguments.text.c_str(), stdout);
  return kExitOk;
}

Json error_json(const ToolError& error, const Arguments& arguments) {
  Json details = Json::object();
  for (const auto& [name, value] : error.details()) details.set(name, value);
  return Json::object()
      .set("schema", "ortc.error/1")
      .set("command", arguments.command_name)
      .set("code", error.code())
      .set("text", error.what())
      .set("hint", error.hint())
      .set("exit_code", error.exit_code())
      .set("details", details);
}

// Some texts of the library have several lines, as ONNX Runtime's do.
std::string one_line(const std::string& text) {
  std::string line;
  for (char c : text) line += c == '\n' ? std::string("; ") : std::string(1, c);
  return line;
}

int show(ToolError error, const Arguments& arguments) {
  // 1 says of diff that the files are different.
  if (arguments.command == Command::kDiff) error.set_exit_code(kExitTrouble);
  // Whatever the library said after a signal, it said because of the signal.
  if (heard_signal() != 0) error = cancelled_error();
  say_bar("");
  say_line("ortc: " + styled(stderr, Style::kRed, error.code()) + ": " +
           printable(one_line(error.what())));
  if (!error.hint().empty()) {
    say_line(styled(stderr, Style::kBold, "hint") + ": " + printable(error.hint()));
  }
  if (arguments.json) {
    std::printf("%s\n", error_json(error, arguments).dump().c_str());
    std::fflush(stdout);
  }
  return error.exit_code();
}

int run_tool(int argc, const char* const* argv) {
  Arguments arguments;
  try {
    parse_arguments(argc, argv, arguments);
    const int exit_code = dispatch(arguments);
    // A result that did not arrive is a failure: a full disk, a closed pipe.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      throw failure("the result could not be written to stdout");
    }
    return exit_code;
  } catch (const ToolError& error) {
    return show(error, arguments);
  } catch (const std::bad_alloc&) {
    return show(failure("out of memory"), arguments);
  } catch (const std::exception& error) {
    return show(ToolError(kExitFailure, "RUNTIME_EXCEPTION", error.what()), arguments);
  }
}

}  // namespace
}  // namespace ortc::tool

int main(int argc, char** argv) {
  ortc::tool::open_standard_streams();
  ortc::tool::watch_signals();
  return ortc::tool::run_tool(argc, argv);
}
