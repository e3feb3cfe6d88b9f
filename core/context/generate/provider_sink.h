// SPDX-License-Identifier: MIT
// Where one provider's contexts go while a model is compiled: into a container of the runtime's,
// and files of the provider's own bytes beside it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/context/binary_writer.h"
#include "core/provider/context_io.h"

namespace ortc {

class ProviderSink final : public ContextSink {
 public:
  // Waits, as part of the work, until this model may add to the container; may be empty.
  using Turn = std::function<Status(Work&)>;

  // `model_path`: of the output model; names of files of the provider's own bytes follow from it
  // and `suffix` ("aot"). The container may be one that other models add to as well. `folder`: of
  // the container's file, when it becomes one.
  ProviderSink(std::string model_path, std::string suffix, std::string node_name_prefix,
               std::shared_ptr<ContextBinaryWriter> container, Turn turn,
               std::optional<std::string> folder);

  // What is added is work of `work` from here on; null: none's. `pool` compresses; may be null.
  void watch(Work* work, ThreadPool* pool) {
    work_ = work;
    pool_ = pool;
  }

  Status add_plan(const std::string& graph_name, const PlanImage& plan) override;
  Status add_blob(const std::string& graph_name, Blob bytes) override;
  Result<Blob> cache_context() override;
  Result<Blob> store_raw(std::string_view label, Blob bytes) override;
  bool is_embedded() const override { return container_->is_embedded(); }
  const std::string& node_name_prefix() const override { return node_name_prefix_; }
  Result<std::shared_ptr<TensorMemory>> scratch() override;

  // Bytes of the provider's own; a file unless they are embedded.
  struct Raw {
    std::string file_name;
    Blob bytes;
    Hash128 hash;
  };
  const std::vector<Raw>& raws() const { return raws_; }
  // What the contents of `ep_cache_context` refer to; null for the container.
  const Raw* find_raw(const Blob& contents) const;
  bool has_added() const { return has_added_; }  // to the container
  const std::shared_ptr<ContextBinaryWriter>& container() const { return container_; }

 private:
  Status begin_adding();
  Status done_adding(Status added);

  std::string model_path_, suffix_, node_name_prefix_;
  std::shared_ptr<ContextBinaryWriter> container_;
  Turn turn_;
  std::optional<std::string> folder_;
  Work* work_ = nullptr;
  ThreadPool* pool_ = nullptr;
  bool has_added_ = false;
  std::vector<Raw> raws_;
};

}  // namespace ortc
