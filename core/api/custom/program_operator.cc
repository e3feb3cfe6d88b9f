// SPDX-License-Identifier: MIT
// Which nodes an operator of the program takes, and the types of their outputs: see the header.
#include "core/api/custom/program_operator.h"

#include "core/api/custom/custom_kernel.h"
#include "core/api/custom/shape_inference.h"

namespace ortc::api {
namespace {

// Values of one variadic formal that must all be of one type, whichever it is.
std::string fault_of_variadic(const InferContext& context, const Signature& signature) {
  if (!signature.is_variadic() || !signature.variadic_is_of_one) return {};
  const size_t first = signature.formals.size() - 1;
  for (size_t i = first + 1; i < context.input_count(); ++i) {
    const Type &one = context.input_type(first), &other = context.input_type(i);
    if (one.kind == TypeKind::kNone || other.kind == TypeKind::kNone) continue;
    if (one.kind == other.kind && one.dtype == other.dtype) continue;
    return str_cat("Type Error: Type parameter (Input", first, ") of Optype (",
                   context.node().op_type(), ") bound to different types: number ", i, " is ",
                   type_to_string(other), ", number ", first, " is ", type_to_string(one));
  }
  return {};
}

std::string fault_of_inputs(const InferContext& context, const Signature& signature) {
  std::string fault = signature.fault_of_omitted(context.input_count(),
                                                 [&](size_t i) { return context.has_input(i); });
  for (size_t i = 0; i < context.input_count() && fault.empty(); ++i) {
    if (context.has_input(i)) fault = signature.fault_of_type(i, context.input_type(i));
  }
  return fault.empty() ? fault_of_variadic(context, signature) : fault;
}

const Type& file_type(const InferContext& context, size_t i) {
  static const Type kNone;
  const Value* value = context.node().graph()->value(context.node().output(i));
  return value != nullptr ? value->type : kNone;
}

Type without_shape(const Type& type) {
  Type bare = type;
  bare.shape.reset();
  return bare;
}

}  // namespace

// "" when the node may have as many values.
std::string ProgramOperator::why_not_as_many(const Node& node, const char* what,
                                             const Signature& signature, size_t count) const {
  const std::string fault = signature.fault_of_count(count);
  if (fault.empty()) return {};
  return str_cat("Error Node(", node.name(), ") with schema(", declaration_.domain,
                 "::", declaration_.name, ":", declaration_.first_version, ") has ", what, " ",
                 fault);
}

std::string ProgramOperator::why_not(const InferContext& context) const {
  const Node& node = context.node();
  std::string fault = why_not_as_many(node, "input", declaration_.inputs, context.input_count());
  if (!fault.empty()) return fault;
  fault = fault_of_inputs(context, declaration_.inputs);
  if (!fault.empty()) return str_cat("inputs: ", fault);
  fault = why_not_as_many(node, "output", declaration_.outputs, context.output_count());
  if (!fault.empty()) return fault;
  fault = declaration_.outputs.fault_of_omitted(
      context.output_count(), [&](size_t i) { return node.output(i) != kNoValue; });
  return fault.empty() ? std::string() : str_cat("outputs: ", fault);
}

// An output of any type has what the model says; where it says nothing, that of the first input of
// any type.
Type ProgramOperator::declared_output(const InferContext& context, size_t i) const {
  const Signature::Formal& formal = *declaration_.outputs.formal(i);
  if (formal.dtype) return Type::tensor(*formal.dtype);
  if (declaration_.has_shape_inference() || file_type(context, i).kind != TypeKind::kNone) {
    return {};
  }
  for (size_t k = 0; k < context.input_count(); ++k) {
    if (!context.has_input(k) || declaration_.inputs.formal(k)->dtype) continue;
    return without_shape(context.input_type(k));
  }
  return {};
}

Status ProgramOperator::infer(InferContext& context) const {
  if (const std::string fault = why_not(context); !fault.empty()) {
    return invalid_graph("the custom operator ", declaration_.label(), " does not fit: ", fault);
  }
  for (size_t i = 0; i < context.output_count(); ++i) {
    const Type type = declared_output(context, i);
    if (type.kind != TypeKind::kNone) context.set_output(i, type);
  }
  if (!declaration_.has_shape_inference()) return {};
  return infer_by_program(declaration_, context);
}

Result<std::shared_ptr<const ComputeObject>> ProgramOperator::make_kernel(
    const Node& node, const CustomKernelPlace& place) const {
  return make_custom_kernel(declaration_, kept_, node, place);
}

}  // namespace ortc::api
