// SPDX-License-Identifier: MIT
// Metadata of a model without its graph: only the outermost fields of the bytes are looked at, so
// that weights are never read.
#pragma once

#include <optional>
#include <string>

#include "core/base/key_values.h"
#include "core/proto/wire.h"

namespace ortc::api {

inline constexpr uint32_t kGraphField = 7;  // of ModelProto

// The metadata entry `key` of the ModelProto in `model`; nothing when there is none. INVALID_GRAPH
// when the bytes are not a model.
Result<std::optional<std::string>> find_model_entry(Bytes model, std::string_view key);
// Adds the entry that a field of the ModelProto in `model` is, if it is one.
Status take_model_entry(Bytes model, const WireField& field, KeyValues& entries);

}  // namespace ortc::api
