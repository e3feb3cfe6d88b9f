// SPDX-License-Identifier: MIT
// The registry of the test library.
#include "kernel_library.h"

namespace kernel_library {
namespace {

struct Definition {
  const char* op_type;
  int first, last;
  const char* parameter;  // restricted to float32
  OrtKernelCreateFunc create;
};

constexpr Definition kDefinitions[] = {
    {"Mul", 7, 14, "T", create_elementwise},        {"Add", 7, 14, "A", create_elementwise},
    {"Relu", 14, 14, "T", create_elementwise},      {"If", 11, 25, nullptr, create_control_flow},
    {"Loop", 11, 25, nullptr, create_control_flow}, {"Scan", 9, 25, "V", create_control_flow},
};

void restrict_types(const Ep& ep, OrtKernelDefBuilder* builder, const char* parameter) {
  const OrtDataType* type = nullptr;
  const auto number = ep.does("no_such_type") ? ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED
                                              : ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  must(ep_api->GetTensorDataType(number, &type));
  int something = 0;
  if (ep.does("foreign_type")) type = reinterpret_cast<const OrtDataType*>(&something);
  if (ep.does("unknown_parameter")) parameter = "Q";
  must(ep_api->KernelDefBuilder_AddTypeConstraint(builder, parameter, &type, 1));
}

void add(Ep& ep, const Definition& definition) {
  OrtKernelDefBuilder* builder = nullptr;
  must(ep_api->CreateKernelDefBuilder(&builder));
  OrtKernelDef* def = nullptr;
  OrtStatus* status = at_border([&] {
    if (!ep.does("no_operator")) {
      must(ep_api->KernelDefBuilder_SetOperatorType(builder, definition.op_type));
    }
    must(ep_api->KernelDefBuilder_SetDomain(builder, "ai.onnx"));
    must(ep_api->KernelDefBuilder_SetSinceVersion(builder, definition.first, definition.last));
    must(ep_api->KernelDefBuilder_SetExecutionProvider(
        builder, ep.does("other_provider") ? "AnotherEp" : kName));
    if (definition.parameter != nullptr) restrict_types(ep, builder, definition.parameter);
    must(ep_api->KernelDefBuilder_Build(builder, &def));
    must(ep_api->KernelRegistry_AddKernel(ep.registry, def, definition.create, &ep));
    if (ep.does("kernel_twice")) {
      must(ep_api->KernelRegistry_AddKernel(ep.registry, def, definition.create, &ep));
    }
  });
  ep_api->ReleaseKernelDef(def);
  ep_api->ReleaseKernelDefBuilder(builder);
  must(status);
}

}  // namespace

OrtStatus* make_registry(Ep& ep) {
  return at_border([&] {
    must(ep_api->CreateKernelRegistry(&ep.registry));
    for (const Definition& definition : kDefinitions) add(ep, definition);
  });
}

}  // namespace kernel_library
