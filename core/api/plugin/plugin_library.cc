// SPDX-License-Identifier: MIT
// Loading a library of providers: see the header.
#include "core/api/plugin/plugin_library.h"

#include <algorithm>

#include "core/base/utf8.h"
#include "core/platform/path.h"

namespace ortc::api {
namespace {

constexpr size_t kFactoriesMost = 4;  // as in ONNX Runtime
constexpr char kAllowVirtual[] = "allow_virtual_devices";

using CreateFactories = OrtStatus* (*)(const char*, const OrtApiBase*, const OrtLogger*,
                                       OrtEpFactory**, size_t, size_t*);

thread_local const PluginLibrary* current_library = nullptr;

// Where the library is: beside this one, or seen from the current folder.
Result<std::string> find_library(const std::string& path) {
  if (path.empty()) return invalid_argument("'path' must not be empty");
  if (path.front() == '/') return path;
  const std::string beside =
      str_cat(folder_of_code(reinterpret_cast<const void*>(&OrtcGetApiBase)), path);
  if (path_exists(beside)) return beside;
  // With a folder in front the loader looks nowhere else.
  if (path_exists(path)) return str_cat("./", path);
  return make_status(Code::kNoSuchFile, "there is no library '", path, "', neither beside ",
                     "this one nor in the current folder");
}

}  // namespace

Result<std::string> text_of_plugin(std::string_view what, const char* text) {
  if (text == nullptr) return make_status(Code::kEpFail, what, " gave NULL, expected a text");
  for (std::string_view rest = text; !rest.empty();) {
    const size_t length = utf8_length(rest);
    if (length == 0) return make_status(Code::kEpFail, what, " gave a text that is not UTF-8");
    rest.remove_prefix(length);
  }
  return std::string(text);
}

const PluginLibrary* PluginLibrary::current() { return current_library; }

PluginLibrary::Scope::Scope(const PluginLibrary& library) : before_(current_library) {
  current_library = &library;
}

PluginLibrary::Scope::~Scope() { current_library = before_; }

PluginLibrary::PluginLibrary(Setup setup) : setup_(std::move(setup)), logger_{setup_.logger} {
  if (setup_.registration_name.ends_with(".virtual"))
    setup_.entries[kAllowVirtual] = std::string("1");
}

Result<std::shared_ptr<PluginLibrary>> PluginLibrary::open(Setup setup) {
  ASSIGN_OR_RETURN(const std::string path, find_library(setup.path));
  std::shared_ptr<PluginLibrary> library(new PluginLibrary(std::move(setup)));
  ASSIGN_OR_RETURN(library->library_, SharedLibrary::open(path));
  RETURN_IF_ERROR_WHILE(library->make_factories(), "the library '", path, "'");
  return library;
}

Status PluginLibrary::make_factories() {
  const auto create = reinterpret_cast<CreateFactories>(library_->find("CreateEpFactories"));
  release_ = reinterpret_cast<ReleaseFactory>(library_->find("ReleaseEpFactory"));
  if (create == nullptr || release_ == nullptr) {
    return fail("is not a library of execution providers: it does not export '",
                create == nullptr ? "CreateEpFactories" : "ReleaseEpFactory", "'");
  }
  std::vector<OrtEpFactory*> made(kFactoriesMost);
  size_t count = 0;
  {
    const Scope scope(*this);
    RETURN_IF_ERROR(call_plugin("CreateEpFactories", [&] {
      return create(setup_.registration_name.c_str(), OrtcGetApiBase(), &logger_, made.data(),
                    made.size(), &count);
    }));
  }
  // Those that are there go back, once each, whatever else is wrong with the answer.
  bool is_twice_there = false;
  for (OrtEpFactory* factory : made) {
    if (factory == nullptr) continue;
    const bool is_known = std::ranges::find(factories_, factory) != factories_.end();
    if (!is_known) factories_.push_back(factory);
    is_twice_there |= is_known;
  }
  if (count == 0 || count > made.size()) {
    return make_status(Code::kEpFail, "CreateEpFactories says that it made ", count,
                       " factories, expected 1 to ", made.size());
  }
  if (is_twice_there) {
    return make_status(Code::kEpFail, "CreateEpFactories gave twice the same factory");
  }
  if (factories_.size() != count) {
    return make_status(Code::kEpFail, "CreateEpFactories says that it made ", count,
                       " factories, but gave ", factories_.size());
  }
  return Status::ok();
}

PluginLibrary::~PluginLibrary() {
  const Scope scope(*this);
  for (OrtEpFactory* factory : factories_) {
    const Status ended = call_plugin("ReleaseEpFactory", [&] { return release_(factory); });
    if (!ended.is_ok()) {
      ORTC_LOG(setup_.logger, kWarning, "plugin", "'", path(), "': ", ended.message());
    }
  }
}

bool PluginLibrary::may_be_virtual() const {
  const auto entry = setup_.entries.find(kAllowVirtual);
  return entry != setup_.entries.end() && entry->second == "1";
}

}  // namespace ortc::api
