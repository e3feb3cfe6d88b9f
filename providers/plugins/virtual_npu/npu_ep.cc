// SPDX-License-Identifier: MIT
// The provider of a session: see the header.
#include "npu_ep.h"

#include <algorithm>

#include "npu_kernels.h"
#include "npu_layout.h"

namespace virtual_npu {
namespace {

Ep& own(OrtEp* ep) { return *static_cast<Ep*>(ep); }
ComputeInfo& own(OrtNodeComputeInfo* info) { return *static_cast<ComputeInfo*>(info); }

const char* get_name(const OrtEp*) noexcept { return kEpName; }

// Nodes that follow one another form a group that no path leaves and enters again.
OrtStatus* get_capability(OrtEp* self, const OrtGraph* graph,
                          OrtEpGraphSupportInfo* info) noexcept {
  Ep& ep = own(self);
  const Tables& tables = ep.tables;
  return at_border(tables, [&] {
    ep.was_asked = true;
    if (ep.contexts.model_path.empty()) ep.contexts.model_path = model_path_of(tables, *graph);
    if (ep.kernels != nullptr) return claim_single_nodes(tables, *graph, ep.takes_images, *info);
    std::vector<const OrtNode*> group;
    OrtNodeFusionOptions fusion{};
    fusion.ort_version_supported = tables.version;
    fusion.drop_constant_initializers = true;  // programs have their own copies
    const auto close = [&] {
      if (group.empty()) return;
      check(tables.ep.EpGraphSupportInfo_AddNodesToFuse(info, group.data(), group.size(), &fusion));
      group.clear();
      ep.has_claimed = true;
    };
    for (const OrtNode* node : nodes_of(tables, *graph)) {
      if (is_own_context(tables, *node)) {
        close();
        group = {node};
        close();
      } else if (is_supported(tables, *node) ||
                 (ep.takes_images && is_supported_last(tables, *node))) {
        group.push_back(node);
      } else {
        close();
      }
    }
    close();
  });
}

OrtStatus* compile(OrtEp* self, const OrtGraph** graphs, const OrtNode** fused_nodes, size_t count,
                   OrtNodeComputeInfo** infos, OrtNode** context_nodes) noexcept {
  Ep& ep = own(self);
  return at_border(ep.tables, [&] {
    std::vector<std::unique_ptr<ComputeInfo>> made;
    for (size_t i = 0; i < count; ++i) {
      made.push_back(std::make_unique<ComputeInfo>(
          ep.tables, compile_graph(ep.tables, *graphs[i], *fused_nodes[i], ep.contexts)));
    }
    if (ep.contexts.is_on) {
      for (size_t i = 0; i < count; ++i) {
        if (is_compiled(ep.tables, *graphs[i])) continue;
        context_nodes[i] = store_context(ep.tables, ep.contexts, *fused_nodes[i], made[i]->program);
      }
      if (ep.contexts.is_shared && ep.contexts.is_last) write_shared(ep.contexts, false);
    }
    for (size_t i = 0; i < count; ++i) infos[i] = made[i].release();
  });
}

void release_infos(OrtEp*, OrtNodeComputeInfo** infos, size_t count) noexcept {
  for (size_t i = 0; i < count; ++i) delete &own(infos[i]);
}

OrtStatus* get_kernel_registry(OrtEp* self, const OrtKernelRegistry** registry) noexcept {
  *registry = own(self).kernels;
  return nullptr;
}

OrtStatus* on_session_made(OrtEp* self) noexcept {
  return at_border(own(self).tables, [&] { own(self).end_group(/*is_made=*/true); });
}

OrtStatus* get_callback_support(const OrtEp*, uint32_t* flags) noexcept {
  *flags = OrtEpContextDataCallbackSupportFlags_READ | OrtEpContextDataCallbackSupportFlags_WRITE;
  return nullptr;
}

const char* get_compatibility(OrtEp*, const OrtGraph*) noexcept { return kCompatibility; }

// Programs have no state from run to run.
OrtStatus* create_state(OrtNodeComputeInfo*, OrtNodeComputeContext*, void** state) noexcept {
  *state = nullptr;
  return nullptr;
}
void release_state(OrtNodeComputeInfo*, void*) noexcept {}

OrtStatus* compute(OrtNodeComputeInfo* self, void*, OrtKernelContext* context) noexcept {
  const ComputeInfo& info = own(self);
  const Tables& tables = info.tables;
  return at_border(tables, [&] {
    size_t count = 0;
    check(tables.ort.KernelContext_GetInputCount(context, &count));
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < count; ++i) {
      const OrtValue* value = nullptr;
      check(tables.ort.KernelContext_GetInput(context, i, &value));
      inputs.push_back(read_tensor(tables, *value));
    }
    const std::vector<Tensor> outputs = run(info.program, std::move(inputs));
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Tensor& result = outputs[i];
      OrtValue* value = nullptr;
      check(tables.ort.KernelContext_GetOutput(context, i, result.dims.data(), result.dims.size(),
                                               &value));
      void* data = nullptr;
      check(tables.ort.GetTensorMutableData(value, &data));
      std::copy(result.numbers.begin(), result.numbers.end(), static_cast<float*>(data));
    }
  });
}

}  // namespace

Tensor read_tensor(const Tables& tables, const OrtValue& value) {
  OrtTensorTypeAndShapeInfo* form = nullptr;
  check(tables.ort.GetTensorTypeAndShape(&value, &form));
  const std::unique_ptr<OrtTensorTypeAndShapeInfo, void (*)(OrtTensorTypeAndShapeInfo*)> owner(
      form, tables.ort.ReleaseTensorTypeAndShapeInfo);
  size_t rank = 0, size = 0;
  check(tables.ort.GetDimensionsCount(form, &rank));
  Tensor tensor;
  tensor.dims.resize(rank);
  check(tables.ort.GetDimensions(form, tensor.dims.data(), rank));
  check(tables.ort.GetTensorShapeElementCount(form, &size));
  const void* data = nullptr;
  check(tables.ort.GetTensorData(&value, &data));
  const auto* numbers = static_cast<const float*>(data);
  tensor.numbers.assign(numbers, numbers + size);
  return tensor;
}

Ep::Ep(const Tables& with, Workspace& workspace, const OrtSessionOptions& options)
    : OrtEp{}, tables(with), contexts(read_context_settings(with, options, workspace)) {
  ort_version_supported = with.version;
  GetName = get_name;
  GetCapability = get_capability;
  Compile = compile;
  ReleaseNodeComputeInfos = release_infos;
  GetCompiledModelCompatibilityInfo = get_compatibility;
  GetEpContextDataCallbackSupport = get_callback_support;
  OnSessionInitializationEnd = on_session_made;
  takes_images = entry_of(tables, options, "ep.virtualnpuexecutionprovider.layout") == "nhwc";
  if (takes_images) {
    GetPreferredDataLayout = prefer_channels_last;
    ShouldConvertDataLayoutForOp = should_be_last;
  }
  if (entry_of(tables, options, "ep.virtualnpuexecutionprovider.kernels") != "1") return;
  kernels = make_kernel_registry(tables);
  if (takes_images) add_image_kernels(tables, kernels);
  GetKernelRegistry = get_kernel_registry;
}

// A model without a session: if it had something for the NPU, Compile has written the binary, or
// something failed. If it had nothing, what the others left is written now, when there is nobody
// to tell of a failure.
Ep::~Ep() {
  tables.ep.ReleaseKernelRegistry(kernels);
  tables.ort.ReleaseStatus(at_border(tables, [&] { end_group(was_asked && !has_claimed); }));
}

void Ep::end_group(bool is_made) {
  if (!contexts.is_on || !contexts.is_shared || !contexts.is_last) return;
  contexts.is_last = false;
  if (is_made) return write_shared(contexts, /*ends_group=*/true);
  contexts.workspace->end(folder_of(contexts.model_path));
}

ComputeInfo::ComputeInfo(const Tables& with, Program what)
    : OrtNodeComputeInfo{}, tables(with), program(std::move(what)) {
  ort_version_supported = with.version;
  CreateState = create_state;
  Compute = compute;
  ReleaseState = release_state;
}

}  // namespace virtual_npu
