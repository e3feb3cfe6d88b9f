// SPDX-License-Identifier: MIT
// Compiling through the Compile API. Several models are one sharing group: the last ends it.
#include <memory>

#include "bench/driver/memory.h"
#include "bench/driver/modes.h"
#include "bench/driver/runner.h"

namespace bench {
namespace {

// ORT_..._ERROR_IF_NO_NODES_COMPILED of the Compile API.
constexpr uint32_t kErrorIfNothingCompiled = 1;

void compile(const Start& start, const Arguments& arguments, size_t index) {
  const Library& library = start.library;
  const OrtCompileApi& api = *library.api->GetCompileApi();
  OrtSessionOptions* session = make_options(library, arguments);
  if (arguments.models.size() > 1) {
    library.check(library.api->AddSessionConfigEntry(session, "ep.share_ep_contexts", "1"),
                  "AddSessionConfigEntry");
    const bool is_last = index + 1 == arguments.models.size();
    library.check(library.api->AddSessionConfigEntry(session, "ep.stop_share_ep_contexts",
                                                     is_last ? "1" : "0"),
                  "AddSessionConfigEntry");
  }
  OrtModelCompilationOptions* options = nullptr;
  library.check(api.CreateModelCompilationOptionsFromSessionOptions(start.env, session, &options),
                "CreateModelCompilationOptionsFromSessionOptions");
  library.check(
      api.ModelCompilationOptions_SetInputModelPath(options, arguments.models[index].c_str()),
      "SetInputModelPath");
  library.check(
      api.ModelCompilationOptions_SetOutputModelPath(options, arguments.outputs[index].c_str()),
      "SetOutputModelPath");
  library.check(api.ModelCompilationOptions_SetEpContextEmbedMode(options, arguments.is_embedded),
                "SetEpContextEmbedMode");
  library.check(api.ModelCompilationOptions_SetFlags(options, kErrorIfNothingCompiled), "SetFlags");
  library.check(api.CompileModel(start.env, options), "CompileModel of " + arguments.models[index]);
  api.ReleaseModelCompilationOptions(options);
  library.api->ReleaseSessionOptions(session);
}

}  // namespace

void measure_compile(const Start& start, const Arguments& arguments, JsonText& result) {
  if (arguments.models.empty() || arguments.models.size() != arguments.outputs.size()) {
    throw Failure("this mode takes an --output for each --model");
  }
  std::unique_ptr<PeakSampler> sampler;
  if (arguments.is_peak_wanted) sampler = std::make_unique<PeakSampler>();
  const Stopwatch watch;
  for (size_t i = 0; i < arguments.models.size(); i++) compile(start, arguments, i);
  result.add("compile_ms", watch.ms());
  if (sampler) result.add("peak_compile_bytes", sampler->stop());
  result.add("base_bytes", start.base_bytes);
}

}  // namespace bench
