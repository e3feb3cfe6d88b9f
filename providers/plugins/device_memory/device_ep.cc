// SPDX-License-Identifier: MIT
// The provider of a session: see the header.
#include "device_ep.h"

#include <stdexcept>
#include <string_view>

#include "device_stream.h"

namespace device_memory {
namespace {

Ep& own(OrtEp* ep) { return *static_cast<Ep*>(ep); }
ComputeInfo& own(OrtNodeComputeInfo* info) { return *static_cast<ComputeInfo*>(info); }

const char* get_name(const OrtEp* self) noexcept { return static_cast<const Ep*>(self)->name(); }

bool is_for(const Ep& ep, const OrtNode& node) {
  if (!is_supported(ep.tables, node)) return false;
  if (ep.part == Part::kAll) return true;
  const char* type = nullptr;
  check(ep.tables.ort.Node_GetOperatorType(&node, &type));
  return (std::string_view(type) == "Mul") == (ep.part == Part::kSecond);
}

// Nodes come makers before readers. Those that follow one another form a group that no path leaves
// and enters again.
OrtStatus* get_capability(OrtEp* self, const OrtGraph* graph,
                          OrtEpGraphSupportInfo* info) noexcept {
  const Tables& tables = own(self).tables;
  return at_border(tables, [&] {
    size_t count = 0;
    check(tables.ort.Graph_GetNumNodes(graph, &count));
    std::vector<const OrtNode*> nodes(count), group;
    check(tables.ort.Graph_GetNodes(graph, nodes.data(), count));
    OrtNodeFusionOptions fusion{};
    fusion.ort_version_supported = ORT_API_VERSION;
    fusion.drop_constant_initializers = false;  // the runtime brings them to the device
    const auto close = [&] {
      if (group.empty()) return;
      check(tables.ep.EpGraphSupportInfo_AddNodesToFuse(info, group.data(), group.size(), &fusion));
      group.clear();
    };
    for (const OrtNode* node : nodes) {
      if (is_for(own(self), *node)) {
        group.push_back(node);
      } else {
        close();
      }
    }
    close();
  });
}

// A fused node carries the name of the provider that it was given to.
void check_is_ours(const Ep& ep, const OrtNode& fused) {
  const char* name = nullptr;
  check(ep.tables.ort.Node_GetEpName(&fused, &name));
  if (std::string_view(name) != ep.name()) throw std::runtime_error("a node of another provider");
}

OrtStatus* compile_all(OrtEp* self, const OrtGraph** graphs, const OrtNode** fused_nodes,
                       size_t count, OrtNodeComputeInfo** infos, OrtNode**) noexcept {
  Ep& ep = own(self);
  return at_border(ep.tables, [&] {
    std::vector<std::unique_ptr<ComputeInfo>> made;
    for (size_t i = 0; i < count; ++i) {
      check_is_ours(ep, *fused_nodes[i]);
      made.push_back(
          std::make_unique<ComputeInfo>(ep, compile(ep.tables, *graphs[i], *fused_nodes[i])));
    }
    for (size_t i = 0; i < count; ++i) infos[i] = made[i].release();
  });
}

void release_infos(OrtEp*, OrtNodeComputeInfo** infos, size_t count) noexcept {
  for (size_t i = 0; i < count; ++i) delete &own(infos[i]);
}

// Programs have no state from run to run.
OrtStatus* create_state(OrtNodeComputeInfo*, OrtNodeComputeContext*, void** state) noexcept {
  *state = nullptr;
  return nullptr;
}
void release_state(OrtNodeComputeInfo*, void*) noexcept {}

// A value that the runtime put into memory of the device.
DeviceTensor tensor_of(const Tables& tables, const OrtValue& value) {
  if (tables.ep.MemoryDevice_GetDeviceType(tables.ep.Value_GetMemoryDevice(&value)) ==
      OrtMemoryInfoDeviceType_CPU) {
    throw std::runtime_error("a value that is not on the device");
  }
  OrtTensorTypeAndShapeInfo* form = nullptr;
  check(tables.ort.GetTensorTypeAndShape(&value, &form));
  const std::unique_ptr<OrtTensorTypeAndShapeInfo, void (*)(OrtTensorTypeAndShapeInfo*)> owner(
      form, tables.ort.ReleaseTensorTypeAndShapeInfo);
  size_t rank = 0;
  check(tables.ort.GetDimensionsCount(form, &rank));
  DeviceTensor tensor;
  tensor.dims.resize(rank);
  check(tables.ort.GetDimensions(form, tensor.dims.data(), rank));
  const void* address = nullptr;
  check(tables.ort.GetTensorData(&value, &address));
  tensor.address = const_cast<void*>(address);
  return tensor;
}

// One call: inputs and outputs are the runtime's, what is between them the device's own.
class Call {
 public:
  Call(const ComputeInfo& info, OrtKernelContext* context)
      : info_(info), tables_(info.tables), context_(context), values_(info.program.value_count) {
    OrtSyncStream* stream = nullptr;
    check(tables_.ort.KernelContext_GetSyncStream(context_, &stream));
    stream_ = stream_of(tables_, stream);
  }

  void run() {
    for (size_t i = 0; i < info_.program.input_count; ++i) {
      const OrtValue* value = nullptr;
      check(tables_.ort.KernelContext_GetInput(context_, i, &value));
      values_[i] = tensor_of(tables_, *value);
    }
    for (const Step& step : info_.program.steps) {
      const DeviceTensor left = values_[step.left], right = values_[step.right];
      const DeviceTensor result = make(step.result, result_dims(step.operation, left, right));
      values_[step.result] = result;
      // The work keeps what it touches.
      do_in(stream_, [&device = info_.device, operation = step.operation, left, right, result] {
        compute(device, operation, left, right, result);
      });
    }
  }

 private:
  DeviceTensor make(size_t number, std::vector<int64_t> dims) {
    for (size_t i = 0; i < info_.program.outputs.size(); ++i) {
      if (info_.program.outputs[i] != number) continue;
      OrtValue* value = nullptr;
      check(tables_.ort.KernelContext_GetOutput(context_, i, dims.data(), dims.size(), &value));
      if (value != nullptr) return tensor_of(tables_, *value);
    }
    DeviceTensor tensor;
    tensor.dims = std::move(dims);
    Device& device = info_.device;
    tensor.address = device.allocate(tensor.count() * sizeof(float));
    if (tensor.address == nullptr) throw std::runtime_error("the device has no more memory");
    tensor.owner = {tensor.address, [&device](void* address) { device.release(address); }};
    return tensor;
  }

  const ComputeInfo& info_;
  const Tables& tables_;
  OrtKernelContext* context_;
  Stream* stream_ = nullptr;
  std::vector<DeviceTensor> values_;
};

OrtStatus* compute_node(OrtNodeComputeInfo* self, void*, OrtKernelContext* context) noexcept {
  const ComputeInfo& info = own(self);
  return at_border(info.tables, [&] { Call(info, context).run(); });
}

}  // namespace

Ep::Ep(const Tables& with, Device& on, Part which)
    : OrtEp{}, tables(with), device(on), part(which) {
  ort_version_supported = ORT_API_VERSION;
  GetName = get_name;
  GetCapability = get_capability;
  Compile = compile_all;
  ReleaseNodeComputeInfos = release_infos;
}

ComputeInfo::ComputeInfo(const Ep& ep, Program what)
    : OrtNodeComputeInfo{}, tables(ep.tables), device(ep.device), program(std::move(what)) {
  ort_version_supported = ORT_API_VERSION;
  CreateState = create_state;
  Compute = compute_node;
  ReleaseState = release_state;
}

}  // namespace device_memory
