// SPDX-License-Identifier: MIT
// What inspecting a model and inspecting a context binary share: verdicts, the fields of a header.
#pragma once

#include <string>

#include "core/base/json_writer.h"
#include "core/context/binary_reader.h"
#include "core/context/context_source.h"
#include "core/context/inspect/inspect.h"
#include "core/context/output/journal_view.h"
#include "core/graph/model.h"

namespace ortc {

// What the provider that made a context says of it.
Verdict judge_context(const ContextBinary& binary, const ProviderRegistry& providers);
void write_verdict(JsonWriter& json, const Verdict& verdict);
void write_header(JsonWriter& json, const ContextHeaderInfo& header);
// Codec, size of the tensors and what they take as they are stored.
void write_storage(JsonWriter& json, const ContextBinary& binary);

// The model at `path` as readers see it now. `missing`: as in ImportOptions; null: what is missing
// is a failure.
Result<std::unique_ptr<Model>> import_current(const std::string& path, const JournalView& journal,
                                              std::vector<std::string>* missing);

// A model that is being described.
struct ModelInspection {
  const Model& model;
  const std::string& path;
  const JournalView& journal;
  ModelContextSource& contexts;
  const InspectOptions& options;
  const ProviderRegistry& providers;
};

// The member "ep_context_nodes"; gives the worst of their verdicts.
Verdict write_context_nodes(JsonWriter& json, const ModelInspection& of);

Result<std::string> inspect_binary(const std::string& path, Blob bytes,
                                   const InspectOptions& options,
                                   const ProviderRegistry& providers);
// `out_verdict` may be null.
Result<std::string> inspect_model(const std::string& path, const InspectOptions& options,
                                  const ProviderRegistry& providers,
                                  Verdict* out_verdict = nullptr);

}  // namespace ortc
