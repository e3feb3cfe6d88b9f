// SPDX-License-Identifier: MIT
// Makes a context model of a partitioned one: EPContext nodes in place of fused ones, the context
// binary beside it or inside, all files in one transaction.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "core/context/compile_report.h"
#include "core/context/context_data.h"
#include "core/context/context_paths.h"
#include "core/context/external_initializers.h"
#include "core/context/generate/context_nodes.h"
#include "core/context/generate/provider_sink.h"
#include "core/context/output_set.h"
#include "core/graph/model.h"

namespace ortc {

// What a program does itself; each may be empty.
struct ProgramFiles {
  ChooseLocation choose_location;        // in place of an external initializers file
  ContextDataWriter write_context_data;  // in place of files, of contexts that are not embedded
};

class ContextGenerator {
 public:
  // Nothing is written before write(). `work` is that of the making: its part in writing is the one
  // that is open when write() is called. `pool` compresses; may be null.
  ContextGenerator(const ContextSettings& options, ProgramFiles program,
                   std::unique_ptr<OutputSet> output, Work& work, ThreadPool* pool, Logger logger);

  // Where this provider's contexts go.
  ContextSink& sink(const ExecutionProvider& provider);

  // What the provider adds is work of `work` from here on.
  void watch(const ExecutionProvider& provider, Work* work);

  // Asked before compiling, with every sink() made: whether what will be written can be, as far as
  // it is known.
  Status check_output(const Model& model, std::span<const Partition> partitions);

  // Writes binaries and model. `model` is the partitioned model; it is left as it is. FAIL when a
  // provider gave no EPContext node for a claim, when an existing file is in the way, when a binary
  // belongs to another model.
  Status write(const Model& model, std::span<const Partition> partitions,
               std::span<ExecutionProvider* const> providers, CompileReport& report);
  // Writes the model without contexts (nothing was compiled).
  Status write_plain(const Model& model, CompileReport& report);

 private:
  Result<Model> context_model(const Model& model, std::span<const Partition> partitions,
                              std::span<ExecutionProvider* const> providers);
  Status expect_files();
  Result<Hash128> seal(Model& model, const ExportOptions& exporting, uint64_t& out_size);
  void expect_writing(const ExternalInitializers& external);
  Status stage_files(const ExternalInitializers& external, const Hash128& generation);
  Status publish(Model& model, CompileReport& report);
  // The binary `name`, to where those go.
  Status give_context(const std::string& name, ContextBinaryWriter& container);
  Status give_context(const std::string& name, Bytes bytes);

  ContextSettings options_;
  ProgramFiles program_;
  std::unique_ptr<OutputSet> output_;
  bool expects_files_ = false;
  Work& work_;
  ThreadPool* pool_;
  Logger logger_;
  std::map<std::string, std::unique_ptr<ProviderSink>> sinks_;  // by provider
};

}  // namespace ortc
