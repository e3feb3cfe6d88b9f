// SPDX-License-Identifier: MIT
// What a model says about itself, as the C interface shows it.
#pragma once

#include "core/api/handles.h"

namespace ortc::api {

OrtModelMetadata metadata_of(const Model& model);

}  // namespace ortc::api
