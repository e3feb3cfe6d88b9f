// SPDX-License-Identifier: MIT
// Shapes that functions of the program infer: see the header.
#include "core/api/custom/shape_inference.h"

#include "core/api/guard.h"
#include "core/api/value/element_type.h"

using namespace ortc;
using api::guard;

namespace ortc::api {
namespace {

Result<Type> told_type(const OrtTensorTypeAndShapeInfo& info) {
  const auto dtype = dtype_of(info.type);
  if (!dtype && number_of(info.type) != ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED) {
    return invalid_argument("'info' has the type ", number_of(info.type),
                            ", which is not an element type");
  }
  Type type = Type::tensor(dtype.value_or(DType::kUndefined));
  if (!info.has_shape) return type;
  Shape shape;
  for (size_t i = 0; i < info.dims.size(); ++i) {
    const std::string symbol = i < info.symbols.size() ? info.symbols[i] : std::string();
    shape.push_back(info.dims[i] >= 0 ? Dim::known(info.dims[i])
                                      : (symbol.empty() ? Dim::unknown() : Dim::named(symbol)));
  }
  type.shape = std::move(shape);
  return type;
}

}  // namespace

Status infer_by_program(const OpDeclaration& declaration, InferContext& context) {
  const OrtCustomOp& op = *declaration.op;
  OrtShapeInferContext shown(context, declaration.outputs);
  OrtStatus* answer = nullptr;
  Status status = take_status(guard([&]() -> Status {
    answer = op.InferOutputShapeFn(&op, &shown);
    return {};
  }));
  if (status.is_ok()) status = take_status(answer);
  return std::move(status.note("InferOutputShapeFn"));
}

}  // namespace ortc::api

OrtShapeInferContext::OrtShapeInferContext(InferContext& of, const api::Signature& of_outputs)
    : context(of), outputs(of_outputs) {
  for (size_t i = 0; i < of.input_count(); ++i) {
    const Type& type = of.input_type(i);
    inputs.push_back(type.is_tensor() ? api::type_info_of(type).tensor
                                      : OrtTensorTypeAndShapeInfo());
  }
  for (const Attribute& attribute : of.node().attributes()) attributes.emplace_back(attribute);
}

extern "C" {

OrtStatus* OrtShapeInferContext_GetInputCount(const OrtShapeInferContext* context, size_t* out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(context);
    *out = context->inputs.size();
    return {};
  });
}

OrtStatus* OrtShapeInferContext_GetInputTypeShape(const OrtShapeInferContext* context, size_t index,
                                                  OrtTensorTypeAndShapeInfo** info) {
  return guard([&]() -> Status {
    ORTC_OUT(info);
    ORTC_NEEDED(context);
    if (index >= context->inputs.size()) {
      return invalid_argument("'index' is ", index, ", but there are ", context->inputs.size(),
                              " inputs");
    }
    *info = const_cast<OrtTensorTypeAndShapeInfo*>(&context->inputs[index]);
    return {};
  });
}

OrtStatus* OrtShapeInferContext_GetAttribute(const OrtShapeInferContext* context,
                                             const char* attr_name, const OrtOpAttr** attr) {
  return guard([&]() -> Status {
    ORTC_OUT(attr);
    ORTC_NEEDED(context);
    ORTC_NEEDED(attr_name);
    for (const OrtOpAttr& one : context->attributes) {
      if (one.attribute->name != attr_name) continue;
      *attr = &one;
      return {};
    }
    return invalid_argument("the node has no attribute '", attr_name, "'");
  });
}

OrtStatus* OrtShapeInferContext_SetOutputTypeShape(const OrtShapeInferContext* context,
                                                   size_t index,
                                                   const OrtTensorTypeAndShapeInfo* info) {
  return guard([&]() -> Status {
    ORTC_NEEDED(context);
    ORTC_NEEDED(info);
    if (index >= context->context.output_count()) {
      return invalid_argument("'index' is ", index, ", but there are ",
                              context->context.output_count(), " outputs");
    }
    ASSIGN_OR_RETURN(Type type, api::told_type(*info));
    // Programs give shapes with whatever element type is the default of their interface.
    const api::Signature::Formal* formal = context->outputs.formal(index);
    if (formal != nullptr && formal->dtype) type.dtype = *formal->dtype;
    context->context.set_output(index, std::move(type));
    return {};
  });
}

}  // extern "C"
