// SPDX-License-Identifier: MIT
// Collects graphs and writes a context binary: to a staged file tensor by tensor, or as one block
// of memory to embed.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/hash.h"
#include "core/context/tensor_codec.h"
#include "core/plan/plan.h"
#include "core/plan/plan_builder.h"
#include "core/platform/staged_write.h"
#include "core/platform/threads.h"
#include "core/platform/work.h"

namespace ortc {

class ContextBinaryWriter {
 public:
  struct Options {
    std::string file_name;  // external: what `ep_cache_context` says
    bool embed = false;
    std::string node_name_prefix;
    std::string provider, target;
    int zstd_level = 0;          // 1 to 19: tensors that it makes smaller are stored as frames
    ThreadPool* pool = nullptr;  // compresses several at once; the bytes are the same without
  };
  explicit ContextBinaryWriter(Options options) : options_(std::move(options)) {}

  // Hashing and compressing are work of `work` from here on; null: of nobody's.
  void watch(Work* work) { work_ = work; }
  Status add_plan(const std::string& graph_name, const PlanImage& plan);
  Status add_blob(const std::string& graph_name, const Blob& bytes);
  // The contents of `ep_cache_context` that refer to this binary.
  Result<Blob> cache_context();
  bool is_embedded() const { return options_.embed; }
  const std::string& node_name_prefix() const { return options_.node_name_prefix; }

  bool is_empty() const { return graphs_.empty(); }
  const std::string& file_name() const { return options_.file_name; }
  // A hash of everything but the generation; nothing can be added any more.
  Result<Hash128> seal();
  uint64_t file_size() const { return file_size_; }  // after seal()
  // Both after seal(). The embedded bytes are those that cache_context() gave: they change with the
  // generation.
  void set_generation(const Hash128& generation);
  Status write_to(StagedFile& file) const;
  // The whole binary as bytes, 64 B-aligned. Each tensor is given up when it was copied, so that no
  // two of each are there: once only, and instead of write_to().
  Result<Tensor> assemble();

 private:
  struct GraphEntry {
    Blob plan_image;
    std::vector<uint32_t> tensors;
    uint32_t blob = UINT32_MAX;  // number among data
  };
  struct DataEntry {
    StoredTensor stored;
    uint64_t size = 0;  // decoded
    Hash128 hash;       // of the decoded bytes
    uint64_t offset = 0;
  };
  static ContextTensorRecord record_of(const DataEntry& entry);
  Status check_texts() const;
  Result<uint32_t> add_data(Bytes bytes, std::shared_ptr<const void> owner);
  Status compress_data(size_t first);
  Result<bool> is_equal(const DataEntry& known, Bytes bytes) const;
  uint64_t required_features() const;
  void place_data(uint64_t first_offset);
  std::string build_metadata(const std::string& kernels) const;
  void build_header_page(const std::string& kernels);

  Options options_;
  std::map<std::string, GraphEntry> graphs_;
  std::vector<DataEntry> data_;
  std::unordered_multimap<uint64_t, uint32_t> by_hash_;
  std::set<std::string> kernels_;
  Work* work_ = nullptr;
  bool sealed_ = false, assembled_ = false;
  std::string header_page_, metadata_;
  uint64_t file_size_ = 0;
  std::shared_ptr<Tensor> embedded_;  // the whole binary, 64 B-aligned
};

}  // namespace ortc
