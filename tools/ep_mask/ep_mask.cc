// SPDX-License-Identifier: MIT
// The library between the runtime and a library of providers: see the header. It changes the
// structs that the other library gives, in their place, and keeps what it takes away.
#include "tools/ep_mask/ep_mask.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <type_traits>
#include <unordered_map>

#include "ort_c/ort_api.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))

// One row per function: name, version it came with.
#define FACTORY_SLOTS(X)                         \
  X(GetName, 22)                                 \
  X(GetVendor, 22)                               \
  X(GetSupportedDevices, 22)                     \
  X(CreateEp, 22)                                \
  X(ReleaseEp, 22)                               \
  X(GetVendorId, 23)                             \
  X(GetVersion, 23)                              \
  X(ValidateCompiledModelCompatibilityInfo, 23)  \
  X(CreateAllocator, 23)                         \
  X(ReleaseAllocator, 23)                        \
  X(CreateDataTransfer, 23)                      \
  X(IsStreamAware, 23)                           \
  X(CreateSyncStreamForDevice, 23)               \
  X(GetHardwareDeviceIncompatibilityDetails, 24) \
  X(CreateExternalResourceImporterForDevice, 24) \
  X(GetNumCustomOpDomains, 24)                   \
  X(GetCustomOpDomains, 24)                      \
  X(InitGraphicsInterop, 25)                     \
  X(DeinitGraphicsInterop, 25)                   \
  X(SelectBestModelCandidate, 28)

#define EP_SLOTS(X)                          \
  X(GetName, 22)                             \
  X(GetCapability, 23)                       \
  X(Compile, 23)                             \
  X(ReleaseNodeComputeInfos, 23)             \
  X(GetPreferredDataLayout, 23)              \
  X(ShouldConvertDataLayoutForOp, 23)        \
  X(SetDynamicOptions, 23)                   \
  X(OnRunStart, 23)                          \
  X(OnRunEnd, 23)                            \
  X(CreateAllocator, 23)                     \
  X(CreateSyncStreamForDevice, 23)           \
  X(GetCompiledModelCompatibilityInfo, 23)   \
  X(GetKernelRegistry, 24)                   \
  X(IsConcurrentRunSupported, 24)            \
  X(Sync, 25)                                \
  X(CreateProfiler, 25)                      \
  X(IsGraphCaptureEnabled, 26)               \
  X(IsGraphCaptured, 26)                     \
  X(ReplayGraph, 26)                         \
  X(GetGraphCaptureNodeAssignmentPolicy, 26) \
  X(GetAvailableResource, 26)                \
  X(OnSessionInitializationEnd, 27)          \
  X(GetDefaultMemoryDevice, 27)              \
  X(ReleaseCapturedGraph, 27)                \
  X(GetWeightlessSupport, 29)                \
  X(GetEpContextDataCallbackSupport, 31)

#define COMPUTE_SLOTS(X) \
  X(CreateState, 23)     \
  X(Compute, 23)         \
  X(ReleaseState, 23)

#define KERNEL_SLOTS(X) \
  X(Compute, 24)        \
  X(Release, 24)        \
  X(PrePackWeight, 24)  \
  X(SetSharedPrePackedWeight, 24)

namespace {

const OrtApi* ort = nullptr;
int applied = 0;
// What the other library gave, by object: there may be several factories and providers.
std::mutex mutex;
std::unordered_map<const void*, decltype(OrtEpFactory::CreateEp)> create_ep;
std::unordered_map<const void*, decltype(OrtEp::Compile)> compile;

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Instead of a function that the runtime must not call.
template <typename Result, typename... Arguments>
Result trap(Arguments...) {
  std::fprintf(stderr, "a function was called that is newer than the provider's version\n");
  std::abort();
}

template <typename Result, typename... Arguments>
Result failing(Arguments...) {
  if constexpr (std::is_same_v<Result, OrtStatus*>) {
    return ort->CreateStatus(ORT_FAIL, ORTC_EP_MASK_TEXT);
  } else {
    return Result();
  }
}

template <typename Object, typename Result, typename... Arguments>
void mask(Object* object, Result (*Object::*member)(Arguments...), uint32_t version,
          const char* slot) {
  if (setting("ORTC_EP_MASK_SLOT") != slot) return;
  if (object->*member == nullptr || object->ort_version_supported < version) return;
  ++applied;
  const std::string how = setting("ORTC_EP_MASK_HOW");
  if (how == "absent") object->*member = nullptr;
  if (how == "failing") object->*member = &failing<Result, Arguments...>;
  if (how == "newer") {
    object->*member = &trap<Result, Arguments...>;
    object->ort_version_supported = version - 1;
  }
}

#define MASK_FACTORY(name, version) \
  mask(factory, &OrtEpFactory::name, version, "OrtEpFactory." #name);
#define MASK_EP(name, version) mask(ep, &OrtEp::name, version, "OrtEp." #name);
#define MASK_KERNEL(name, version) \
  mask(kernel, &OrtKernelImpl::name, version, "OrtKernelImpl." #name);
#define MASK_COMPUTE(name, version) \
  mask(info, &OrtNodeComputeInfo::name, version, "OrtNodeComputeInfo." #name);

void mask_info(OrtNodeComputeInfo* info) {
  if (info != nullptr) COMPUTE_SLOTS(MASK_COMPUTE)
}

OrtStatus* compile_masked(OrtEp* self, const OrtGraph** graphs, const OrtNode** fused_nodes,
                          size_t count, OrtNodeComputeInfo** infos, OrtNode** context_nodes) {
  decltype(OrtEp::Compile) function = nullptr;
  {
    const std::lock_guard lock(mutex);
    function = compile[self];
  }
  OrtStatus* status = function(self, graphs, fused_nodes, count, infos, context_nodes);
  for (size_t i = 0; status == nullptr && i < count; ++i) mask_info(infos[i]);
  return status;
}

void mask_ep(OrtEp* ep) {
  if (ep->ort_version_supported >= 23 && ep->Compile != nullptr) {
    const std::lock_guard lock(mutex);
    if (ep->Compile != compile_masked) compile[ep] = ep->Compile;
    ep->Compile = compile_masked;
  }
  EP_SLOTS(MASK_EP)
}

OrtStatus* create_masked_ep(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                            const OrtKeyValuePairs* const* metadata, size_t count,
                            const OrtSessionOptions* options, const OrtLogger* logger, OrtEp** ep) {
  decltype(OrtEpFactory::CreateEp) function = nullptr;
  {
    const std::lock_guard lock(mutex);
    function = create_ep[self];
  }
  OrtStatus* status = function(self, devices, metadata, count, options, logger, ep);
  if (status == nullptr && *ep != nullptr) mask_ep(*ep);
  return status;
}

void mask_factory(OrtEpFactory* factory) {
  if (factory->CreateEp != nullptr) {
    const std::lock_guard lock(mutex);
    if (factory->CreateEp != create_masked_ep) create_ep[factory] = factory->CreateEp;
    factory->CreateEp = create_masked_ep;
  }
  FACTORY_SLOTS(MASK_FACTORY)
}

template <typename Object, typename Result, typename... Arguments>
std::string line(Result (*Object::*)(Arguments...), const char* slot, uint32_t version) {
  return std::string(slot) + " " + std::to_string(version) +
         (std::is_same_v<Result, OrtStatus*> ? " status\n" : " value\n");
}

// What makes the kernels of a registry, in front of the library's own.
struct KernelMaker {
  OrtKernelCreateFunc create;
  void* state;
};

OrtStatus* create_masked_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** out) {
  const auto& own = *static_cast<const KernelMaker*>(state);
  OrtStatus* const status = own.create(own.state, info, out);
  OrtKernelImpl* const kernel = status == nullptr ? *out : nullptr;
  if (kernel != nullptr) KERNEL_SLOTS(MASK_KERNEL)
  return status;
}

decltype(OrtEpApi::KernelRegistry_AddKernel) add_kernel = nullptr;

OrtStatus* add_masked_kernel(OrtKernelRegistry* registry, const OrtKernelDef* def,
                             OrtKernelCreateFunc create, void* state) {
  static auto& makers = *new std::deque<KernelMaker>;
  if (create == nullptr) return add_kernel(registry, def, create, state);
  const std::lock_guard lock(mutex);
  makers.push_back({create, state});
  return add_kernel(registry, def, create_masked_kernel, &makers.back());
}

// The runtime's tables as the other library sees them: it tells of its kernels by a function there.
OrtApi shown_api;
OrtEpApi shown_ep_api;
OrtApiBase shown_base;
const OrtApiBase* real_base = nullptr;

const OrtApi* get_shown_api(uint32_t version) {
  return real_base->GetApi(version) != nullptr ? &shown_api : nullptr;
}

const OrtApiBase* show(const OrtApiBase* base) {
  real_base = base;
  shown_base = {get_shown_api, base->GetVersionString};
  shown_api = *ort;
  shown_ep_api = *ort->GetEpApi();
  add_kernel = shown_ep_api.KernelRegistry_AddKernel;
  shown_ep_api.KernelRegistry_AddKernel = add_masked_kernel;
  shown_api.GetEpApi = []() -> const OrtEpApi* { return &shown_ep_api; };
  return &shown_base;
}

// The other library: opened once, and kept.
void* library() {
  static void* const handle =
      dlopen(setting("ORTC_EP_MASK_LIBRARY").c_str(), RTLD_NOW | RTLD_LOCAL);
  return handle;
}

}  // namespace

EXPORTED const char* ortc_ep_mask_slots() {
  static const std::string lines = [] {
    std::string text;
#define FACTORY_LINE(name, version) \
  text += line(&OrtEpFactory::name, "OrtEpFactory." #name, version);
#define EP_LINE(name, version) text += line(&OrtEp::name, "OrtEp." #name, version);
#define COMPUTE_LINE(name, version) \
  text += line(&OrtNodeComputeInfo::name, "OrtNodeComputeInfo." #name, version);
#define KERNEL_LINE(name, version) \
  text += line(&OrtKernelImpl::name, "OrtKernelImpl." #name, version);
    FACTORY_SLOTS(FACTORY_LINE)
    EP_SLOTS(EP_LINE)
    COMPUTE_SLOTS(COMPUTE_LINE)
    KERNEL_SLOTS(KERNEL_LINE)
    return text;
  }();
  return lines.c_str();
}

EXPORTED int ortc_ep_mask_applied() { return applied; }

EXPORTED OrtStatus* CreateEpFactories(const char* registration_name, const OrtApiBase* base,
                                      const OrtLogger* logger, OrtEpFactory** factories,
                                      size_t max_factories, size_t* count) {
  ort = base->GetApi(ORTC_ORT_API_VERSION);
  if (library() == nullptr) return ort->CreateStatus(ORT_FAIL, dlerror());
  const auto create =
      reinterpret_cast<decltype(&CreateEpFactories)>(dlsym(library(), "CreateEpFactories"));
  if (create == nullptr) return ort->CreateStatus(ORT_FAIL, "CreateEpFactories is not there");
  OrtStatus* status =
      create(registration_name, show(base), logger, factories, max_factories, count);
  for (size_t i = 0; status == nullptr && i < *count && i < max_factories; ++i) {
    if (factories[i] != nullptr) mask_factory(factories[i]);
  }
  return status;
}

EXPORTED OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  const auto release =
      reinterpret_cast<decltype(&ReleaseEpFactory)>(dlsym(library(), "ReleaseEpFactory"));
  return release != nullptr ? release(factory)
                            : ort->CreateStatus(ORT_FAIL, "ReleaseEpFactory is not there");
}
