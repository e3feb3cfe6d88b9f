// SPDX-License-Identifier: MIT
// Models compiled with the library's first provider: written, loaded, moved, damaged.
#include <filesystem>

#include "tools/ortc/ep_test/check.h"
#include "tools/ortc/ep_test/probe.h"

namespace ortc::tool {
namespace {

namespace fs = std::filesystem;

struct Compiled {
  fs::path folder, model;
  std::string why_not;  // "": it was compiled
};

Compiled compile(const Probe& probe, const EpTestArguments& arguments, const std::string& scratch,
                 bool embed) {
  Compiled compiled;
  static int number = 0;
  compiled.folder = fs::path(scratch) / (std::to_string(getpid()) + "_" + std::to_string(++number));
  fs::create_directories(compiled.folder);
  compiled.model = compiled.folder / "probe_ctx.onnx";
  const SessionOptions session = probe.options();
  const auto options = make<CompilationOptions>(OrtCreateModelCompilationOptionsFromSessionOptions,
                                                probe.env(), session.get());
  set_model(options.get(), arguments);
  check(OrtModelCompilationOptions_SetOutputModelPath(options.get(), compiled.model.c_str()));
  check(OrtModelCompilationOptions_SetEpContextEmbedMode(options.get(), embed));
  check(OrtModelCompilationOptions_SetFlags(options.get(),
                                            OrtCompileApiFlags_ERROR_IF_NO_NODES_COMPILED));
  OrtStatus* status = OrtCompileModel(probe.env(), options.get());
  if (status == nullptr) return compiled;
  compiled.why_not = OrtGetErrorMessage(status);
  OrtReleaseStatus(status);
  return compiled;
}

Session load(const Probe& probe, const fs::path& model) {
  const SessionOptions options = probe.options();
  check(OrtAddSessionConfigEntry(options.get(), kOrtSessionOptionsDisableModelCompile, "1"));
  return probe.session_of(model.string(), options.get());
}

// Asks about a model that was compiled, where the provider compiles one.
template <typename Ask>
Finding with_compiled(const EpTestArguments& arguments, const std::string& scratch, bool embed,
                      Ask ask) {
  const Probe probe(arguments);
  const Compiled compiled = compile(probe, arguments, scratch, embed);
  if (!compiled.why_not.empty()) {
    if (fs::exists(compiled.model)) return failed("a failed compile left " + compiled.why_not);
    return not_applicable("the provider compiles no node of the model: " + compiled.why_not);
  }
  return ask(probe, compiled);
}

Finding loads(const EpTestArguments& arguments, const std::string& scratch, bool embed) {
  return with_compiled(arguments, scratch, embed, [&](const Probe& probe, const Compiled& it) {
    size_t files = 0;
    for (const auto& entry : fs::directory_iterator(it.folder)) files += entry.is_regular_file();
    if (embed && files != 1) {
      return failed("expected one file, found " + std::to_string(files));
    }
    const Session session = load(probe, it.model);
    const std::string difference = probe.difference(session.get());
    if (!difference.empty()) return failed(difference);
    return passed(std::to_string(files) + (files == 1 ? " file" : " files"));
  });
}

Finding moves(const EpTestArguments& arguments, const std::string& scratch) {
  return with_compiled(arguments, scratch, false, [&](const Probe& probe, const Compiled& it) {
    const fs::path moved = it.folder.string() + " m\xC3\xB6ved";
    fs::rename(it.folder, moved);
    const Session session = load(probe, moved / it.model.filename());
    const std::string difference = probe.difference(session.get());
    return difference.empty() ? passed() : failed(difference);
  });
}

Finding notices_damage(const EpTestArguments& arguments, const std::string& scratch) {
  return with_compiled(arguments, scratch, false, [&](const Probe& probe, const Compiled& it) {
    std::string cut;
    for (const auto& entry : fs::directory_iterator(it.folder)) {
      if (entry.path() == it.model) continue;
      fs::resize_file(entry.path(), entry.file_size() / 2);
      cut = entry.path().filename().string();
    }
    if (cut.empty()) return not_applicable("the provider writes no files of its own");
    try {
      const Session session = load(probe, it.model);
      const std::string difference = probe.difference(session.get());
      if (difference.empty()) return passed("half of " + cut + " is enough");
      return failed("half of " + cut + " is loaded, and computes something else: " + difference);
    } catch (const ToolError& error) {
      return passed(error.what());
    }
  });
}

Finding judges(const EpTestArguments& arguments, const std::string& scratch) {
  return with_compiled(arguments, scratch, true, [&](const Probe& probe, const Compiled& it) {
    const std::string provider = probe.providers().front();
    OrtAllocator* allocator = nullptr;
    char* text = nullptr;
    check(OrtGetAllocatorWithDefaultOptions(&allocator));
    check(OrtGetCompatibilityInfoFromModel(it.model.c_str(), provider.c_str(), allocator, &text));
    if (text == nullptr) {
      return not_applicable("the provider has no GetCompiledModelCompatibilityInfo");
    }
    const std::string own = take_text(text);
    const auto devices = probe.devices(provider);
    const auto verdict = [&](const std::string& info) {
      OrtCompiledModelCompatibility out = OrtCompiledModelCompatibility_EP_UNSUPPORTED;
      check(
          OrtGetModelCompatibilityForEpDevices(devices.data(), devices.size(), info.c_str(), &out));
      return out;
    };
    const auto of_own = verdict(own), of_other = verdict("no text of this provider: \x01");
    if (of_own == OrtCompiledModelCompatibility_EP_UNSUPPORTED) {
      return failed("the provider calls what it has just compiled unsupported: '" + own + "'");
    }
    if (of_other == OrtCompiledModelCompatibility_EP_SUPPORTED_OPTIMAL) {
      return failed("the provider calls any text optimal");
    }
    return passed(own);
  });
}

}  // namespace

std::vector<Check> context_checks(const EpTestArguments& arguments, const std::string& scratch) {
  const auto check = [&](const char* name, auto ask) {
    return Check{"contexts", name, [&arguments, scratch, ask] { return ask(arguments, scratch); }};
  };
  return {check("compiles to files that load",
                [](const auto& a, const auto& to) { return loads(a, to, false); }),
          check("compiles to one file that loads",
                [](const auto& a, const auto& to) { return loads(a, to, true); }),
          check("finds its files in another folder", moves),
          check("notices a file that was cut", notices_damage),
          check("judges what it compiled, and what it did not", judges)};
}

}  // namespace ortc::tool
