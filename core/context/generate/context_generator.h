// SPDX-License-Identifier: MIT
// Makes a context model of a partitioned one: EPContext nodes in place of fused ones, the context
// binary beside it or inside, all files in one transaction; in a sharing group those of all its
// models.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/context/compile_report.h"
#include "core/context/context_data.h"
#include "core/context/context_paths.h"
#include "core/context/generate/context_nodes.h"
#include "core/context/generate/context_set.h"
#include "core/context/generate/provider_sink.h"
#include "core/graph/model.h"

namespace ortc {

// What a program does itself; each may be empty.
struct ProgramFiles {
  InitializerPlaces initializers;
  ContextDataWriter write_context_data;  // in place of files, of contexts that are not embedded

  // Contexts that are made with these options.
  bool leaves_contexts_to_files(const ContextSettings& options) const {
    return !options.embed && !write_context_data;
  }
};

class ContextGenerator {
 public:
  // What the model becomes part of. It is published with it, unless another owner does that.
  struct Place {
    std::shared_ptr<ContextSet> set;
    size_t model = 0;                         // its number in the set's output
    std::string model_path;                   // its own
    std::string binary_path;                  // of the model that binaries are named after
    std::optional<FileIdentity> source_read;  // the source's file as it was read, if it is one
    std::vector<ReadFile> read_files;         // the same file, and those of its external data
    // Of a sharing group: waits until this model may add to the set; takes it, in place of
    // publishing; and guards what all its models use.
    ProviderSink::Turn turn;
    std::function<Status(PreparedModel, Work&, CompileReport&)> give;
    std::mutex* mutex = nullptr;
  };
  // Nothing is written before write(). `work` is that of the making: its part in writing is the one
  // that is open when write() is called. `pool` compresses; may be null.
  ContextGenerator(const ContextSettings& options, ProgramFiles program, Place place, Work& work,
                   ThreadPool* pool, Logger logger);

  // Where this provider's contexts go. As ContextSet::container().
  Result<ContextSink*> sink(const ExecutionProvider& provider);

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
  std::unique_lock<std::mutex> lock() const {
    return place_.mutex != nullptr ? std::unique_lock(*place_.mutex)
                                   : std::unique_lock<std::mutex>();
  }
  // A model from memory has no folder to look for external data in.
  bool has_external_container() const { return goes_to_files() && model_is_file_; }
  bool goes_to_files() const { return program_.leaves_contexts_to_files(options_); }
  Status check_own_file(const Node& node, const ProviderSink& sink) const;
  Status expect_initializers();
  Status expect_raws(PreparedModel& prepared);
  std::shared_ptr<ContextBinaryWriter> container_for_initializers() const;
  Status hand_over(Model model, CompileReport& report);

  ContextSettings options_;
  ProgramFiles program_;
  Place place_;
  bool expects_initializers_ = false;
  bool model_is_file_ = false;
  Work& work_;
  ThreadPool* pool_;
  Logger logger_;
  std::map<std::string, std::unique_ptr<ProviderSink>> sinks_;  // by provider
};

}  // namespace ortc
