// SPDX-License-Identifier: MIT
// The inference function of an OrtCustomOp, and what it sees.
#pragma once

#include <memory>
#include <vector>

#include "core/api/graph/graph_handles.h"
#include "core/ops/infer.h"
#include "ort_c/custom_op.h"

namespace ortc::api {

// Calls it for the node of `context`, whose outputs get what it says.
Status infer_by_program(const OrtCustomOp& op, InferContext& context);

}  // namespace ortc::api

struct OrtShapeInferContext {
  explicit OrtShapeInferContext(ortc::InferContext& context);

  ortc::InferContext& context;
  std::vector<OrtTensorTypeAndShapeInfo> inputs;
  std::vector<OrtOpAttr> attributes;
};
