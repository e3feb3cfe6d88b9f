// SPDX-License-Identifier: MIT
// Kernels for single nodes on channels-last data: see npu_kernels.h. Such nodes stand in a domain
// of the runtime's; their types and versions are those of ONNX's operators.
#include <algorithm>
#include <memory>
#include <string_view>

#include "npu_ep.h"
#include "npu_kernels.h"
#include "npu_windows.h"

namespace virtual_npu {
namespace {

constexpr char kLastDomain[] = "com.ms.internal.nhwc";

struct Kernel : OrtKernelImpl {
  Kernel(const Tables& with, bool is_of_conv, Window what);
  const Tables& tables;
  bool is_conv;
  Window window;
};

// Leaves the numbers as they are when the node has no such attribute.
template <size_t Count>
void read_numbers(const Tables& tables, const OrtKernelInfo* info, const char* name,
                  std::array<int64_t, Count>& numbers) {
  std::array<int64_t, Count> read{};
  size_t size = Count;
  OrtStatus* status = tables.ort.KernelInfoGetAttributeArray_int64(info, name, read.data(), &size);
  if (status == nullptr && size == Count) numbers = read;
  tables.ort.ReleaseStatus(status);
}

Window window_of(const Tables& tables, const OrtKernelInfo* info) {
  Window window;
  read_numbers(tables, info, "kernel_shape", window.kernel);
  read_numbers(tables, info, "strides", window.strides);
  read_numbers(tables, info, "dilations", window.dilations);
  read_numbers(tables, info, "pads", window.pads);
  int64_t group = 1;
  OrtStatus* status = tables.ort.KernelInfoGetAttribute_int64(info, "group", &group);
  if (status == nullptr) window.group = group;
  tables.ort.ReleaseStatus(status);
  return window;
}

OrtStatus* compute(OrtKernelImpl* self, OrtKernelContext* context) noexcept {
  const Kernel& kernel = *static_cast<Kernel*>(self);
  const Tables& tables = kernel.tables;
  return at_border(tables, [&] {
    size_t count = 0;
    check(tables.ort.KernelContext_GetInputCount(context, &count));
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < count; ++i) {
      const OrtValue* value = nullptr;
      check(tables.ort.KernelContext_GetInput(context, i, &value));
      if (value != nullptr) inputs.push_back(read_tensor(tables, *value));
    }
    Window window = kernel.window;
    if (kernel.is_conv) window.kernel = {inputs.at(1).dims.at(2), inputs.at(1).dims.at(3)};
    const Tensor* bias = inputs.size() > 2 ? &inputs[2] : nullptr;
    const Tensor result = kernel.is_conv ? convolve(window, inputs.at(0), inputs.at(1), bias)
                                         : pool_max(window, inputs.at(0));
    OrtValue* value = nullptr;
    check(tables.ort.KernelContext_GetOutput(context, 0, result.dims.data(), result.dims.size(),
                                             &value));
    void* data = nullptr;
    check(tables.ort.GetTensorMutableData(value, &data));
    std::copy(result.numbers.begin(), result.numbers.end(), static_cast<float*>(data));
  });
}

void release(OrtKernelImpl* self) noexcept { delete static_cast<Kernel*>(self); }

Kernel::Kernel(const Tables& with, bool is_of_conv, Window what)
    : OrtKernelImpl{}, tables(with), is_conv(is_of_conv), window(what) {
  ort_version_supported = with.version;
  Compute = compute;
  Release = release;
}

OrtStatus* create_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) noexcept {
  const Tables& tables = *static_cast<const Tables*>(state);
  return at_border(tables, [&] {
    char op_type[16];
    size_t size = sizeof op_type;
    check(tables.ort.KernelInfo_GetOperatorType(info, op_type, &size));
    const bool is_conv = std::string_view(op_type) == "Conv";
    *kernel = new Kernel(tables, is_conv, window_of(tables, info));
  });
}

void add_kernel(const Tables& tables, OrtKernelRegistry* registry, const char* op_type, int first,
                int last) {
  const OrtDataType* type = nullptr;
  check(tables.ep.GetTensorDataType(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &type));
  OrtKernelDefBuilder* made = nullptr;
  check(tables.ep.CreateKernelDefBuilder(&made));
  const std::unique_ptr<OrtKernelDefBuilder, decltype(tables.ep.ReleaseKernelDefBuilder)> builder(
      made, tables.ep.ReleaseKernelDefBuilder);
  check(tables.ep.KernelDefBuilder_SetOperatorType(made, op_type));
  check(tables.ep.KernelDefBuilder_SetDomain(made, kLastDomain));
  check(tables.ep.KernelDefBuilder_SetSinceVersion(made, first, last));
  check(tables.ep.KernelDefBuilder_SetExecutionProvider(made, kEpName));
  check(tables.ep.KernelDefBuilder_AddTypeConstraint(made, "T", &type, 1));
  OrtKernelDef* built = nullptr;
  check(tables.ep.KernelDefBuilder_Build(made, &built));
  const std::unique_ptr<OrtKernelDef, decltype(tables.ep.ReleaseKernelDef)> def(
      built, tables.ep.ReleaseKernelDef);
  check(tables.ep.KernelRegistry_AddKernel(registry, built, create_kernel,
                                           const_cast<Tables*>(&tables)));
}

}  // namespace

void add_image_kernels(const Tables& tables, OrtKernelRegistry* registry) {
  add_kernel(tables, registry, "Conv", 1, 22);
  add_kernel(tables, registry, "MaxPool", 8, 22);
}

}  // namespace virtual_npu
