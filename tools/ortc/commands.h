// SPDX-License-Identifier: MIT
// One function per command, each in command_<name>.cc. They print their result to stdout and return
// the exit code; failures are thrown as ToolError.
#pragma once

#include "tools/ortc/command_line/arguments.h"

namespace ortc::tool {

int command_compile(const CompileArguments& arguments);
int command_run(const RunArguments& arguments);
int command_inspect(const InspectArguments& arguments);
int command_bench(const BenchArguments& arguments);
int command_compare(const CompareArguments& arguments);
int command_devices(const DevicesArguments& arguments);

}  // namespace ortc::tool
