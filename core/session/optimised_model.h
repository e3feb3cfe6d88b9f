// SPDX-License-Identifier: MIT
// The optimised model as an ONNX file: the graph as execution providers see it.
#pragma once

#include "core/graph/model.h"
#include "core/options/settings.h"
#include "core/platform/work.h"

namespace ortc {

// Replaces files that are there. INVALID_ARGUMENT when the folder is missing, FAIL when the model
// is too large, NOT_IMPLEMENTED for ONNX Runtime's own format.
Status write_optimised_model(const Model& model, const OptimisedModelSettings& settings,
                             Work& work);

}  // namespace ortc
