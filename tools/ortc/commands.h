// SPDX-License-Identifier: MIT
// One function per command, each in command_<name>.cc; those that write a compiled model of others
// share command_edit.cc; compile --share has command_compile_share.cc, inspect --picture
// command_picture.cc, and package create command_package_create.cc. They print their result to
// stdout and return the exit code; failures are thrown as ToolError.
#pragma once

#include "tools/ortc/command_line/arguments.h"

namespace ortc::tool {

int command_compile(const CompileArguments& arguments);
int command_compile_share(const CompileArguments& arguments);
int command_run(const RunArguments& arguments);
int command_inspect(const InspectArguments& arguments);
int command_picture(const InspectArguments& arguments);
int command_verify(const LookArguments& arguments);
int command_summary(const LookArguments& arguments);
int command_bench(const BenchArguments& arguments);
int command_compare(const CompareArguments& arguments);
int command_diff(const LookArguments& arguments);
int command_pack(const EditArguments& arguments);
int command_merge(const EditArguments& arguments);
int command_extract(const EditArguments& arguments);
int command_prefix(const EditArguments& arguments);
int command_cache(const CacheArguments& arguments);
int command_package(const PackageArguments& arguments);
int command_package_create(const PackageArguments& arguments);
int command_devices(const DevicesArguments& arguments);
int command_ep_test(const EpTestArguments& arguments);

}  // namespace ortc::tool
