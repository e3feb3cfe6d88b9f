// SPDX-License-Identifier: MIT
// Compiling through the Compile API. Two models are one sharing group: the second ends it. A
// library that cannot share yet compiles each with a context of its own.
#include <memory>

#include "bench/driver/memory.h"
#include "bench/driver/modes.h"
#include "bench/driver/runner.h"

namespace bench {
namespace {

// ORT_..._ERROR_IF_NO_NODES_COMPILED of the Compile API.
constexpr uint32_t kErrorIfNothingCompiled = 1;

// False, and nothing is written, when the models shall share a context and the library cannot.
bool compile(const Start& start, const Arguments& arguments, size_t index, bool shares) {
  const Library& library = start.library;
  const OrtCompileApi& api = *library.api->GetCompileApi();
  OrtSessionOptions* session = make_options(library, arguments);
  if (shares) {
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
  OrtStatus* status = api.CompileModel(start.env, options);
  const bool is_left =
      shares && status != nullptr && library.api->GetErrorCode(status) == ORT_NOT_IMPLEMENTED;
  if (is_left) {
    library.api->ReleaseStatus(status);
  } else {
    library.check(status, "CompileModel of " + arguments.models[index]);
  }
  api.ReleaseModelCompilationOptions(options);
  library.api->ReleaseSessionOptions(session);
  return !is_left;
}

}  // namespace

void measure_compile(const Start& start, const Arguments& arguments, JsonText& result) {
  if (arguments.models.empty() || arguments.models.size() != arguments.outputs.size()) {
    throw Failure("this mode takes an --output for each --model");
  }
  std::unique_ptr<PeakSampler> sampler;
  if (arguments.is_peak_wanted) sampler = std::make_unique<PeakSampler>();
  const Stopwatch watch;
  bool shares = arguments.models.size() > 1;
  for (size_t i = 0; i < arguments.models.size(); i++) {
    if (compile(start, arguments, i, shares)) continue;
    shares = false;
    compile(start, arguments, i, shares);
  }
  result.add("compile_ms", watch.ms());
  if (sampler) result.add("peak_compile_bytes", sampler->stop());
  result.add("base_bytes", start.base_bytes);
}

}  // namespace bench
