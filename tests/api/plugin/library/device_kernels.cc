// SPDX-License-Identifier: MIT
// The sample library of a device with memory of its own, whose provider has a kernel for Add in
// place of programs: its first input and its output lie on the device, its second input on the
// host.
#include <memory>
#include <string>
#include <vector>

#include "device_ep.h"
#include "device_stream.h"

using namespace device_memory;

namespace {

struct Kernel : OrtKernelImpl {
  explicit Kernel(const Ep& with) : OrtKernelImpl{}, ep(with) {}
  const Ep& ep;
};

Kernel& own(OrtKernelImpl* impl) { return *static_cast<Kernel*>(impl); }

struct Seen {
  std::vector<int64_t> dims;
  const void* address = nullptr;
  size_t count = 1;
};

// Fails for a value that lies somewhere else.
Seen see(const Tables& tables, const OrtValue* value, bool is_on_device) {
  const auto type = tables.ep.MemoryDevice_GetDeviceType(tables.ep.Value_GetMemoryDevice(value));
  if ((type != OrtMemoryInfoDeviceType_CPU) != is_on_device) {
    throw std::runtime_error("a value lies in the wrong memory");
  }
  Seen seen;
  OrtTensorTypeAndShapeInfo* form = nullptr;
  check(tables.ort.GetTensorTypeAndShape(value, &form));
  size_t rank = 0;
  check(tables.ort.GetDimensionsCount(form, &rank));
  seen.dims.resize(rank);
  check(tables.ort.GetDimensions(form, seen.dims.data(), rank));
  check(tables.ort.GetTensorShapeElementCount(form, &seen.count));
  tables.ort.ReleaseTensorTypeAndShapeInfo(form);
  check(tables.ort.GetTensorData(value, &seen.address));
  return seen;
}

OrtStatus* compute_add(OrtKernelImpl* self, OrtKernelContext* context) noexcept {
  const Ep& ep = own(self).ep;
  const Tables& tables = ep.tables;
  return at_border(tables, [&] {
    const OrtValue *left = nullptr, *right = nullptr;
    check(tables.ort.KernelContext_GetInput(context, 0, &left));
    check(tables.ort.KernelContext_GetInput(context, 1, &right));
    const Seen a = see(tables, left, true), b = see(tables, right, false);
    OrtValue* output = nullptr;
    check(tables.ort.KernelContext_GetOutput(context, 0, a.dims.data(), a.dims.size(), &output));
    const Seen y = see(tables, output, true);
    OrtSyncStream* stream = nullptr;
    check(tables.ort.KernelContext_GetSyncStream(context, &stream));
    // The host's value is only there until this returns.
    const auto* numbers = static_cast<const float*>(b.address);
    do_in(stream_of(tables, stream),
          [&device = ep.device, a, y, host = std::vector<float>(numbers, numbers + b.count)] {
            const size_t bytes = a.count * sizeof(float);
            const auto* from = reinterpret_cast<const float*>(device.at(a.address, bytes));
            auto* to = reinterpret_cast<float*>(device.at(y.address, bytes));
            for (size_t i = 0; i < a.count; ++i) to[i] = from[i] + host[i];
          });
  });
}

// Packs nothing, and looks where constants lie.
OrtStatus* pack(OrtKernelImpl* self, const OrtValue* value, int input, OrtAllocator*,
                OrtSharedPrePackedWeightCache* cache, bool* is_packed) noexcept {
  const Tables& tables = own(self).ep.tables;
  return at_border(tables, [&] {
    see(tables, value, input == 0);
    if (cache != nullptr) throw std::runtime_error("weights of a device cannot be shared");
    *is_packed = false;
  });
}

OrtStatus* create_add(void* state, const OrtKernelInfo*, OrtKernelImpl** kernel) noexcept {
  auto* made = new Kernel(*static_cast<const Ep*>(state));
  made->ort_version_supported = ORT_API_VERSION;
  made->Compute = compute_add;
  made->Release = [](OrtKernelImpl* self) { delete &own(self); };
  made->PrePackWeight = pack;
  *kernel = made;
  return nullptr;
}

OrtKernelRegistry* own_registry = nullptr;  // of the one session that there is

OrtStatus* get_registry(OrtEp* self, const OrtKernelRegistry** registry) noexcept {
  auto& ep = *static_cast<Ep*>(self);
  const OrtEpApi& table = ep.tables.ep;
  return at_border(ep.tables, [&] {
    OrtKernelDefBuilder* builder = nullptr;
    OrtKernelDef* def = nullptr;
    check(table.CreateKernelRegistry(&own_registry));
    check(table.CreateKernelDefBuilder(&builder));
    check(table.KernelDefBuilder_SetOperatorType(builder, "Add"));
    check(table.KernelDefBuilder_SetSinceVersion(builder, 7, 14));
    check(table.KernelDefBuilder_SetExecutionProvider(builder, kEpNames[0]));
    check(table.KernelDefBuilder_SetInputMemType(builder, 1, OrtMemTypeCPUInput));
    check(table.KernelDefBuilder_Build(builder, &def));
    check(table.KernelRegistry_AddKernel(own_registry, def, create_add, &ep));
    table.ReleaseKernelDef(def);
    table.ReleaseKernelDefBuilder(builder);
    *registry = own_registry;
  });
}

OrtStatus* get_capability(OrtEp* self, const OrtGraph* graph,
                          OrtEpGraphSupportInfo* info) noexcept {
  const Tables& tables = static_cast<Ep*>(self)->tables;
  return at_border(tables, [&] {
    size_t count = 0;
    check(tables.ort.Graph_GetNumNodes(graph, &count));
    std::vector<const OrtNode*> nodes(count);
    check(tables.ort.Graph_GetNodes(graph, nodes.data(), count));
    for (const OrtNode* node : nodes) {
      const OrtKernelDef* def = nullptr;
      check(tables.ep.EpGraphSupportInfo_LookUpKernel(info, node, &def));
      if (def != nullptr) check(tables.ep.EpGraphSupportInfo_AddSingleNode(info, node));
    }
  });
}

decltype(OrtEpFactory::CreateEp) sample_create = nullptr;
decltype(OrtEpFactory::ReleaseEp) sample_release = nullptr;

void release_ep(OrtEpFactory* self, OrtEp* ep) {
  static_cast<Ep*>(ep)->tables.ep.ReleaseKernelRegistry(own_registry);
  own_registry = nullptr;
  sample_release(self, ep);
}

OrtStatus* create_ep(OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                     const OrtKeyValuePairs* const* metadata, size_t count,
                     const OrtSessionOptions* options, const OrtLogger* logger, OrtEp** ep) {
  if (OrtStatus* status = sample_create(self, devices, metadata, count, options, logger, ep)) {
    return status;
  }
  (*ep)->GetCapability = get_capability;
  (*ep)->GetKernelRegistry = get_registry;
  return nullptr;
}

}  // namespace

#undef CreateEpFactories  // the sample's have other names here
#undef ReleaseEpFactory

extern "C" {

OrtStatus* SampleCreateEpFactories(const char*, const OrtApiBase*, const OrtLogger*, OrtEpFactory**,
                                   size_t, size_t*);
OrtStatus* SampleReleaseEpFactory(OrtEpFactory*);

ORT_EXPORT OrtStatus* CreateEpFactories(const char* name, const OrtApiBase* base,
                                        const OrtLogger* logger, OrtEpFactory** factories,
                                        size_t max, size_t* count) {
  if (OrtStatus* status = SampleCreateEpFactories(name, base, logger, factories, max, count)) {
    return status;
  }
  sample_create = factories[0]->CreateEp;
  sample_release = factories[0]->ReleaseEp;
  factories[0]->CreateEp = create_ep;
  factories[0]->ReleaseEp = release_ep;
  return nullptr;
}

ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  return SampleReleaseEpFactory(factory);
}

}  // extern "C"
