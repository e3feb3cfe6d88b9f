// SPDX-License-Identifier: MIT
// The inference function of an OrtCustomOp, and what it sees.
#pragma once

#include <memory>
#include <vector>

#include "core/api/custom/op_declaration.h"
#include "core/api/graph/graph_handles.h"
#include "core/ops/infer.h"
#include "ort_c/custom_op.h"

namespace ortc::api {

// Calls it for the node of `context`, whose outputs get what it says; the element type of an output
// is what the operator declares, if it does.
Status infer_by_program(const OpDeclaration& declaration, InferContext& context);

}  // namespace ortc::api

struct OrtShapeInferContext {
  OrtShapeInferContext(ortc::InferContext& context, const ortc::api::Signature& outputs);

  ortc::InferContext& context;
  const ortc::api::Signature& outputs;
  std::vector<OrtTensorTypeAndShapeInfo> inputs;
  std::vector<OrtOpAttr> attributes;
};
