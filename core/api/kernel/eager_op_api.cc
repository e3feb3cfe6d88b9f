// SPDX-License-Identifier: MIT
// ort_c/kernel_info.h: operators of ONNX that a kernel calls. Each call types a graph of the one
// node with the values that were given, as a model's is typed, so that no kernel sees what it
// could not see in a session.
#include <algorithm>

#include "core/api/graph/graph_handles.h"
#include "core/api/guard.h"
#include "core/api/kernel/kernel_context.h"
#include "core/api/kernel/kernel_info_handle.h"
#include "core/api/value/tensor_form.h"
#include "core/kernel/evaluator.h"
#include "core/ops/infer.h"
#include "core/ops/op_list.h"

struct OrtOp {
  std::string op_type, domain;
  int version = 1;
  std::vector<ortc::Attribute> attributes;
  size_t input_count = 0, output_count = 0;
  const ortc::KernelRegistry* kernels = nullptr;
};

using namespace ortc;
using api::guard;

namespace {

Status check_exists(const OrtOp& op) {
  const OpRow* row = find_op(op.domain, op.op_type, op.version);
  if (row == nullptr || op.kernels == nullptr ||
      !op.kernels->knows_operator(op.op_type, op.domain)) {
    return not_implemented("there is no operator ", op.domain.empty() ? "" : op.domain + ".",
                           op.op_type, " of opset ", op.version, " to call");
  }
  return {};
}

// The operator as the only node of a graph, typed for these inputs.
Result<std::shared_ptr<Graph>> graph_of(const OrtOp& op, std::span<const Datum> inputs,
                                        std::span<OrtValue* const> outputs) {
  auto graph = std::make_shared<Graph>(
      std::make_shared<const OpsetImports>(OpsetImports{{op.domain, op.version}}));
  std::vector<ValueId> in, out;
  for (const Datum& input : inputs) {
    if (input.is_none()) {
      in.push_back(kNoValue);
      continue;
    }
    ASSIGN_OR_RETURN(const ValueId id, graph->add_value("", Type::of(input)));
    graph->add_input(id);
    in.push_back(id);
  }
  for (const OrtValue* output : outputs) {
    if (output == nullptr) {
      out.push_back(kNoValue);
      continue;
    }
    ASSIGN_OR_RETURN(const ValueId id, graph->add_value(""));
    graph->add_output(id);
    out.push_back(id);
  }
  ASSIGN_OR_RETURN(Node * node, graph->add_node(op.op_type, op.domain, "", std::move(in),
                                                std::move(out), op.attributes));
  (void)node;
  RETURN_IF_ERROR(infer_types(*graph));
  return graph;
}

Status fill(OrtValue& to, const Datum& result, size_t i) {
  const Tensor* from = result.tensor();
  if (from == nullptr || !to.is_tensor()) {
    return invalid_argument("output ", i, " is ", describe(result),
                            "; a tensor is needed in 'output_values'");
  }
  if (to.tensor.dtype() != from->dtype() || to.tensor.dims() != from->dims()) {
    return invalid_argument("'output_values[", i, "]' is ", describe(to.datum()),
                            ", but the result is ", describe(result));
  }
  copy_elements(from->dtype(), from->element_count(), from->data(), to.tensor.mutable_data());
  return {};
}

Status check_count(std::string_view name, int found, size_t expected) {
  if (found >= 0 && static_cast<size_t>(found) == expected) return {};
  return invalid_argument("'", name, "' is ", found, ", expected ", expected);
}

}  // namespace

extern "C" {

OrtStatus* OrtCreateOp(const OrtKernelInfo* info, const char* op_name, const char* domain,
                       int version, const char** type_constraint_names,
                       const ONNXTensorElementDataType* type_constraint_values,
                       int type_constraint_count, const OrtOpAttr* const* attr_values,
                       int attr_count, int input_count, int output_count, OrtOp** ort_op) {
  return guard([&]() -> Status {
    ORTC_OUT(ort_op);
    ORTC_NEEDED(info);
    ORTC_NEEDED(op_name);
    if (type_constraint_count > 0) {
      ORTC_NEEDED(type_constraint_names);
      ORTC_NEEDED(type_constraint_values);
    }
    if (attr_count > 0) ORTC_NEEDED(attr_values);
    constexpr int kMost = 1 << 16;
    for (const int count : {type_constraint_count, attr_count, input_count, output_count}) {
      if (count < 0 || count > kMost) {
        return invalid_argument("a count is ", count, ", expected 0 to ", kMost);
      }
    }
    auto op = std::make_unique<OrtOp>();
    op->op_type = op_name;
    if (domain != nullptr && std::string_view(domain) != "ai.onnx") op->domain = domain;
    op->version = version;
    op->input_count = static_cast<size_t>(input_count);
    op->output_count = static_cast<size_t>(output_count);
    op->kernels = info->kernels;
    for (int i = 0; i < attr_count; ++i) {
      ORTC_NEEDED(attr_values[i]);
      op->attributes.push_back(*attr_values[i]->attribute);
    }
    RETURN_IF_ERROR(check_exists(*op));
    *ort_op = op.release();
    return {};
  });
}

OrtStatus* OrtInvokeOp(const OrtKernelContext* context, const OrtOp* ort_op,
                       const OrtValue* const* input_values, int input_count,
                       OrtValue* const* output_values, int output_count) {
  return guard([&]() -> Status {
    ORTC_NEEDED(context);
    ORTC_NEEDED(ort_op);
    RETURN_IF_ERROR(check_count("input_count", input_count, ort_op->input_count));
    RETURN_IF_ERROR(check_count("output_count", output_count, ort_op->output_count));
    if (input_count > 0) ORTC_NEEDED(input_values);
    if (output_count > 0) ORTC_NEEDED(output_values);
    std::vector<Datum> inputs;
    for (size_t i = 0; i < ort_op->input_count; ++i) {
      if (input_values[i] != nullptr) RETURN_IF_ERROR(api::check_host(*input_values[i]));
      inputs.push_back(input_values[i] != nullptr ? input_values[i]->datum() : Datum());
    }
    const std::span<OrtValue* const> outputs(output_values, ort_op->output_count);
    for (const OrtValue* output : outputs) {
      if (output != nullptr) RETURN_IF_ERROR(api::check_host(*output));
    }
    ASSIGN_OR_RETURN(const auto graph, graph_of(*ort_op, inputs, outputs));
    const Evaluator evaluator(*ort_op->kernels);
    ASSIGN_OR_RETURN(ThreadPool* const pool, context->pool());
    ASSIGN_OR_RETURN(const auto results,
                     evaluator.evaluate_values(*graph->node(0), inputs, pool, host_isa()));
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] != nullptr) RETURN_IF_ERROR(fill(*outputs[i], results[i], i));
    }
    return {};
  });
}

void OrtReleaseOp(OrtOp* ort_op) { delete ort_op; }

}  // extern "C"
