// SPDX-License-Identifier: MIT
// One loaded library and the factories that it gave. It ends with the last factory, provider or
// allocator of it: then the factories are given back and the library is unloaded.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/api/env/logger_handle.h"
#include "core/api/plugin/plugin_call.h"
#include "core/base/key_values.h"
#include "core/platform/machine/shared_library.h"
#include "ort_c/ort_api.h"

namespace ortc::api {

class PluginLibrary {
 public:
  struct Setup {
    std::string registration_name, path;
    Logger logger;
    KeyValues entries;  // of the environment, as the library is to see them
  };
  static Result<std::shared_ptr<PluginLibrary>> open(Setup setup);
  ~PluginLibrary();
  PluginLibrary(const PluginLibrary&) = delete;
  PluginLibrary& operator=(const PluginLibrary&) = delete;

  const std::vector<OrtEpFactory*>& factories() const { return factories_; }
  const std::string& path() const { return library_->path(); }
  const KeyValues& entries() const { return setup_.entries; }
  bool may_be_virtual() const;

  // The library whose function this thread is in; null when it is in none. What such a function
  // asks without saying for which environment is answered for this one.
  static const PluginLibrary* current();
  // While it lives the thread is in the library.
  class Scope {
   public:
    explicit Scope(const PluginLibrary& library);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const PluginLibrary* before_;
  };

 private:
  using ReleaseFactory = OrtStatus* (*)(OrtEpFactory*);
  explicit PluginLibrary(Setup setup);
  Status make_factories();

  Setup setup_;
  OrtLogger logger_;
  std::unique_ptr<SharedLibrary> library_;
  ReleaseFactory release_ = nullptr;
  std::vector<OrtEpFactory*> factories_;
};

}  // namespace ortc::api
