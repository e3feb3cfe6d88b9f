// SPDX-License-Identifier: MIT
// The libraries of execution providers that an environment has. Thread-safe; no function of a
// library is called under the lock.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "core/base/status.h"

namespace ortc::api {

struct SharedEnvironment;

class PluginLibraries {
 public:
  // All or nothing.
  Status add(SharedEnvironment& shared, const std::string& name, const std::string& path);
  Status remove(SharedEnvironment& shared, std::string_view name);

 private:
  // The library itself is kept by those who use it: its factories.
  struct Entry {
    std::string name;
    std::vector<std::string> providers;
    bool is_ready = false;  // false: it is being registered at this moment
  };
  // A name whose library is not there in the end is free again.
  struct Reservation {
    PluginLibraries& libraries;
    const std::string& name;
    bool is_kept = false;
    ~Reservation();
  };
  std::vector<Entry>::iterator find(std::string_view name);

  std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace ortc::api
