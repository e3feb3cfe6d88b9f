// SPDX-License-Identifier: MIT
// What inspecting a model and inspecting a context binary share: verdicts, the fields of a header.
#pragma once

#include <string>

#include "core/base/json_writer.h"
#include "core/context/binary_reader.h"
#include "core/context/inspect/inspect.h"

namespace ortc {

// What can be said of a context here: "optimal", "prefer_recompilation", "unsupported",
// "not_applicable", "broken"; of a model without contexts "not_compiled".
struct Verdict {
  std::string word;
  std::string reason;

  // The worse of two stays.
  void worsen(Verdict other);
};

// What the provider that made a context says of it.
Verdict judge_context(const ContextBinary& binary, const ProviderRegistry& providers);
void write_verdict(JsonWriter& json, const Verdict& verdict);
void write_header(JsonWriter& json, const ContextHeaderInfo& header);
// Codec, size of the tensors and what they take as they are stored.
void write_storage(JsonWriter& json, const ContextBinary& binary);

Result<std::string> inspect_binary(const std::string& path, Blob bytes,
                                   const InspectOptions& options,
                                   const ProviderRegistry& providers);
Result<std::string> inspect_model(const std::string& path, const InspectOptions& options,
                                  const ProviderRegistry& providers);

}  // namespace ortc
