// SPDX-License-Identifier: MIT
// Looks at a model or a context binary without a session: EPContext nodes with a verdict, sizes,
// versions, what is missing.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/provider/registry.h"

namespace ortc {

struct InspectOptions {
  bool details = false;      // every node, every initializer, the text of graphs and plans
  bool verify_data = false;  // compare everything with its hashes
  bool summary = false;      // of a model: what each node costs
};

// JSON: {"schema":"ortc.inspect/1","kind":"onnx_model"|"context_binary", ...}. A context that
// cannot be used is a verdict in the text, not a failure; NO_SUCHFILE and INVALID_PROTOBUF are
// failures.
Result<std::string> inspect_file(const std::string& path, const InspectOptions& options,
                                 const ProviderRegistry& providers);

// What of a model and the files it names is not as it was written, every byte compared; "" when
// all is. A failure where the model itself cannot be read.
Result<std::string> damage_of_model(const std::string& path, const ProviderRegistry& providers);

}  // namespace ortc
