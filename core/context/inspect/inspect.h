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
  bool structure = false;    // of a model: what reads what, and the tensors in files that it uses
};

// JSON: {"schema":"ortc.inspect/1","kind":"onnx_model"|"context_binary", ...}. A context that
// cannot be used is a verdict in the text, not a failure; NO_SUCHFILE and INVALID_PROTOBUF are
// failures.
Result<std::string> inspect_file(const std::string& path, const InspectOptions& options,
                                 const ProviderRegistry& providers);

// What a provider says of a context, as it is written in verdicts: "optimal" and so on.
std::string_view word_of(Compatibility compatibility);

// What can be said of a model or a context here: "optimal", "prefer_recompilation", "unsupported",
// "not_applicable", "broken"; of a model without contexts "not_compiled".
struct Verdict {
  std::string word;
  std::string reason;

  // The worse of two stays.
  void worsen(Verdict other);
};
// Of a model and all files it names, every byte compared with its hash.
Result<Verdict> verify_model(const std::string& path, const ProviderRegistry& providers);

}  // namespace ortc
