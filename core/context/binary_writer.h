// SPDX-License-Identifier: MIT
// Collects graphs and writes a context binary: to a staged file tensor by tensor, or as one block
// of memory to embed.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/hash.h"
#include "core/context/tensor_codec.h"
#include "core/plan/plan.h"
#include "core/plan/plan_builder.h"
#include "core/platform/staged_write.h"
#include "core/platform/target_list.h"
#include "core/platform/threads.h"
#include "core/platform/work.h"

namespace ortc {

class ContextBinaryWriter {
 public:
  struct Options {
    std::string file_name;  // external: what `ep_cache_context` says
    bool embed = false;
    std::string provider;
    std::string target;  // of several all, with kTargetSeparator between
    int zstd_level = 0;  // 1 to 19: tensors that it makes smaller are stored as frames
  };
  explicit ContextBinaryWriter(Options options) : options_(std::move(options)) {}

  // Tensors of kLargeTensor bytes and more go into this file as they are added, and take no memory
  // of the process then. It is empty, made with StagedFile::create_unnamed(). Called first.
  Status spool_to(std::unique_ptr<StagedFile> file);
  bool is_spooled() const { return spool_ != nullptr; }
  // The whole binary, after set_generation().
  Result<std::unique_ptr<StagedFile>> finish_spool();

  // Hashing and compressing are work of `work` from here on; null: no progress is reported.
  // `pool` compresses several at once; the bytes are the same without.
  void work_with(Work* work, ThreadPool* pool) {
    work_ = work;
    pool_ = pool;
  }
  Status add_plan(const std::string& graph_name, const PlanImage& plan);
  Status add_blob(const std::string& graph_name, const Blob& bytes);
  // Bytes that no graph names but a model does, as external data: their number, which place_of()
  // takes. Never compressed.
  Result<uint32_t> add_external(Bytes bytes, std::shared_ptr<const void> owner);
  // The number of equal bytes that were added and are stored plain; nothing when there are none.
  Result<std::optional<uint32_t>> find_plain(Bytes bytes);
  Blob stored(uint32_t number) const {
    return {data_[number].stored.bytes, data_[number].stored.owner};
  }
  // Where they are in the binary; after seal().
  uint64_t offset_of(uint32_t number) const { return data_[number].offset; }
  // The contents of `ep_cache_context` that refer to this binary.
  Result<Blob> cache_context();
  bool is_embedded() const { return options_.embed; }

  bool is_empty() const { return graphs_.empty(); }
  const std::string& file_name() const { return options_.file_name; }
  // A hash of everything but the generation; nothing can be added any more.
  Result<Hash128> seal();
  uint64_t file_size() const { return file_size_; }      // after seal()
  uint64_t added_bytes() const { return added_bytes_; }  // of all tensors, equal ones too
  uint64_t stored_bytes() const;                         // of those that are kept
  // Both after seal(). The embedded bytes are those that cache_context() gave: they change with the
  // generation.
  void set_generation(const Hash128& generation);
  Status write_to(StagedFile& file) const;
  // The whole binary as bytes, 64 B-aligned. Each tensor that was copied is given up for its place
  // in them, so that not all are there twice.
  Result<Tensor> assemble();

 private:
  struct GraphEntry {
    Blob plan_image;
    std::vector<uint32_t> tensors;
    uint32_t blob = kNoTensor;  // number among data
    bool operator==(const GraphEntry& other) const;
  };
  struct DataEntry {
    StoredTensor stored;
    uint64_t size = 0;  // decoded
    Hash128 hash;       // of the decoded bytes
    uint64_t offset = 0;
    bool is_spooled = false;
  };
  static ContextTensorRecord record_of(const DataEntry& entry);
  Status check_texts() const;
  Status check_counts(const std::string& kernels) const;
  Work& work() { return work_ != nullptr ? *work_ : nobody_; }
  bool has_several_targets() const {
    return options_.target.find(kTargetSeparator) != std::string::npos;
  }
  Result<std::optional<uint32_t>> find_equal(const Hash128& hash, Bytes bytes, bool only_plain);
  // The number of these bytes, or of equal ones that were added before; with `only_plain`, of those
  // that are not compressed.
  Result<uint32_t> add(Bytes bytes, std::shared_ptr<const void> owner, bool only_plain);
  Status add_graph(const std::string& graph_name, GraphEntry entry);
  Status compress_data(size_t first);
  Status spool_data(size_t first);
  Result<bool> is_equal(const DataEntry& known, Bytes bytes) const;
  uint64_t required_features() const;
  void place_data();
  std::string build_metadata(const std::string& kernels) const;
  void build_header_page(const std::string& kernels);

  Options options_;
  std::map<std::string, GraphEntry> graphs_;
  std::vector<DataEntry> data_;
  std::unordered_multimap<uint64_t, uint32_t> by_hash_;
  std::set<std::string> kernels_;
  Work* work_ = nullptr;
  Work nobody_;  // who watches when work_ is null
  ThreadPool* pool_ = nullptr;
  bool sealed_ = false;
  std::string header_page_, metadata_;
  uint64_t metadata_offset_ = 0, file_size_ = 0, added_bytes_ = 0;
  std::unique_ptr<StagedFile> spool_;
  std::shared_ptr<Tensor> embedded_;  // the whole binary, 64 B-aligned
};

}  // namespace ortc
