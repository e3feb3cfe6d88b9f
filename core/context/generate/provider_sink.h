// SPDX-License-Identifier: MIT
// Where one provider's contexts go while a model is compiled: into a container of the runtime's,
// and files of the provider's own bytes beside it.
#pragma once

#include <string>
#include <vector>

#include "core/context/binary_writer.h"
#include "core/provider/context_io.h"

namespace ortc {

class ProviderSink final : public ContextSink {
 public:
  // `model_path`: of the output model; file names follow from it and `suffix` ("aot").
  ProviderSink(std::string model_path, std::string suffix, ContextBinaryWriter::Options options);

  Status add_plan(const std::string& graph_name, const PlanImage& plan) override;
  Status add_blob(const std::string& graph_name, Blob bytes) override;
  Result<Blob> cache_context() override;
  Result<Blob> store_raw(std::string_view label, Blob bytes) override;
  bool is_embedded() const override { return container_.is_embedded(); }
  const std::string& node_name_prefix() const override { return container_.node_name_prefix(); }

  // Bytes of the provider's own; a file unless they are embedded.
  struct Raw {
    std::string file_name;
    Blob bytes;
    Hash128 hash;
  };
  const std::vector<Raw>& raws() const { return raws_; }
  // What the contents of `ep_cache_context` refer to; null for the container.
  const Raw* find_raw(const Blob& contents) const;
  uint64_t byte_size() const;  // of everything that was added and sealed
  bool is_container_empty() const { return container_.is_empty(); }
  ContextBinaryWriter& container() { return container_; }

 private:
  std::string model_path_, suffix_;
  ContextBinaryWriter container_;
  std::vector<Raw> raws_;
};

}  // namespace ortc
