// SPDX-License-Identifier: MIT
// ep_weight_sharing_ctx_gen: the command line that ONNX Runtime had for models that share a context
// binary. Sessions of one group are made one after the other and released at once; the last one
// publishes the files.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>

#include "ort_c/ort_cxx.h"
#include "tools/ep_weight_sharing_ctx_gen/command_line.h"
#include "tools/ortc/signals.h"
#include "tools/ortc/standard_streams.h"

namespace ortc::sharing_tool {
namespace {

constexpr const char* kName = "ep_weight_sharing_ctx_gen";

class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// "aot" for "AotExecutionProvider".
std::string short_name(const std::string& provider) {
  const std::string name = lower_case(provider);
  const size_t suffix = name.rfind("executionprovider");
  return suffix == std::string::npos || suffix == 0 ? name : name.substr(0, suffix);
}

// The provider as the library calls it; a case of letters does not matter.
std::string find_provider(const std::string& wanted) {
  std::string there;
  for (const std::string& provider : Ort::GetAvailableProviders()) {
    if (short_name(provider) == short_name(wanted)) return provider;
    there += (there.empty() ? "" : ", ") + short_name(provider);
  }
  throw BadArguments("there is no execution provider '" + wanted + "'; there are: " + there);
}

Ort::SessionOptions session_options(const CommandLine& line) {
  Ort::SessionOptions options;
  options.AddConfigEntry(kOrtSessionOptionEpContextEnable, "1")
      .AddConfigEntry(kOrtSessionOptionEpContextEmbedMode, "0")
      .AddConfigEntry(kOrtSessionOptionShareEpContexts, "1");
  for (const auto& [key, value] : line.config) options.AddConfigEntry(key.c_str(), value.c_str());
  options.AppendExecutionProvider(find_provider(line.provider),
                                  {line.provider_options.begin(), line.provider_options.end()});
  return options;
}

std::string output_of(const std::string& model) {
  namespace fs = std::filesystem;
  const fs::path path(model);
  return (path.parent_path() / (path.stem().string() + "_ctx.onnx")).string();
}

// Models of which nothing could be compiled have no file.
void report(const std::vector<std::string>& models) {
  size_t missing = 0;
  for (const std::string& model : models) {
    if (std::filesystem::exists(output_of(model))) continue;
    std::fprintf(stderr, "%s: nothing of '%s' could be compiled: it has no compiled model\n", kName,
                 model.c_str());
    ++missing;
  }
  if (missing == models.size()) throw Failure("nothing was compiled, and no file written");
  std::puts("Generation done!");
}

void generate(const CommandLine& line) {
  if (!line.plugin_file.empty()) {
    throw Failure("-p " + line.plugin_file +
                  ": libraries of execution providers are not taken here, but by programs that "
                  "register them; -e names one that is built in");
  }
  if (line.has_context_path) {
    std::fprintf(stderr, "%s: %s is ignored: each model is written beside its source\n", kName,
                 kOrtSessionOptionEpContextFilePath);
  }
  const Ort::Env env(line.verbose ? ORT_LOGGING_LEVEL_VERBOSE : ORT_LOGGING_LEVEL_WARNING, kName);
  Ort::SessionOptions options = session_options(line);
  const tool::CancelScope scope([&options] {
    OrtReleaseStatus(OrtSessionOptionsSetLoadCancellationFlag(options, /*cancel=*/true));
  });
  for (const std::string& model : line.models) {
    if (&model == &line.models.back()) {
      options.AddConfigEntry(kOrtSessionOptionStopShareEpContexts, "1");
    }
    if (line.verbose) std::fprintf(stderr, "%s: %s\n", kName, model.c_str());
    const Ort::Session session(env, model.c_str(), options);
  }
  report(line.models);
}

int fail(const char* what, int exit_code) {
  if (tool::heard_signal() != 0) {
    what = "stopped; nothing was written";
    exit_code = tool::cancelled_error().exit_code();
  }
  std::fprintf(stderr, "%s: %s\n", kName, what);
  return exit_code;
}

int run(int argc, char** argv) {
  try {
    const CommandLine line = parse_command_line(argc, argv);
    if (line.text.empty()) {
      generate(line);
    } else {
      std::fputs(line.text.c_str(), stdout);
    }
    const bool is_said = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    return is_said ? kExitOk : fail("the result could not be written to stdout", kExitFailure);
  } catch (const BadArguments& error) {
    const int exit_code = fail(error.what(), kExitBadArguments);
    std::fprintf(stderr, "see '%s -h'\n", kName);
    return exit_code;
  } catch (const std::exception& error) {
    return fail(error.what(), kExitFailure);
  }
}

}  // namespace
}  // namespace ortc::sharing_tool

int main(int argc, char** argv) {
  ortc::tool::open_standard_streams();
  ortc::tool::watch_signals();
  return ortc::sharing_tool::run(argc, argv);
}
