// SPDX-License-Identifier: MIT
// Makes a session, stage by stage: load, optimise, partition, compile, write, lower.
#pragma once

#include <optional>

#include "core/context/context_generator.h"
#include "core/context/context_options.h"
#include "core/context/context_source.h"
#include "core/session/session.h"

namespace ortc {

// What the Compile API adds to a session's options.
struct BuildMode {
  bool compile_api = false;
  bool error_if_nothing_compiled = false;
  bool draft = false;  // read only, see core/session/session_draft.h
};

class SessionBuilder {
 public:
  SessionBuilder(std::shared_ptr<const Environment> environment, ModelSource source,
                 SessionOptions options, BuildMode mode, Progress progress);
  Result<std::unique_ptr<Session>> build();
  // The model as build() optimises it.
  Result<std::unique_ptr<Model>> read_model();
  // A writer was at work while this builder read: its failure says nothing, start again.
  bool files_were_replaced() const;

 private:
  Status read_options();
  Status make_providers();
  Status load_model();
  Status import();
  Status check_compatibility() const;
  Status check_already_compiled();
  Status optimise_model();
  Status partition_model();
  void record_assignment();
  void record_graph(const Graph& graph, std::vector<AssignedPart>& parts) const;
  Status compile_claims();
  Status check_left_over_contexts() const;
  Status write_context();
  Status write_optimised();
  Status make_pool();
  Status check_cancel() const;
  Status check_external_initializers() const;
  Status lower_rest();
  Status make_ports();
  Status begin_stage(std::string_view stage, std::string_view detail, size_t done = 0,
                     size_t total = 0);
  void end_stage();
  std::string provider_names() const;

  std::shared_ptr<const Environment> environment_;
  ModelSource source_;
  SessionOptions options_;
  BuildMode mode_;
  Progress progress_;
  Logger logger_;
  ContextSettings context_;
  Access access_ = Access::kMap;
  std::string output_path_;
  std::unique_ptr<Session> session_;
  std::vector<ExecutionProvider*> providers_;      // without the CPU provider
  std::vector<const ProviderFactory*> factories_;  // of providers_
  bool cpu_was_chosen_ = false;
  std::string context_folder_;
  std::optional<JournalView> journal_;
  std::unique_ptr<ContextGenerator> generator_;
  PartitionResult partition_;
  std::vector<CompiledClaim> compiled_;  // by partition
  std::string stage_;
  int64_t stage_begin_ns_ = 0;
};

// Builds, and starts again when the model's files were replaced meanwhile: a reader never locks.
Result<std::unique_ptr<Session>> build_session(std::shared_ptr<const Environment> environment,
                                               const ModelSource& source,
                                               const SessionOptions& options, const BuildMode& mode,
                                               const Progress& progress);

}  // namespace ortc
