// SPDX-License-Identifier: MIT
// An environment: what sessions and compilers keep of it, and the program's handle.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "core/api/env/device_handles.h"
#include "core/api/env/registered_allocators.h"
#include "core/api/plugin/plugin_libraries.h"
#include "core/session/environment.h"
#include "ort_c/types.h"

namespace ortc::api {

// The part of an environment that sessions and compilers keep.
struct SharedEnvironment {
  SharedEnvironment();
  ~SharedEnvironment();
  std::shared_ptr<const Environment> environment;
  KeyValues entries;  // config entries of the environment; do not change
  DeviceList devices;
  PluginLibraries plugins;
  RegisteredAllocators allocators;
  // Config keys that were said to have no effect: each is said once.
  std::mutex mutex;
  std::set<std::string, std::less<>> reported_keys;
};

}  // namespace ortc::api

struct OrtEnv {
  std::shared_ptr<ortc::api::SharedEnvironment> shared;
};
