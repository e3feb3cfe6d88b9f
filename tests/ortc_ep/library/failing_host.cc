// SPDX-License-Identifier: MIT
// libortc_ep.so behind a host that is the program's runtime, but for one function: it makes no
// nodes. Nobody else can fail between the compiling of a context and its handing over.
#include <dlfcn.h>

#include "onnxruntime_c_api.h"

namespace {

const OrtApiBase* real = nullptr;
OrtApi api;
OrtModelEditorApi editor;
OrtApiBase base;

OrtStatus* make_no_node(const char*, const char*, const char*, const char* const*, size_t,
                        const char* const*, size_t, OrtOpAttr**, size_t, OrtNode** node) {
  *node = nullptr;
  return api.CreateStatus(ORT_FAIL, "this host makes no nodes");
}

const OrtModelEditorApi* get_editor() noexcept { return &editor; }

const OrtApi* get_api(uint32_t version) noexcept {
  const OrtApi* const whole = real->GetApi(version);
  if (whole == nullptr) return nullptr;
  api = *whole;
  editor = *api.GetModelEditorApi();
  editor.CreateNode = make_no_node;
  api.GetModelEditorApi = get_editor;
  return &api;
}

// Stays loaded: its factories outlive each call.
template <typename Function>
Function function(const char* name) {
  static void* const library = dlopen(ORTC_EP_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  return library != nullptr ? reinterpret_cast<Function>(dlsym(library, name)) : nullptr;
}

}  // namespace

extern "C" {

ORT_EXPORT OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* host,
                                        const OrtLogger* logger, OrtEpFactory** factories,
                                        size_t max, size_t* count) {
  real = host;
  base = *host;
  base.GetApi = get_api;
  const auto create = function<decltype(&CreateEpFactories)>("CreateEpFactories");
  return create(name, &base, logger, factories, max, count);
}

ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  return function<decltype(&ReleaseEpFactory)>("ReleaseEpFactory")(factory);
}

}  // extern "C"
