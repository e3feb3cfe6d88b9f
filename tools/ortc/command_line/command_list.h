// SPDX-License-Identifier: MIT
// The commands and their options, one function each: in model_commands.cc those that make sessions,
// in file_commands.cc those that look into files, change them or test libraries.
#pragma once

#include "tools/ortc/command_line/arguments.h"
#include "tools/ortc/command_line/command_builder.h"

namespace ortc::tool {

// The texts are kept as they were written; split_pairs() takes them apart after parsing.
struct RawPairs {
  std::vector<std::string> provider_options, config, dimensions;
};

// Of bench; its value may be left out.
inline constexpr const char* kLayers = "--layers";

inline void add_json(CommandBuilder& command, bool& json) {
  command.flag("--json", json, "Print the result, or the error, as one JSON object");
}

void add_compile(CommandBuilder& command, CompileArguments& a, RawPairs& raw);
void add_run(CommandBuilder& command, RunArguments& a, RawPairs& raw);
void add_bench(CommandBuilder& command, BenchArguments& a, RawPairs& raw);
void add_compare(CommandBuilder& command, CompareArguments& a, RawPairs& raw);
void add_cache(CommandBuilder& command, CacheArguments& a, RawPairs& raw);

void add_inspect(CommandBuilder& command, InspectArguments& a);
void add_verify(CommandBuilder& command, LookArguments& a);
void add_summary(CommandBuilder& command, LookArguments& a);
void add_diff(CommandBuilder& command, LookArguments& a);
void add_pack(CommandBuilder& command, EditArguments& a);
void add_merge(CommandBuilder& command, EditArguments& a);
void add_extract(CommandBuilder& command, EditArguments& a);
void add_prefix(CommandBuilder& command, EditArguments& a);
void add_package(CommandBuilder& command, PackageArguments& a, RawPairs& raw,
                 std::vector<std::string>& variants);
void add_devices(CommandBuilder& command, DevicesArguments& a);
void add_ep_test(CommandBuilder& command, EpTestArguments& a, RawPairs& raw);

}  // namespace ortc::tool
