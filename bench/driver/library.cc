// SPDX-License-Identifier: MIT
// Opening a library: the newest table that it and this program both know.
#include "bench/driver/library.h"

#include <dlfcn.h>

namespace bench {
namespace {

// Every entry that the driver calls is in the table of this version and all later ones.
constexpr uint32_t kApiVersion = 22;

}  // namespace

Library open_library(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw Failure(dlerror());
  Library library;
  for (const char* name : {"OrtcGetApiBase", "OrtGetApiBase"}) {
    if (void* symbol = dlsym(handle, name); symbol != nullptr) {
      library.base = reinterpret_cast<const OrtApiBase* (*)()>(symbol)();
      library.base_name = name;
      break;
    }
  }
  if (library.base == nullptr)
    throw Failure(path + " has neither OrtcGetApiBase nor OrtGetApiBase");
  library.api = library.base->GetApi(kApiVersion);
  if (library.api == nullptr) {
    throw Failure(path + " has no table of version " + std::to_string(kApiVersion));
  }
  return library;
}

void Library::check(OrtStatus* status, const std::string& doing) const {
  if (status == nullptr) return;
  const std::string text = doing + ": " + api->GetErrorMessage(status);
  api->ReleaseStatus(status);
  throw Failure(text);
}

}  // namespace bench
