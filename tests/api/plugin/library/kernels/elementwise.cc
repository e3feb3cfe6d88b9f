// SPDX-License-Identifier: MIT
// Kernels of Mul, Add and Relu in float32, which keep copies of their constants as packed weights.
#include <cstring>
#include <map>
#include <vector>

#include "kernel_library.h"

namespace kernel_library {
namespace {

struct Tensor {
  std::vector<int64_t> dims;
  const float* data = nullptr;
  size_t count = 0;
};

struct Weight {
  Tensor form;
  void* own = nullptr;  // from the allocator that was given; null when the runtime has it
  OrtAllocator* allocator = nullptr;
};

struct Kernel : OrtKernelImpl {
  Kernel() : OrtKernelImpl{} { ++alive; }
  ~Kernel() {
    for (auto& [index, weight] : weights) {
      if (weight.own != nullptr) weight.allocator->Free(weight.allocator, weight.own);
    }
    --alive;
  }
  bool does(const char* what) const { return ep->does(what); }
  const Ep* ep = nullptr;
  std::string op_type;
  std::map<int, Weight> weights;
};

Kernel& own(OrtKernelImpl* impl) { return *static_cast<Kernel*>(impl); }

Tensor read(const OrtValue* value) {
  Tensor tensor;
  OrtTensorTypeAndShapeInfo* form = nullptr;
  must(ort->GetTensorTypeAndShape(value, &form));
  size_t rank = 0;
  must(ort->GetDimensionsCount(form, &rank));
  tensor.dims.resize(rank);
  must(ort->GetDimensions(form, tensor.dims.data(), rank));
  must(ort->GetTensorShapeElementCount(form, &tensor.count));
  ort->ReleaseTensorTypeAndShapeInfo(form);
  const void* data = nullptr;
  must(ort->GetTensorData(value, &data));
  tensor.data = static_cast<const float*>(data);
  return tensor;
}

Tensor input(const Kernel& kernel, const OrtKernelContext* context, int index) {
  const auto weight = kernel.weights.find(index);
  if (weight != kernel.weights.end()) return weight->second.form;
  const OrtValue* value = nullptr;
  must(ort->KernelContext_GetInput(context, static_cast<size_t>(index), &value));
  return read(value);
}

float combine(const Kernel& kernel, float a, float b) {
  return kernel.op_type == "Mul" ? a * b : kernel.op_type == "Add" ? a + b : a > 0 ? a : 0;
}

OrtStatus* compute(OrtKernelImpl* self, OrtKernelContext* context) {
  const Kernel& kernel = own(self);
  if (kernel.does("compute_error")) return error("cannot compute");
  if (kernel.does("compute_throws")) throw std::runtime_error("thrown while computing");
  if (kernel.does("no_output")) return nullptr;
  return at_border([&] {
    const Tensor a = input(kernel, context, 0);
    const Tensor b = kernel.op_type == "Relu" ? a : input(kernel, context, 1);
    std::vector<int64_t> dims = a.count >= b.count ? a.dims : b.dims;
    if (kernel.does("wrong_shape")) dims.push_back(2);
    OrtValue* value = nullptr;
    must(ort->KernelContext_GetOutput(context, kernel.does("no_such_output") ? 9 : 0, dims.data(),
                                      dims.size(), &value));
    void* data = nullptr;
    must(ort->GetTensorMutableData(value, &data));
    const size_t count = a.count >= b.count ? a.count : b.count;
    for (size_t i = 0; i < count; ++i) {
      static_cast<float*>(data)[i] = combine(kernel, a.data[i % a.count], b.data[i % b.count]);
    }
    ++computed;
  });
}

void release(OrtKernelImpl* self) { delete &own(self); }

OrtStatus* pack(OrtKernelImpl* self, const OrtValue* value, int index, OrtAllocator* allocator,
                OrtSharedPrePackedWeightCache* cache, bool* is_packed) {
  Kernel& kernel = own(self);
  if (kernel.does("pack_error")) return error("cannot pack");
  if (kernel.does("pack_throws")) throw std::runtime_error("thrown while packing");
  return at_border([&] {
    Weight weight{read(value)};
    size_t size = weight.form.count * sizeof(float);
    void* copy = allocator->Alloc(allocator, size);
    std::memcpy(copy, weight.form.data, size);
    weight.form.data = static_cast<float*>(copy);
    *is_packed = !kernel.does("pack_denies");
    ++packed;
    if (kernel.ep->shares_weights && cache != nullptr) {
      must(ep_api->SharedPrePackedWeightCache_StoreWeightData(cache, &copy, &size, 1));
      if (kernel.does("store_twice")) {
        must(ep_api->SharedPrePackedWeightCache_StoreWeightData(cache, &copy, &size, 1));
      }
    } else {
      weight.own = copy;
      weight.allocator = allocator;
    }
    kernel.weights[index] = weight;
  });
}

OrtStatus* set_shared(OrtKernelImpl* self, const void* const* data, const size_t* sizes,
                      size_t count, int index) {
  Kernel& kernel = own(self);
  if (kernel.does("take_error")) return error("cannot take");
  Weight& weight = kernel.weights[index];
  if (count != 1 || sizes[0] != weight.form.count * sizeof(float)) return error("another weight");
  weight.form.data = static_cast<const float*>(data[0]);
  ++shared;
  return nullptr;
}

}  // namespace

OrtStatus* create_elementwise(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) {
  const Ep& ep = *static_cast<const Ep*>(state);
  if (ep.does("create_error")) return error("no kernel today");
  if (ep.does("create_throws")) throw std::runtime_error("thrown while creating");
  if (ep.does("create_null")) return nullptr;
  if (ep.does("create_late")) {  // what it leaves behind is not to be touched
    *kernel = reinterpret_cast<OrtKernelImpl*>(uintptr_t{16});
    return error("failed too late");
  }
  return at_border([&] {
    const OrtEp* owner = nullptr;
    must(ep_api->KernelInfo_GetEp(info, &owner));
    if (owner != &ep) must(error("the kernel's provider is another"));
    char op_type[64];
    size_t size = sizeof op_type;
    must(ort->KernelInfo_GetOperatorType(info, op_type, &size));
    auto* made = new Kernel();
    made->ort_version_supported = ep.does("old_kernel") ? 23 : ORT_API_VERSION;
    if (ep.does("some_flags")) made->flags = 6;
    if (ep.does("control_flags")) made->flags = 1;
    made->Compute = ep.does("no_compute") ? nullptr : compute;
    made->Release = release;
    made->PrePackWeight = ep.does("packs_nothing") ? nullptr : pack;
    made->SetSharedPrePackedWeight = ep.does("no_take") ? nullptr : set_shared;
    made->ep = &ep;
    made->op_type = op_type;
    *kernel = made;
  });
}

}  // namespace kernel_library
