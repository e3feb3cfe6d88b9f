// SPDX-License-Identifier: MIT
// Kernels of If, Loop and Scan, which the runtime makes; what the library does between bodies.
#include <cstring>
#include <vector>

#include "kernel_library.h"

namespace kernel_library {
namespace {

struct LoopHelper : OrtLoopKernelHelper {
  LoopHelper() : OrtLoopKernelHelper{} { ++alive; }
  ~LoopHelper() { --alive; }
  const Ep* ep = nullptr;
};

struct ScanHelper : OrtScanKernelHelper {
  ScanHelper() : OrtScanKernelHelper{} { ++alive; }
  ~ScanHelper() { --alive; }
  const Ep* ep = nullptr;
};

std::vector<int64_t> dims_of(const OrtValue* value) {
  OrtTensorTypeAndShapeInfo* form = nullptr;
  must(ort->GetTensorTypeAndShape(value, &form));
  size_t rank = 0;
  must(ort->GetDimensionsCount(form, &rank));
  std::vector<int64_t> dims(rank);
  must(ort->GetDimensions(form, dims.data(), rank));
  ort->ReleaseTensorTypeAndShapeInfo(form);
  return dims;
}

OrtStatus* concatenate(OrtLoopKernelHelper* self, void*, const OrtValue* const* parts, size_t count,
                       void* output, size_t size) {
  if (static_cast<LoopHelper*>(self)->ep->does("concat_error")) return error("cannot concatenate");
  return at_border([&] {
    size_t at = 0;
    for (size_t i = 0; i < count; ++i) {
      size_t bytes = 0;
      const void* data = nullptr;
      must(ort->GetTensorSizeInBytes(parts[i], &bytes));
      must(ort->GetTensorData(parts[i], &data));
      if (at + bytes > size) must(error("no room"));
      std::memcpy(static_cast<char*>(output) + at, data, bytes);
      at += bytes;
    }
    ++concatenated;
  });
}

// Matrices of float32.
OrtStatus* transpose(OrtScanKernelHelper* self, const size_t* permutation, size_t count,
                     const OrtValue* input, OrtSyncStream*, OrtValue* output) {
  if (static_cast<ScanHelper*>(self)->ep->does("transpose_error")) return error("cannot transpose");
  return at_border([&] {
    if (count != 2 || permutation[0] != 1) must(error("not a transposition of a matrix"));
    const auto dims = dims_of(input);
    const void* from = nullptr;
    void* to = nullptr;
    must(ort->GetTensorData(input, &from));
    must(ort->GetTensorMutableData(output, &to));
    const auto rows = static_cast<size_t>(dims.at(0)), columns = static_cast<size_t>(dims.at(1));
    for (size_t r = 0; r < rows; ++r) {
      for (size_t c = 0; c < columns; ++c) {
        static_cast<float*>(to)[c * rows + r] = static_cast<const float*>(from)[r * columns + c];
      }
    }
    ++transposed;
  });
}

// Of its own making, which cannot run bodies.
struct OwnKernel : OrtKernelImpl {
  OwnKernel() : OrtKernelImpl{} { ++alive; }
  ~OwnKernel() { --alive; }
};

OrtKernelImpl* own_kernel() {
  auto* made = new OwnKernel();
  made->ort_version_supported = ORT_API_VERSION;
  made->Compute = [](OrtKernelImpl*, OrtKernelContext*) { return error("no bodies"); };
  made->Release = [](OrtKernelImpl* self) { delete static_cast<OwnKernel*>(self); };
  return made;
}

template <typename Helper, typename Create>
void with_helper(const Ep& ep, Create&& create) {
  auto* helper = new Helper();
  helper->ep = &ep;
  helper->ort_version_supported = ep.does("old_helper") ? 23 : ORT_API_VERSION;
  helper->Release = [](auto* self) { delete static_cast<Helper*>(self); };
  if (OrtStatus* status = create(*helper)) {
    delete helper;  // the runtime has it only once it has succeeded
    throw Failed{status};
  }
}

}  // namespace

OrtStatus* create_control_flow(void* state, const OrtKernelInfo* info, OrtKernelImpl** kernel) {
  const Ep& ep = *static_cast<const Ep*>(state);
  return at_border([&] {
    char op_type[64];
    size_t size = sizeof op_type;
    must(ort->KernelInfo_GetOperatorType(info, op_type, &size));
    const std::string op = op_type;
    if (ep.does("own_control_flow")) {
      *kernel = own_kernel();
    } else if (op == "If" || ep.does("always_if")) {
      must(ep_api->CreateIfKernel(info, kernel));
    } else if (op == "Loop") {
      with_helper<LoopHelper>(ep, [&](LoopHelper& helper) {
        helper.ConcatOutput = ep.does("no_concat") ? nullptr : concatenate;
        return ep_api->CreateLoopKernel(info, &helper, kernel);
      });
    } else {
      with_helper<ScanHelper>(ep, [&](ScanHelper& helper) {
        helper.Transpose = transpose;
        return ep_api->CreateScanKernel(info, &helper, kernel);
      });
    }
  });
}

}  // namespace kernel_library
