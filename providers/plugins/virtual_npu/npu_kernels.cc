// SPDX-License-Identifier: MIT
// Kernels of the NPU: see the header. A kernel is a program of one step; what the model holds as
// constants is copied into it when the session is made.
#include "npu_kernels.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "npu_ep.h"
#include "npu_layout.h"

namespace virtual_npu {
namespace {

struct Definition {
  const char* op_type;
  int first, last;  // versions of the operator, both included
  Operation operation;
};

constexpr Definition kDefinitions[] = {{"Add", 7, 14, Operation::kAdd},
                                       {"Mul", 7, 14, Operation::kMul},
                                       {"MatMul", 1, 13, Operation::kMatMul},
                                       {"Relu", 6, 14, Operation::kRelu}};

struct Kernel : OrtKernelImpl {
  Kernel(const Tables& with, Operation operation);
  const Tables& tables;
  Program program;
};

Kernel& own(OrtKernelImpl* impl) { return *static_cast<Kernel*>(impl); }

// Values 0 and 1 are the node's inputs, 2 is its output.
constexpr uint32_t kResult = 2;

OrtStatus* compute(OrtKernelImpl* self, OrtKernelContext* context) noexcept {
  const Kernel& kernel = own(self);
  const Tables& tables = kernel.tables;
  return at_border(tables, [&] {
    std::vector<Tensor> inputs;
    for (uint32_t input : kernel.program.inputs) {
      const OrtValue* value = nullptr;
      check(tables.ort.KernelContext_GetInput(context, input, &value));
      inputs.push_back(read_tensor(tables, *value));
    }
    const Tensor result = run(kernel.program, std::move(inputs)).front();
    OrtValue* value = nullptr;
    check(tables.ort.KernelContext_GetOutput(context, 0, result.dims.data(), result.dims.size(),
                                             &value));
    void* data = nullptr;
    check(tables.ort.GetTensorMutableData(value, &data));
    std::copy(result.numbers.begin(), result.numbers.end(), static_cast<float*>(data));
  });
}

// The copy is the kernel's own, so neither allocator nor cache are of use.
OrtStatus* pack_weight(OrtKernelImpl* self, const OrtValue* weight, int input, OrtAllocator*,
                       OrtSharedPrePackedWeightCache*, bool* is_packed) noexcept {
  Kernel& kernel = own(self);
  return at_border(kernel.tables, [&] {
    const auto number = static_cast<uint32_t>(input);
    kernel.program.constants[number] =
        std::make_shared<const Tensor>(read_tensor(kernel.tables, *weight));
    auto& inputs = kernel.program.inputs;
    inputs.erase(std::remove(inputs.begin(), inputs.end(), number), inputs.end());
    *is_packed = true;
  });
}

void release(OrtKernelImpl* self) noexcept { delete &own(self); }

Kernel::Kernel(const Tables& with, Operation operation) : OrtKernelImpl{}, tables(with) {
  ort_version_supported = with.version;
  Compute = compute;
  Release = release;
  PrePackWeight = pack_weight;
  program.value_count = kResult + 1;
  program.inputs = {0};
  if (operation != Operation::kRelu) program.inputs.push_back(1);
  program.outputs = {kResult};
  program.steps = {{operation, 0, operation == Operation::kRelu ? 0u : 1u, kResult}};
}

// The state is that of the registry: the tables, which live as long as the library's factory.
OrtStatus* create_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept {
  const Tables& tables = *static_cast<const Tables*>(state);
  return at_border(tables, [&] {
    char op_type[16];
    size_t size = sizeof op_type;
    check(tables.ort.KernelInfo_GetOperatorType(info, op_type, &size));
    for (const Definition& definition : kDefinitions) {
      if (std::string_view(definition.op_type) != op_type) continue;
      *kernel = new Kernel(tables, definition.operation);
      return;
    }
    throw std::invalid_argument(std::string("the NPU has no kernel for ") + op_type);
  });
}

struct EndBuilder {
  const Tables& tables;
  void operator()(OrtKernelDefBuilder* builder) const {
    tables.ep.ReleaseKernelDefBuilder(builder);
  }
};
struct EndDefinition {
  const Tables& tables;
  void operator()(OrtKernelDef* definition) const { tables.ep.ReleaseKernelDef(definition); }
};
struct EndRegistry {
  const Tables& tables;
  void operator()(OrtKernelRegistry* registry) const { tables.ep.ReleaseKernelRegistry(registry); }
};

void add_kernel(const Tables& tables, OrtKernelRegistry* registry, const Definition& definition) {
  const OrtDataType* type = nullptr;
  check(tables.ep.GetTensorDataType(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &type));
  OrtKernelDefBuilder* made = nullptr;
  check(tables.ep.CreateKernelDefBuilder(&made));
  const std::unique_ptr<OrtKernelDefBuilder, EndBuilder> builder(made, EndBuilder{tables});
  check(tables.ep.KernelDefBuilder_SetOperatorType(made, definition.op_type));
  check(tables.ep.KernelDefBuilder_SetDomain(made, ""));
  check(tables.ep.KernelDefBuilder_SetSinceVersion(made, definition.first, definition.last));
  check(tables.ep.KernelDefBuilder_SetExecutionProvider(made, kEpName));
  check(tables.ep.KernelDefBuilder_AddTypeConstraint(made, "T", &type, 1));
  OrtKernelDef* built = nullptr;
  check(tables.ep.KernelDefBuilder_Build(made, &built));
  const std::unique_ptr<OrtKernelDef, EndDefinition> def(built, EndDefinition{tables});
  check(tables.ep.KernelRegistry_AddKernel(registry, built, create_kernel,
                                           const_cast<Tables*>(&tables)));
}

}  // namespace

OrtKernelRegistry* make_kernel_registry(const Tables& tables) {
  OrtKernelRegistry* made = nullptr;
  check(tables.ep.CreateKernelRegistry(&made));
  std::unique_ptr<OrtKernelRegistry, EndRegistry> registry(made, EndRegistry{tables});
  for (const Definition& definition : kDefinitions) add_kernel(tables, made, definition);
  return registry.release();
}

void claim_single_nodes(const Tables& tables, const OrtGraph& graph, bool takes_images,
                        OrtEpGraphSupportInfo& info) {
  for (const OrtNode* node : nodes_of(tables, graph)) {
    const OrtKernelDef* kernel = nullptr;
    check(tables.ep.EpGraphSupportInfo_LookUpKernel(&info, node, &kernel));
    const bool is_for_npu = kernel != nullptr && is_supported(tables, *node);
    if (is_for_npu || (takes_images && is_image_node(tables, *node, kernel != nullptr))) {
      check(tables.ep.EpGraphSupportInfo_AddSingleNode(&info, node));
    }
  }
}

}  // namespace virtual_npu
