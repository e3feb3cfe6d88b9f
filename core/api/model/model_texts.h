// SPDX-License-Identifier: MIT
// What a model says of itself, told before it is loaded: its weights are never read.
#pragma once

#include "core/base/key_values.h"
#include "core/session/model_source.h"

namespace ortc::api {

// "producer_name", "producer_version", "domain", "model_version", "doc_string", "graph_name",
// "graph_description", and the entries of its metadata, which go before those. NO_SUCHFILE, and
// INVALID_PROTOBUF when the bytes are not a model. Nothing when no model was named.
Result<KeyValues> read_model_texts(const ModelSource& source);

}  // namespace ortc::api
