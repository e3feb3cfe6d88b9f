// SPDX-License-Identifier: MIT
// One row per option. "" stands for the model, which needs no option.

#include "tools/ortc/command_line/other_tools.h"

#include <algorithm>

namespace ortc::tool {
namespace {

struct OtherName {
  const char* other;
  const char* here;
};
constexpr OtherName kOtherNames[] = {
    {"--onnx", ""},
    {"--model", ""},
    {"--loadEngine", ""},
    {"-m", ""},
    {"--saveEngine", "--output"},
    {"--shapes", "--shape"},
    {"--minShapes", "--shape"},
    {"--optShapes", "--shape"},
    {"--maxShapes", "--shape"},
    {"-data_shape", "--shape"},
    {"--loadInputs", "--input"},
    {"--load-inputs", "--input"},
    {"--save-outputs", "--output-dir"},
    {"--saveAllOutputs", "--output-dir"},
    {"--markDebug", "--dump-node"},
    {"--dumpProfile", "--layers"},
    {"--exportProfile", "--csv"},
    {"--exportTimes", "--export-times"},
    {"-pc", "--layers"},
    {"-niter", "--iterations"},
    {"-r", "--iterations"},
    {"-t", "--duration"},
    {"-w", "--warmup"},
    {"-nstreams", "--streams"},
    {"-nireq", "--streams"},
    {"-c", "--streams"},
    {"-nthreads", "--threads"},
    {"-x", "--threads"},
    {"-e", "--ep"},
    {"-d", "--ep"},
    {"-p", "--profile"},
    {"-i", "--ep-opt"},
};

}  // namespace

std::string name_here(const std::string& option, const CommandGrammar& command) {
  for (const OtherName& row : kOtherNames) {
    if (option != row.other) continue;
    const std::string here = row.here;
    if (here.empty() && !command.positionals.empty()) {
      return "; the model stands without an option: ortc " + command.name + " " +
             command.positionals.front().names;
    }
    const bool is_known =
        std::any_of(command.options.begin(), command.options.end(),
                    [&](const OptionGrammar& known) { return known.long_name() == here; });
    if (is_known) return "; here that is '" + here + "'";
  }
  return {};
}

}  // namespace ortc::tool
