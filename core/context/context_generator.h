// SPDX-License-Identifier: MIT
// Makes a context model of a partitioned one: EPContext nodes in place of fused ones, the context
// binary beside it or inside, all files in one transaction.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/context/compile_report.h"
#include "core/context/context_options.h"
#include "core/context/provider_sink.h"
#include "core/graph/model.h"

namespace ortc {

class ContextGenerator {
 public:
  // `model_path`: where the output model goes (context_model_path()). Nothing is written before
  // write().
  ContextGenerator(const ContextOptions& options, std::string model_path, Logger logger);

  // Where this provider's contexts go.
  ContextSink& sink(const ExecutionProvider& provider);

  // Writes binaries and model. `model` is the partitioned model; it is left as it is. FAIL when a
  // provider gave no EPContext node for a claim, when an existing file is in the way, when a binary
  // belongs to another model.
  Status write(const Model& model, std::span<const Partition> partitions,
               std::span<ExecutionProvider* const> providers, CompileReport& report);
  // Writes the model without contexts (nothing was compiled).
  Status write_plain(const Model& model, CompileReport& report);

 private:
  // A node that a provider made, and where its contexts went.
  struct MadeNode {
    const Node* node;
    const ProviderSink* sink;
  };
  using MadeNodes = std::vector<std::map<std::string, MadeNode, std::less<>>>;  // by provider, name
  static Status place_nodes(Graph& graph, std::span<const Partition> partitions,
                            const MadeNodes& made);
  Result<Model> context_model(const Model& model, std::span<const Partition> partitions,
                              std::span<ExecutionProvider* const> providers);
  Status publish(Model& model, CompileReport& report);
  Status check_binary_is_free(const std::string& name) const;

  ContextOptions options_;
  std::string path_, folder_, file_name_;
  Logger logger_;
  std::map<std::string, std::unique_ptr<ProviderSink>> sinks_;  // by provider
};

}  // namespace ortc
