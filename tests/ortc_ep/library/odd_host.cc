// SPDX-License-Identifier: MIT
// libortc_ep.so behind a host that is the program's runtime, but for one function. Which one, the
// name says that the library is registered under.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "onnxruntime_c_api.h"

namespace {

const OrtApiBase* real = nullptr;
const OrtApi* whole = nullptr;
OrtApi api;
OrtModelEditorApi editor;
OrtApiBase base;
const char* name = "";

// Nobody else can fail between the compiling of a context and its handing over.
OrtStatus* make_no_node(const char*, const char*, const char*, const char* const*, size_t,
                        const char* const*, size_t, OrtOpAttr**, size_t, OrtNode** node) {
  *node = nullptr;
  return api.CreateStatus(ORT_FAIL, "this host makes no nodes");
}

const OrtModelEditorApi* get_editor() noexcept { return &editor; }

// ONNX Runtime keeps any value, and takes what is not "1" for "0".
OrtStatus* get_odd_entries(const OrtSessionOptions* options, OrtKeyValuePairs** pairs) noexcept {
  OrtStatus* const status = whole->GetSessionOptionsConfigEntries(options, pairs);
  if (status != nullptr) return status;
  const char* const odd[][2] = {{"ep.enable_weightless", "true"},
                                {"ep.share_ep_contexts", "true"},
                                {"ep.dynamic.workload_type", "Foo"},
                                {"ep.context_model_external_initializers_file_name", "/w.bin"},
                                {"session.disable_model_compile", "yes"}};
  for (const auto& [key, value] : odd) whole->AddKeyValuePair(*pairs, key, value);
  return nullptr;
}

// Once the test says so: without types nothing compiles.
OrtStatus* get_no_type(const OrtValueInfo* value, const OrtTypeInfo** type) noexcept {
  if (std::getenv("ORTC_TEST_NO_TYPES") == nullptr) return whole->GetValueInfoTypeInfo(value, type);
  *type = nullptr;
  return nullptr;
}

OrtStatus* get_enabling_entries(const OrtSessionOptions* options,
                                OrtKeyValuePairs** pairs) noexcept {
  OrtStatus* const status = whole->GetSessionOptionsConfigEntries(options, pairs);
  if (status == nullptr) whole->AddKeyValuePair(*pairs, "ep.context_enable", "1");
  return status;
}
const char* get_build() noexcept { return "ORT Build Info: none"; }

const OrtApi* get_api(uint32_t version) noexcept {
  whole = real->GetApi(version);
  if (whole == nullptr) return nullptr;
  api = *whole;
  editor = *api.GetModelEditorApi();
  const auto is = [](const char* which) { return std::strcmp(name, which) == 0; };
  if (is("FailingExecutionProvider")) {
    editor.CreateNode = make_no_node;
    api.GetModelEditorApi = get_editor;
  }
  if (is("LaxExecutionProvider")) api.GetSessionOptionsConfigEntries = get_odd_entries;
  if (is("TypelessExecutionProvider")) api.GetValueInfoTypeInfo = get_no_type;
  if (is("OtherExecutionProvider")) {  // than ortc
    api.GetBuildInfoString = get_build;
    api.GetSessionOptionsConfigEntries = get_enabling_entries;
  }
  return &api;
}

// Stays loaded: its factories outlive each call.
template <typename Function>
Function function(const char* symbol) {
  static void* const library = dlopen(ORTC_EP_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  return library != nullptr ? reinterpret_cast<Function>(dlsym(library, symbol)) : nullptr;
}

}  // namespace

extern "C" {

ORT_EXPORT OrtStatus* CreateEpFactories(const char* registration_name, const OrtApiBase* host,
                                        const OrtLogger* logger, OrtEpFactory** factories,
                                        size_t max, size_t* count) {
  real = host;
  name = registration_name;
  base = *host;
  base.GetApi = get_api;
  const auto create = function<decltype(&CreateEpFactories)>("CreateEpFactories");
  return create(registration_name, &base, logger, factories, max, count);
}

ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  return function<decltype(&ReleaseEpFactory)>("ReleaseEpFactory")(factory);
}

}  // extern "C"
