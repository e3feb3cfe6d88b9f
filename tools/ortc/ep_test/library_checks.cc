// SPDX-License-Identifier: MIT
// What can be asked of a library without a model.
#include <dlfcn.h>
#include <link.h>

#include <fstream>

#include "tools/ortc/ep_test/check.h"
#include "tools/ortc/ep_test/probe.h"
#include "tools/ortc/output/table.h"

namespace ortc::tool {
namespace {

constexpr int kTimes = 20;
constexpr char kNoDevice[] = "no device on this machine";

Finding has_exports(const EpTestArguments& arguments) {
  void* library = dlopen(arguments.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return failed(dlerror());
  for (const char* name : {"CreateEpFactories", "ReleaseEpFactory"}) {
    if (dlsym(library, name) == nullptr) {
      return failed(std::string("expected an exported function ") + name + ", found none");
    }
  }
  return passed();
}

Finding has_devices(const EpTestArguments& arguments) {
  const Probe probe(arguments);
  std::string text;
  for (const OrtEpDevice* device : probe.devices()) {
    static constexpr const char* kHardware[] = {"CPU", "GPU", "NPU"};
    const auto type = static_cast<size_t>(OrtHardwareDevice_Type(OrtEpDevice_Device(device)));
    text += (text.empty() ? "" : ", ") + std::string(OrtEpDevice_EpName(device)) + " on " +
            (type < 3 ? kHardware[type] : "other hardware");
  }
  if (!text.empty()) return passed(text);
  return not_applicable(
      kNoDevice + std::string(probe.registration().ends_with(".virtual")
                                  ? ""
                                  : "; virtual devices are offered with --name NAME.virtual"));
}

Finding is_utf8(const char* text, const std::string& what) {
  if (text == nullptr || *text == '\0') return failed("expected " + what + ", found none");
  if (printable(text) != text) return failed(what + " is not plain UTF-8: " + printable(text));
  return passed();
}

Finding has_good_texts(const EpTestArguments& arguments) {
  const Probe probe(arguments);
  std::string seen;
  for (const OrtEpDevice* device : probe.devices()) {
    const std::string name = OrtEpDevice_EpName(device);
    const OrtKeyValuePairs* metadata = OrtEpDevice_EpMetadata(device);
    const char* version = OrtGetKeyValue(metadata, kOrtEpDevice_EpMetadataKey_Version);
    const std::pair<const char*, const char*> texts[] = {{name.c_str(), "a name"},
                                                         {OrtEpDevice_EpVendor(device), "a vendor"},
                                                         {version, "a version"}};
    for (const auto& [text, what] : texts) {
      const Finding finding = is_utf8(text, what + (" of " + name));
      if (finding.verdict != CheckVerdict::kPassed) return finding;
    }
    seen = name + " " + version + " of " + OrtEpDevice_EpVendor(device);
  }
  return seen.empty() ? not_applicable(kNoDevice) : passed(seen);
}

bool is_mapped(const std::string& library) {
  char* real = realpath(library.c_str(), nullptr);
  const std::string path = real != nullptr ? real : library;
  std::free(real);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.ends_with(path)) return true;
  }
  return false;
}

// Whether it was linked to stay: -z nodelete.
bool wants_to_stay(const std::string& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  link_map* map = nullptr;
  if (handle == nullptr || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) return false;
  bool stays = false;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_FLAGS_1) stays = (entry->d_un.d_val & DF_1_NODELETE) != 0;
  }
  dlclose(handle);
  return stays;
}

Finding comes_and_goes(const EpTestArguments& arguments) {
  for (int i = 0; i < kTimes; ++i) {
    Probe probe(arguments);
    probe.unregister();
    if (!probe.devices().empty()) return failed("devices of the library are left");
  }
  const std::string times = std::to_string(kTimes) + " times";
  if (is_mapped(arguments.library)) {
    if (wants_to_stay(arguments.library)) return passed(times + "; it was linked to stay");
    return failed("the library stays in memory after " + times +
                  ": it has unique symbols (-fno-gnu-unique) or thread-local destructors");
  }
  return passed(times + ", and out of memory then");
}

Finding refuses_a_second_name(const EpTestArguments& arguments) {
  const Probe probe(arguments);
  if (probe.devices().empty()) return not_applicable(kNoDevice);
  const std::string second = "second_" + probe.registration();
  try {
    check(OrtRegisterExecutionProviderLibrary(probe.env(), second.c_str(),
                                              arguments.library.c_str()));
  } catch (const ToolError& error) {
    const auto session = probe.session(probe.options().get());
    return passed(error.what());
  }
  return passed("it has other providers then");
}

}  // namespace

std::vector<Check> library_checks(const EpTestArguments& arguments) {
  const auto check = [&](const char* name, Finding (*ask)(const EpTestArguments&)) {
    return Check{"library", name, [&arguments, ask] { return ask(arguments); }};
  };
  return {check("exports what the runtime calls", has_exports), check(kOffersDevices, has_devices),
          check("says its name, vendor and version", has_good_texts),
          check("comes and goes", comes_and_goes),
          check("is there once under two names", refuses_a_second_name)};
}

}  // namespace ortc::tool
