// SPDX-License-Identifier: MIT
// Libraries, by libuv: see the header.
#include "core/platform/machine/shared_library.h"

#include <dlfcn.h>
#include <uv.h>

#include "core/platform/path.h"

namespace ortc {

struct SharedLibrary::Impl {
  uv_lib_t library{};
};

SharedLibrary::SharedLibrary(std::unique_ptr<Impl> impl, std::string path)
    : impl_(std::move(impl)), path_(std::move(path)) {}

SharedLibrary::~SharedLibrary() { uv_dlclose(&impl_->library); }

Result<std::unique_ptr<SharedLibrary>> SharedLibrary::open(const std::string& path) {
  if (!path_exists(path)) {
    return make_status(Code::kNoSuchFile, "the library '", path, "' does not exist");
  }
  auto impl = std::make_unique<Impl>();
  if (uv_dlopen(path.c_str(), &impl->library) != 0) {
    Status failure = fail("the library '", path,
                          "' cannot be loaded: ", std::string_view(uv_dlerror(&impl->library)));
    uv_dlclose(&impl->library);  // frees the words
    return failure;
  }
  return std::unique_ptr<SharedLibrary>(new SharedLibrary(std::move(impl), path));
}

void* SharedLibrary::find(const char* name) const {
  void* address = nullptr;
  return uv_dlsym(&impl_->library, name, &address) == 0 ? address : nullptr;
}

std::string folder_of_code(const void* address) {
  Dl_info found;
  if (dladdr(address, &found) == 0 || found.dli_fname == nullptr) return {};
  const std::string path = found.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

}  // namespace ortc
