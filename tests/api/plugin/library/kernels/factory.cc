// SPDX-License-Identifier: MIT
// What the test library exports, and the provider of a session: it claims all nodes that it has
// kernels for.
#include <memory>
#include <vector>

#include "kernel_library.h"

using namespace kernel_library;

namespace {

struct Factory : OrtEpFactory {
  Factory() : OrtEpFactory{} { ++alive; }
  ~Factory() { --alive; }
};

Ep& own(OrtEp* ep) { return *static_cast<Ep*>(ep); }

const char* ep_name(const OrtEp*) { return kName; }

std::string option(const OrtSessionOptions* options, const char* key) {
  char value[256];
  size_t size = sizeof value;
  const std::string whole = std::string("ep.kernellibraryep.") + key;
  if (OrtStatus* status = ort->GetSessionConfigEntry(options, whole.c_str(), value, &size)) {
    ort->ReleaseStatus(status);
    return {};
  }
  return value;
}

void claim(const Ep& ep, const OrtNode* node, OrtEpGraphSupportInfo* support) {
  const OrtKernelDef* def = nullptr;
  must(ep_api->EpGraphSupportInfo_LookUpKernel(support, node, &def));
  if (def == nullptr && !ep.does("claims_all")) return;
  must(ep_api->EpGraphSupportInfo_AddSingleNode(support, node));
  if (ep.does("node_twice")) must(ep_api->EpGraphSupportInfo_AddSingleNode(support, node));
}

OrtStatus* get_capability(OrtEp* self, const OrtGraph* graph, OrtEpGraphSupportInfo* support) {
  const Ep& ep = own(self);
  return at_border([&] {
    int something = 0;
    const auto* foreign = reinterpret_cast<const OrtNode*>(&something);
    const OrtKernelDef* def = nullptr;
    if (ep.does("foreign_node")) {
      must(ep_api->EpGraphSupportInfo_AddSingleNode(support, foreign));
    }
    if (ep.does("foreign_look_up")) {
      must(ep_api->EpGraphSupportInfo_LookUpKernel(support, foreign, &def));
    }
    size_t count = 0;
    must(ort->Graph_GetNumNodes(graph, &count));
    std::vector<const OrtNode*> nodes(count);
    must(ort->Graph_GetNodes(graph, nodes.data(), count));
    for (const OrtNode* node : nodes) claim(ep, node, support);
  });
}

OrtStatus* get_registry(OrtEp* self, const OrtKernelRegistry** registry) {
  Ep& ep = own(self);
  if (ep.does("registry_error")) return error("no registry today");
  if (ep.does("registry_throws")) throw std::runtime_error("thrown over a registry");
  if (ep.does("no_registry")) return nullptr;
  if (OrtStatus* status = make_registry(ep)) return status;
  *registry = ep.registry;
  if (ep.does("registry_ends")) {
    ep_api->ReleaseKernelRegistry(ep.registry);
    ep.registry = nullptr;
    *registry = nullptr;
  }
  return nullptr;
}

OrtStatus* create_ep(OrtEpFactory*, const OrtHardwareDevice* const*, const OrtKeyValuePairs* const*,
                     size_t, const OrtSessionOptions* options, const OrtLogger*, OrtEp** made) {
  auto ep = std::make_unique<Ep>();
  ep->fault = option(options, "fault");
  ep->shares_weights = option(options, "shares") == "1";
  // From version 24 on an OrtEp tells of kernels.
  ep->ort_version_supported = ep->does("old_ep") ? 23 : ORT_API_VERSION;
  ep->GetName = ep_name;
  ep->GetCapability = get_capability;
  ep->GetKernelRegistry = get_registry;
  if (ep->does("turns")) {
    ep->IsConcurrentRunSupported = [](OrtEp*, bool* is_supported) -> OrtStatus* {
      *is_supported = false;
      return nullptr;
    };
  }
  *made = ep.release();
  return nullptr;
}

OrtStatus* get_devices(OrtEpFactory* self, const OrtHardwareDevice* const* devices, size_t count,
                       OrtEpDevice** made, size_t room, size_t* made_count) {
  *made_count = 0;
  for (size_t i = 0; i < count && *made_count < room && *made_count == 0; ++i) {
    if (ort->HardwareDevice_Type(devices[i]) != OrtHardwareDeviceType_CPU) continue;
    OrtStatus* status = ep_api->CreateEpDevice(self, devices[i], nullptr, nullptr, &made[0]);
    if (status != nullptr) return status;
    ++*made_count;
  }
  return nullptr;
}

}  // namespace

extern "C" {

ORT_EXPORT OrtStatus* CreateEpFactories(const char*, const OrtApiBase* base, const OrtLogger*,
                                        OrtEpFactory** factories, size_t, size_t* count) {
  ort = base->GetApi(ORT_API_VERSION);
  ep_api = ort->GetEpApi();
  auto* factory = new Factory();
  factory->ort_version_supported = ORT_API_VERSION;
  factory->GetName = [](const OrtEpFactory*) { return kName; };
  factory->GetVendor = [](const OrtEpFactory*) { return "ortc tests"; };
  factory->GetVersion = [](const OrtEpFactory*) { return "1.0.0"; };
  factory->GetSupportedDevices = get_devices;
  factory->CreateEp = create_ep;
  factory->ReleaseEp = [](OrtEpFactory*, OrtEp* ep) { delete &own(ep); };
  factories[0] = factory;
  *count = 1;
  return nullptr;
}

ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  delete static_cast<Factory*>(factory);
  return nullptr;
}

// What the tests ask while the library is loaded.
ORT_EXPORT int kernel_library_alive() { return alive; }
ORT_EXPORT int kernel_library_packed() { return packed; }
ORT_EXPORT int kernel_library_shared() { return shared; }
ORT_EXPORT int kernel_library_computed() { return computed; }
ORT_EXPORT int kernel_library_concatenated() { return concatenated; }
ORT_EXPORT int kernel_library_transposed() { return transposed; }

}  // extern "C"
