// SPDX-License-Identifier: MIT
// The same session again and again, each time with one function of the library absent, failing, or
// newer than the version that the provider declares.
#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tools/ep_mask/ep_mask.h"
#include "tools/ortc/ep_test/check.h"
#include "tools/ortc/ep_test/probe.h"

namespace ortc::tool {
namespace {

struct Slot {
  std::string name;
  int version = 0;
  bool gives_status = false;
};

// Beside the library that this tool runs on, as it is built and installed.
std::string mask_path() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(&OrtGetVersionString), &info) == 0) return "";
  return (std::filesystem::canonical(info.dli_fname).parent_path() / "libortc_ep_mask.so").string();
}

std::vector<Slot> slots() {
  void* const library = dlopen(mask_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw failure(std::string("the mask is not there: ") + dlerror());
  const auto list = reinterpret_cast<OrtcEpMaskSlotsFn>(dlsym(library, "ortc_ep_mask_slots"));
  std::istringstream lines(list != nullptr ? list() : "");
  std::vector<Slot> slots;
  Slot slot;
  for (std::string answer; lines >> slot.name >> slot.version >> answer;) {
    slot.gives_status = answer == "status";
    slots.push_back(slot);
  }
  dlclose(library);
  return slots;
}

// How often something was masked. `mask` is its library, which stays loaded.
int times_masked(void* mask) {
  const auto count = reinterpret_cast<OrtcEpMaskAppliedFn>(dlsym(mask, "ortc_ep_mask_applied"));
  return count != nullptr ? count() : 0;
}

struct Outcome {
  std::string error;       // what ended it; "": nothing
  std::string difference;  // from the CPU's results
  bool has_claimed = false;
};

Outcome try_session(const EpTestArguments& arguments) {
  Outcome outcome;
  try {
    Probe probe(arguments, mask_path());
    try {
      const Session session = probe.session(probe.options().get());
      outcome.has_claimed = probe.claimed(session.get()) > 0;
      outcome.difference = probe.difference(session.get());
      if (outcome.difference.empty()) {
        outcome.difference = probe.difference_in_place(session.get());
      }
    } catch (const ToolError& error) {
      outcome.error = error.what();
    }
    probe.unregister();
  } catch (const ToolError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

// What names the mask names the library behind it.
std::string named(const EpTestArguments& arguments, std::string text) {
  const std::string mask = mask_path();
  for (size_t at = text.find(mask); at != text.npos; at = text.find(mask)) {
    text.replace(at, mask.size(), std::filesystem::path(arguments.library).filename().string());
  }
  return text;
}

Finding ask(const EpTestArguments& arguments, const Slot& slot, const std::string& how) {
  setenv("ORTC_EP_MASK_LIBRARY", std::filesystem::absolute(arguments.library).c_str(), 1);
  setenv("ORTC_EP_MASK_SLOT", slot.name.c_str(), 1);
  setenv("ORTC_EP_MASK_HOW", how.c_str(), 1);
  void* const mask = dlopen(mask_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  const Outcome outcome = try_session(arguments);
  if (mask == nullptr || times_masked(mask) == 0) {
    return not_applicable("the library does not have it");
  }
  if (!outcome.difference.empty()) return failed(outcome.difference);
  if (!outcome.error.empty()) {
    const std::string error = named(arguments, outcome.error);
    const bool must_tell = how == "failing" && slot.gives_status;
    if (must_tell && error.find(ORTC_EP_MASK_TEXT) == error.npos) {
      return failed("expected the error '" ORTC_EP_MASK_TEXT "', found: " + error);
    }
    return passed("a clear error: " + error);
  }
  return passed(outcome.has_claimed ? "sessions work all the same" : "the CPU provider takes over");
}

}  // namespace

std::vector<Check> callback_checks(const EpTestArguments& arguments) {
  std::vector<Check> checks;
  for (const Slot& slot : slots()) {
    for (const char* how : {"absent", "failing", "newer"}) {
      // No provider declares less than its struct began with.
      const int first_version = slot.name.rfind("OrtKernelImpl.", 0) == 0 ? 24 : 23;
      if (std::string(how) == "newer" && slot.version <= first_version) continue;
      checks.push_back({"callbacks", slot.name + " is " + how,
                        [&arguments, slot, how] { return ask(arguments, slot, how); }});
    }
  }
  return checks;
}

std::vector<Check> all_checks(const EpTestArguments& arguments, const std::string& scratch) {
  std::vector<Check> checks = library_checks(arguments);
  for (auto&& more : {session_checks(arguments, scratch), context_checks(arguments, scratch),
                      callback_checks(arguments)}) {
    checks.insert(checks.end(), more.begin(), more.end());
  }
  return checks;
}

}  // namespace ortc::tool
