// SPDX-License-Identifier: MIT
// The optimised model as an ONNX file: the graph as execution providers see it.
#pragma once

#include "core/graph/model.h"
#include "core/session/session_options.h"

namespace ortc {

struct OptimisedModelOptions {
  std::string path;
  std::string external_file;  // for initializers, in the model's folder; "": all stay in the model
  uint64_t external_threshold = 1024;

  // INVALID_ARGUMENT for a threshold that is no number, NOT_IMPLEMENTED for ORT's own format.
  static Result<OptimisedModelOptions> from(const SessionOptions& options);
};

// Replaces files that are there. FAIL when the folder is missing or the model is too large.
Status write_optimised_model(const Model& model, const OptimisedModelOptions& options);

}  // namespace ortc
