// SPDX-License-Identifier: MIT
// A hash by which damage to a written model shows: of all bytes of its file, the digits of the hash
// themselves taken as zeros. Compared on request, never when a session loads.
#pragma once

#include <optional>
#include <string>

#include "core/graph/export.h"
#include "core/platform/work.h"

namespace ortc {

// metadata_props "ortc.model.hash": 32 hexadecimal digits. Written last: nothing of the model may
// change any more. Its size stays what it is with a hash of zeros.
// `work` is asked whether to go on.
Status stamp_model_hash(Model& model, const ExportOptions& exporting, const Work& work);
// Room for the hash, in a model whose size is asked before.
void clear_model_hash(Model& model);
// What was read from one file says nothing of another.
void remove_model_hash(Model& model);

// Of a model that was read from `file`. Nothing when it has no hash; INVALID_GRAPH with expected
// and found when the file was changed since it was written.
std::optional<Status> verify_model_hash(const Model& model, Bytes file);

}  // namespace ortc
