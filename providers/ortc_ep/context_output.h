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
  };
  // `is_shared`: more models are to come; large tensors wait in the folder, without a name.
  static Result<std::shared_ptr<ContextFile>> create(Place place,
                                                     const ContextBinaryWriter::Options& options,
                                                     bool is_shared);

  // INVALID_ARGUMENT for a model of the group that is compiled otherwise, or goes elsewhere.
  Status check_alike(const Place& place, const ContextBinaryWriter::Options& options) const;
  Status add_plan(const std::string& name, const PlanImage& plan);
  Result<Blob> cache_context();
  // The id that ties models to the binary. It is known before the binary is whole: other models
  // of the group have been written by then.
  std::string generation();
  // Everything was added. INVALID_ARGUMENT, with nothing written, when another model of the folder
  // reads what has the binary's name.
  Status publish();
  bool is_embedded() const { return place_.embed; }

 private:
  ContextFile(Place place, const ContextBinaryWriter::Options& options)
      : place_(std::move(place)), options_(options), writer_(options) {}
  Status write_file();

  const Place place_;
  const ContextBinaryWriter::Options options_;
  std::mutex mutex_;
  ContextBinaryWriter writer_;
  std::vector<std::string> names_;
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
  // The group's file, or with the first model a new one.
  Result<std::shared_ptr<ContextFile>> join(const ContextFile::Place& place,
                                            const ContextBinaryWriter::Options& options);
  // The last model was compiled; without a group, nothing.
  Status publish();

 private:
  std::mutex mutex_;
  std::shared_ptr<ContextFile> file_;
};

}  // namespace ortc::ort_ep
