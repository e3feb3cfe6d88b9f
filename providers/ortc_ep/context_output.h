// SPDX-License-Identifier: MIT
// Where compiled parts go when the host makes a context model: a context binary beside the model,
// inside it, or handed to the program; one of a session's own, or one that several sessions share.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "core/context/binary_writer.h"
#include "core/context/context_data.h"
#include "core/options/settings.h"
#include "core/provider/context_io.h"

namespace ortc::ort_ep {

// Moves bytes that somebody else owns into memory of their own.
using OwnBytes = std::function<Result<Tensor>(const Tensor& tensor)>;

// What one or several models of a group write together. Thread-safe.
class ContextFile {
 public:
  struct Place {
    std::string model_path;  // of the context model; names the binary
    std::string file_name;   // of the binary, beside it
    bool embed = false;
    bool replace_shared = false;
    ContextDataWriter write;  // in place of a file; may be empty
    std::string made_with;    // the options of the compile, as a text
  };
  // `is_shared`: more models are to come; large tensors wait in the folder, without a name.
  static Result<std::shared_ptr<ContextFile>> create(Place place,
                                                     const ContextBinaryWriter::Options& options,
                                                     bool is_shared);

  // One more model of the group. INVALID_ARGUMENT when it is compiled otherwise, or goes elsewhere.
  Status add_model(const Place& place, const ContextBinaryWriter::Options& options);
  Status add_plan(const std::string& name, const PlanImage& plan);
  Result<Blob> cache_context();
  // The id that ties models to the binary: a hash of all that is in it, and nothing can be added
  // any more. With a group it is known before the binary is whole, since models have been written
  // by then: a hash of the parts that are there when it is first asked for, and of their options.
  Result<std::string> generation();
  // Everything was added. INVALID_ARGUMENT, with nothing written, when another model of the folder
  // reads what has the binary's name.
  Status publish();
  bool is_embedded() const { return place_.embed; }

 private:
  ContextFile(Place place, const ContextBinaryWriter::Options& options, bool is_shared);
  Status check_alike(const Place& place, const ContextBinaryWriter::Options& options) const;
  Status write_file();

  const Place place_;  // of the first model
  const ContextBinaryWriter::Options options_;
  const bool is_shared_;
  std::mutex mutex_;
  ContextBinaryWriter writer_;
  std::set<std::string> models_;  // file names
  bool replace_shared_;           // as one of them said
  Hasher parts_;                  // what is known of a shared binary
  std::optional<Hash128> generation_;
};

// The sink of one session, over a file that others may add to.
class ContextFileSink final : public ContextSink {
 public:
  ContextFileSink(std::shared_ptr<ContextFile> file, std::string prefix, OwnBytes own)
      : file_(std::move(file)), prefix_(std::move(prefix)), own_(std::move(own)) {}

  Status add_plan(const std::string& graph_name, const PlanImage& plan) override;
  Status add_blob(const std::string& graph_name, Blob bytes) override;
  Result<Blob> cache_context() override { return file_->cache_context(); }
  Result<Blob> store_raw(std::string_view label, Blob bytes) override;
  bool is_embedded() const override { return file_->is_embedded(); }
  const std::string& node_name_prefix() const override { return prefix_; }
  ContextFile& file() { return *file_; }
  const std::set<std::string>& kernels() const { return kernels_; }  // of all plans

 private:
  std::shared_ptr<ContextFile> file_;
  std::string prefix_;
  std::set<std::string> kernels_;
  OwnBytes own_;  // empty: the bytes stay until all is written
};

// The file that sessions with ep.share_ep_contexts=1 write together. Thread-safe.
class ContextGroup {
 public:
  // The group's file, or with the first model a new one. NOT_IMPLEMENTED for a model whose context
  // goes to a function of the program: it need not be there when the last model comes.
  Result<std::shared_ptr<ContextFile>> join(const ContextFile::Place& place,
                                            const ContextBinaryWriter::Options& options);
  // The last model was compiled; without a group, nothing.
  Status publish();
  // Nothing is written, and the next model is the first of another group.
  void give_up();

 private:
  std::mutex mutex_;
  std::shared_ptr<ContextFile> file_;
};

}  // namespace ortc::ort_ep
