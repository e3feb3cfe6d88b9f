// SPDX-License-Identifier: MIT
// A library for tests whose provider claims every node it is shown, one at a time, and computes
// each with the runtime's own operator. What it cannot compute so it leaves, and says why. The
// option "operators" names those there are: "domain:name" and a comma, each.
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "border.h"
#include "onnxruntime_c_api.h"

namespace {

constexpr char kName[] = "ClaimAllEp";

const OrtApi* ort = nullptr;
const OrtEpApi* ep_api = nullptr;
std::set<std::string> left;  // "operator: why"
std::string left_text;

struct Attributes {
  Attributes() = default;
  Attributes(const Attributes&) = delete;
  ~Attributes() {
    for (OrtOpAttr* attribute : list) ort->ReleaseOpAttr(attribute);
  }
  std::vector<OrtOpAttr*> list;
};

struct Ep : OrtEp {
  Ep() : OrtEp{} {}
  ~Ep() { ep_api->ReleaseKernelRegistry(registry); }
  OrtKernelRegistry* registry = nullptr;
  std::string operators;
  std::map<std::string, Attributes> nodes;  // by the name of the first output
};

struct Kernel : OrtKernelImpl {
  Kernel() : OrtKernelImpl{} {}
  ~Kernel() { ort->ReleaseOp(op); }
  OrtOp* op = nullptr;
  std::vector<std::vector<int64_t>> output_dims;
};

// Types.

std::vector<int64_t> dims_of(const OrtTypeInfo* type) {
  const OrtTensorTypeAndShapeInfo* form = nullptr;
  must(ort->CastTypeInfoToTensorInfo(type, &form));
  size_t rank = 0;
  must(ort->GetDimensionsCount(form, &rank));
  std::vector<int64_t> dims(rank);
  must(ort->GetDimensions(form, dims.data(), rank));
  return dims;
}

std::string why_not(const OrtTypeInfo* type) {
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  must(ort->GetOnnxTypeFromTypeInfo(type, &kind));
  if (kind != ONNX_TYPE_TENSOR) return "an output is not a tensor";
  const OrtTensorTypeAndShapeInfo* form = nullptr;
  must(ort->CastTypeInfoToTensorInfo(type, &form));
  const bool has_shape = ort->TensorTypeAndShape_HasShape(form);
  for (const int64_t dim : has_shape ? dims_of(type) : std::vector<int64_t>{-1}) {
    if (dim < 0) return "the shape of an output is known at run time only";
  }
  return {};
}

std::string why_not(const std::vector<const OrtValueInfo*>& outputs) {
  for (const OrtValueInfo* output : outputs) {
    if (output == nullptr) continue;
    const OrtTypeInfo* type = nullptr;
    must(ort->GetValueInfoTypeInfo(output, &type));
    if (std::string reason = why_not(type); !reason.empty()) return reason;
  }
  return {};
}

// Claims.

std::string copy_attributes(const OrtNode* node, Attributes& copies) {
  size_t count = 0;
  must(ort->Node_GetNumAttributes(node, &count));
  std::vector<const OrtOpAttr*> attributes(count);
  must(ort->Node_GetAttributes(node, attributes.data(), count));
  for (const OrtOpAttr* attribute : attributes) {
    OrtOpAttrType type = ORT_OP_ATTR_UNDEFINED;
    const char* name = nullptr;
    must(ort->OpAttr_GetType(attribute, &type));
    must(ort->OpAttr_GetName(attribute, &name));
    if (type == ORT_OP_ATTR_TENSOR) return "an attribute is a tensor";
    if (type == ORT_OP_ATTR_GRAPH) return "an attribute is a graph";
    if (type == ORT_OP_ATTR_STRINGS) return "an attribute is a list of texts";
    size_t size = 0;
    OrtStatus* too_short = ort->ReadOpAttr(attribute, type, nullptr, 0, &size);
    ort->ReleaseStatus(too_short);
    std::vector<char> bytes(size + 1);
    must(ort->ReadOpAttr(attribute, type, bytes.data(), size, &size));
    const bool has_numbers = type == ORT_OP_ATTR_INTS || type == ORT_OP_ATTR_FLOATS;
    const size_t width = type == ORT_OP_ATTR_INTS ? sizeof(int64_t) : sizeof(float);
    OrtOpAttr* copy = nullptr;
    must(ort->CreateOpAttr(name, bytes.data(), static_cast<int>(has_numbers ? size / width : size),
                           type, &copy));
    copies.list.push_back(copy);
  }
  return {};
}

bool has_bodies(const std::string& op_type) { return op_type == "If" || op_type == "Loop"; }

void claim(Ep& ep, const OrtNode* node, OrtEpGraphSupportInfo* support) {
  const char* op_type = nullptr;
  must(ort->Node_GetOperatorType(node, &op_type));
  const OrtKernelDef* def = nullptr;
  must(ep_api->EpGraphSupportInfo_LookUpKernel(support, node, &def));
  std::string reason = def == nullptr ? "no kernel" : "";
  if (reason.empty() && !has_bodies(op_type)) {
    size_t count = 0;
    must(ort->Node_GetNumOutputs(node, &count));
    std::vector<const OrtValueInfo*> outputs(count);
    must(ort->Node_GetOutputs(node, outputs.data(), count));
    reason = why_not(outputs);
    const char* key = "";
    for (const OrtValueInfo* output : outputs) {
      if (*key == '\0' && output != nullptr) must(ort->GetValueInfoName(output, &key));
    }
    if (reason.empty()) reason = copy_attributes(node, ep.nodes[key]);
  }
  if (!reason.empty()) {
    left.insert(std::string(op_type) + ": " + reason);
    return;
  }
  must(ep_api->EpGraphSupportInfo_AddSingleNode(support, node));
}

OrtStatus* get_capability(OrtEp* self, const OrtGraph* graph, OrtEpGraphSupportInfo* support) {
  return at_border([&] {
    size_t count = 0;
    must(ort->Graph_GetNumNodes(graph, &count));
    std::vector<const OrtNode*> nodes(count);
    must(ort->Graph_GetNodes(graph, nodes.data(), count));
    for (const OrtNode* node : nodes) claim(*static_cast<Ep*>(self), node, support);
  });
}

// Kernels.

OrtStatus* compute(OrtKernelImpl* self, OrtKernelContext* context) {
  const Kernel& kernel = *static_cast<Kernel*>(self);
  return at_border([&] {
    size_t count = 0;
    must(ort->KernelContext_GetInputCount(context, &count));
    std::vector<const OrtValue*> inputs(count);
    for (size_t i = 0; i < count; ++i) {
      must(ort->KernelContext_GetInput(context, i, &inputs[i]));
    }
    std::vector<OrtValue*> outputs(kernel.output_dims.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      const auto& dims = kernel.output_dims[i];
      must(ort->KernelContext_GetOutput(context, i, dims.data(), dims.size(), &outputs[i]));
    }
    must(ort->InvokeOp(context, kernel.op, inputs.data(), static_cast<int>(count), outputs.data(),
                       static_cast<int>(outputs.size())));
  });
}

std::string text_of(OrtStatus* (*get)(const OrtKernelInfo*, char*, size_t*),
                    const OrtKernelInfo* info) {
  char text[256];
  size_t size = sizeof text;
  must(get(info, text, &size));
  return text;
}

// The first output that has a name gives the key.
std::string read_outputs(const OrtKernelInfo* info, Kernel& kernel) {
  std::string key;
  size_t count = 0;
  must(ort->KernelInfo_GetOutputCount(info, &count));
  for (size_t i = 0; i < count; ++i) {
    auto& dims = kernel.output_dims.emplace_back();
    char name[256];
    size_t size = sizeof name;
    must(ort->KernelInfo_GetOutputName(info, i, name, &size));
    if (*name == '\0') continue;
    if (key.empty()) key = name;
    OrtTypeInfo* type = nullptr;
    must(ort->KernelInfo_GetOutputTypeInfo(info, i, &type));
    dims = dims_of(type);
    ort->ReleaseTypeInfo(type);
  }
  return key;
}

OrtStatus* concatenate(OrtLoopKernelHelper*, void*, const OrtValue* const* parts, size_t count,
                       void* output, size_t) {
  return at_border([&] {
    auto* to = static_cast<char*>(output);
    for (size_t i = 0; i < count; ++i) {
      size_t size = 0;
      const void* data = nullptr;
      must(ort->GetTensorSizeInBytes(parts[i], &size));
      must(ort->GetTensorData(parts[i], &data));
      if (size != 0) std::memcpy(to, data, size);
      to += size;
    }
  });
}

void create_control_flow(const std::string& op_type, const OrtKernelInfo* info,
                         OrtKernelImpl** kernel) {
  if (op_type == "If") return must(ep_api->CreateIfKernel(info, kernel));
  static OrtLoopKernelHelper helper{};  // has nothing of its own
  helper.ort_version_supported = ORT_API_VERSION;
  helper.Release = [](OrtLoopKernelHelper*) {};
  helper.ConcatOutput = concatenate;
  must(ep_api->CreateLoopKernel(info, &helper, kernel));
}

OrtStatus* create_kernel(void* state, const OrtKernelInfo* info, OrtKernelImpl** out) {
  Ep& ep = *static_cast<Ep*>(state);
  return at_border([&] {
    const std::string op_type = text_of(ort->KernelInfo_GetOperatorType, info);
    if (has_bodies(op_type)) return create_control_flow(op_type, info, out);
    auto kernel = std::make_unique<Kernel>();
    kernel->ort_version_supported = ORT_API_VERSION;
    kernel->Compute = compute;
    kernel->Release = [](OrtKernelImpl* self) { delete static_cast<Kernel*>(self); };
    const Attributes& attributes = ep.nodes[read_outputs(info, *kernel)];
    int version = 0;
    size_t inputs = 0;
    must(ort->KernelInfo_GetOperatorSinceVersion(info, &version));
    must(ort->KernelInfo_GetInputCount(info, &inputs));
    const std::string domain = text_of(ort->KernelInfo_GetOperatorDomain, info);
    must(ort->CreateOp(info, op_type.c_str(), domain.c_str(), version, nullptr, nullptr, 0,
                       attributes.list.data(), static_cast<int>(attributes.list.size()),
                       static_cast<int>(inputs), static_cast<int>(kernel->output_dims.size()),
                       &kernel->op));
    *out = kernel.release();
  });
}

void add_kernel(Ep& ep, const std::string& domain, const std::string& op_type) {
  OrtKernelDefBuilder* builder = nullptr;
  OrtKernelDef* def = nullptr;
  must(ep_api->CreateKernelDefBuilder(&builder));
  must(ep_api->KernelDefBuilder_SetOperatorType(builder, op_type.c_str()));
  must(ep_api->KernelDefBuilder_SetDomain(builder, domain.c_str()));
  must(ep_api->KernelDefBuilder_SetSinceVersion(builder, 1, 1000));
  must(ep_api->KernelDefBuilder_SetExecutionProvider(builder, kName));
  must(ep_api->KernelDefBuilder_Build(builder, &def));
  must(ep_api->KernelRegistry_AddKernel(ep.registry, def, create_kernel, &ep));
  ep_api->ReleaseKernelDef(def);
  ep_api->ReleaseKernelDefBuilder(builder);
}

OrtStatus* get_registry(OrtEp* self, const OrtKernelRegistry** registry) {
  Ep& ep = *static_cast<Ep*>(self);
  return at_border([&] {
    must(ep_api->CreateKernelRegistry(&ep.registry));
    std::istringstream names(ep.operators);
    for (std::string name; std::getline(names, name, ',');) {
      const size_t colon = name.find(':');
      add_kernel(ep, name.substr(0, colon), name.substr(colon + 1));
    }
    *registry = ep.registry;
  });
}

// What the library exports.

std::string option(const OrtSessionOptions* options, const char* key) {
  size_t size = 0;
  must(ort->GetSessionConfigEntry(options, key, nullptr, &size));
  std::string value(size, '\0');
  must(ort->GetSessionConfigEntry(options, key, value.data(), &size));
  value.resize(size - 1);  // the zero at the end
  return value;
}

OrtStatus* create_ep(OrtEpFactory*, const OrtHardwareDevice* const*, const OrtKeyValuePairs* const*,
                     size_t, const OrtSessionOptions* options, const OrtLogger*, OrtEp** made) {
  return at_border([&] {
    auto ep = std::make_unique<Ep>();
    ep->operators = option(options, "ep.claimallep.operators");
    ep->ort_version_supported = ORT_API_VERSION;
    ep->GetName = [](const OrtEp*) { return kName; };
    ep->GetCapability = get_capability;
    ep->GetKernelRegistry = get_registry;
    *made = ep.release();
  });
}

OrtStatus* get_devices(OrtEpFactory* self, const OrtHardwareDevice* const* devices, size_t count,
                       OrtEpDevice** made, size_t room, size_t* made_count) {
  return at_border([&] {
    *made_count = 0;
    for (size_t i = 0; i < count && *made_count < room && *made_count == 0; ++i) {
      if (ort->HardwareDevice_Type(devices[i]) != OrtHardwareDeviceType_CPU) continue;
      must(ep_api->CreateEpDevice(self, devices[i], nullptr, nullptr, &made[0]));
      ++*made_count;
    }
  });
}

}  // namespace

extern "C" {

ORT_EXPORT OrtStatus* CreateEpFactories(const char*, const OrtApiBase* base, const OrtLogger*,
                                        OrtEpFactory** factories, size_t, size_t* count) {
  ort = base->GetApi(ORT_API_VERSION);
  ep_api = ort->GetEpApi();
  auto* factory = new OrtEpFactory{};
  factory->ort_version_supported = ORT_API_VERSION;
  factory->GetName = [](const OrtEpFactory*) { return kName; };
  factory->GetVendor = [](const OrtEpFactory*) { return "ortc tests"; };
  factory->GetVersion = [](const OrtEpFactory*) { return "1.0.0"; };
  factory->GetSupportedDevices = get_devices;
  factory->CreateEp = create_ep;
  factory->ReleaseEp = [](OrtEpFactory*, OrtEp* ep) { delete static_cast<Ep*>(ep); };
  factories[0] = factory;
  *count = 1;
  return nullptr;
}

ORT_EXPORT OrtStatus* ReleaseEpFactory(OrtEpFactory* factory) {
  delete factory;
  return nullptr;
}

// Which nodes it left since the last call, one a line.
ORT_EXPORT const char* claim_all_left() {
  left_text.clear();
  for (const std::string& line : left) left_text += line + "\n";
  left.clear();
  return left_text.c_str();
}

}  // extern "C"
