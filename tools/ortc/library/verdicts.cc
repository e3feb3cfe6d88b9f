// SPDX-License-Identifier: MIT
// The verdict comes from an inspection, which makes no session.

#include "tools/ortc/library/verdicts.h"

#include <filesystem>

#include "tools/ortc/library/api.h"
#include "tools/ortc/library/inspection.h"

namespace ortc::tool {
namespace {

constexpr Verdict kVerdicts[] = {
    {"not_compiled", "an ordinary model: compiling it makes it load faster", kExitOk},
    {"optimal", "runs here, as it was compiled", kExitOk},
    {"prefer_recompilation", "runs here; compiled again it would run better", kExitOk},
    {"broken", "does not load; compile the model again", kExitNeedsCompilation},
    {"unsupported", "was compiled for something else and does not run here", kExitNotSupported},
    {"not_applicable", "no execution provider here can run it", kExitNotSupported},
};

std::string beside(const std::string& model, const std::string& name) {
  return (std::filesystem::path(model).parent_path() / name).string();
}

}  // namespace

const Verdict* find_verdict(const std::string& word) {
  for (const Verdict& verdict : kVerdicts) {
    if (word == verdict.word) return &verdict;
  }
  return nullptr;
}

ToolError explained(ToolError error, const std::string& model) {
  error.add_detail("model", model);
  const Verdict* verdict = nullptr;
  std::string kind, source;
  try {
    const Json inspection = inspect_file(model, OrtInspectFlags_NONE);
    kind = inspection.text("kind");
    verdict = find_verdict(inspection.text("verdict"));
    source = inspection.at("source").text("name");  // it stood beside the model
  } catch (const ToolError&) {
    return error;  // it cannot even be looked into: the first error says why
  }
  if (kind == "context_binary") {
    return error.set_hint(
        "this is a context binary; give the compiled model beside it, *_ctx.onnx");
  }
  if (verdict == nullptr || verdict->exit_code == kExitOk) return error;
  error.set_exit_code(verdict->exit_code).add_detail("verdict", verdict->word);
  if (verdict->exit_code == kExitNeedsCompilation) {
    error.set_hint("compile its source model again: ortc compile " +
                   beside(model, source.empty() ? "SOURCE.onnx" : source) + " -o " + model);
  } else {
    error.set_hint("'ortc inspect " + model + "' says what it was compiled for");
  }
  return error;
}

}  // namespace ortc::tool
