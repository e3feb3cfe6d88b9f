// SPDX-License-Identifier: MIT
// A library of an execution provider that brings an operator: brought.Double on floats, which the
// CPU runs. The provider itself takes no node. The name that it is registered under may ask for a
// fault.
#define ORT_API_MANUAL_INIT
#include "onnxruntime_cxx_api.h"
#undef ORT_API_MANUAL_INIT

#include <memory>
#include <string>

namespace {

struct DoubleKernel {
  void Compute(OrtKernelContext* context) {
    const Ort::KernelContext call(context);
    const Ort::ConstValue x = call.GetInput(0);
    const std::vector<int64_t> dims = x.GetTensorTypeAndShapeInfo().GetShape();
    float* y = call.GetOutput(0, dims).GetTensorMutableData<float>();
    const size_t count = x.GetTensorTypeAndShapeInfo().GetElementCount();
    for (size_t i = 0; i < count; ++i) y[i] = 2 * x.GetTensorData<float>()[i];
  }
};

struct Double : Ort::CustomOpBase<Double, DoubleKernel> {
  void* CreateKernel(const OrtApi&, const OrtKernelInfo*) const { return new DoubleKernel; }
  const char* GetName() const { return "Double"; }
  size_t GetInputTypeCount() const { return 1; }
  size_t GetOutputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetInputType(size_t) const {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  }
  ONNXTensorElementDataType GetOutputType(size_t) const {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  }
};

struct Ep : OrtEp {
  Ep() : OrtEp() {
    ort_version_supported = ORT_API_VERSION;
    GetName = [](const OrtEp*) { return "BringingEp"; };
    GetCapability = [](OrtEp*, const OrtGraph*, OrtEpGraphSupportInfo*) -> OrtStatus* {
      return nullptr;
    };
    Compile = [](OrtEp*, const OrtGraph**, const OrtNode**, size_t, OrtNodeComputeInfo**,
                 OrtNode**) -> OrtStatus* { return nullptr; };
    ReleaseNodeComputeInfos = [](OrtEp*, OrtNodeComputeInfo**, size_t) {};
  }
};

struct Factory : OrtEpFactory {
  explicit Factory(std::string of_fault)
      : OrtEpFactory(), fault(std::move(of_fault)), domain("brought") {
    domain.Add(&op);
    ort_version_supported = ORT_API_VERSION;
    GetName = [](const OrtEpFactory*) { return "BringingEp"; };
    GetVendor = [](const OrtEpFactory*) { return "tests"; };
    GetVersion = [](const OrtEpFactory*) { return "1.0.0"; };
    GetSupportedDevices = [](OrtEpFactory* self, const OrtHardwareDevice* const* devices,
                             size_t count, OrtEpDevice** out, size_t, size_t* out_count) {
      *out_count = count == 0 ? 0 : 1;
      return count == 0 ? nullptr
                        : Ort::GetEpApi().CreateEpDevice(self, devices[0], nullptr, nullptr, out);
    };
    CreateEp = [](OrtEpFactory*, const OrtHardwareDevice* const*, const OrtKeyValuePairs* const*,
                  size_t, const OrtSessionOptions*, const OrtLogger*, OrtEp** ep) -> OrtStatus* {
      *ep = new Ep;
      return nullptr;
    };
    ReleaseEp = [](OrtEpFactory*, OrtEp* ep) { delete static_cast<Ep*>(ep); };
    GetNumCustomOpDomains = [](OrtEpFactory* self, size_t* count) -> OrtStatus* {
      const Factory& factory = *static_cast<Factory*>(self);
      if (factory.fault == "count_fails") {
        return Ort::GetApi().CreateStatus(ORT_ENGINE_ERROR, "cannot count");
      }
      *count = factory.fault == "too_many" ? SIZE_MAX : 1;
      return nullptr;
    };
    GetCustomOpDomains = [](OrtEpFactory* self, OrtCustomOpDomain** domains, size_t) -> OrtStatus* {
      Factory& factory = *static_cast<Factory*>(self);
      *domains =
          factory.fault == "null" ? nullptr : static_cast<OrtCustomOpDomain*>(factory.domain);
      return nullptr;
    };
  }

  std::string fault;
  Double op;
  Ort::CustomOpDomain domain;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) OrtStatus* CreateEpFactories(
    const char* name, const OrtApiBase* base, const OrtLogger*, OrtEpFactory** factories, size_t,
    size_t* count) {
  Ort::InitApi(base->GetApi(ORT_API_VERSION));
  *factories = new Factory(name);
  *count = 1;
  return nullptr;
}

extern "C" __attribute__((visibility("default"))) OrtStatus* ReleaseEpFactory(
    OrtEpFactory* factory) {
  delete static_cast<Factory*>(factory);
  return nullptr;
}
