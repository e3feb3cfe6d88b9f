// SPDX-License-Identifier: MIT
// Initializers of a written model that go to a file of their own, and the record of that file in
// the model, by which a reader knows it again.
//
//   tensors, or zstd frames of them, aligned | trailer
//   trailer: magic u64 | version u32 | reserved u32 | generation, 16 bytes
//
// A close file has neither padding nor trailer: nothing in it is large enough to be mapped, and its
// hash tells whose it is.
//
// Other readers of the model see external data at offsets before the trailer. The generation stands
// in the file rather than in `external_data`, where ONNX Runtime refuses keys it does not know: so
// also `compression`, which a frame has there, that others cannot take it for the tensor.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/base/hash.h"
#include "core/context/context_data.h"
#include "core/context/tensor_codec.h"
#include "core/graph/export.h"
#include "core/platform/staged_write.h"
#include "core/platform/threads.h"
#include "core/platform/work.h"
#include "core/proto/external_files.h"

namespace ortc {

// metadata_props "ortc.external_initializers.{name,size,hash,generation}" of a model, without the
// generation for a close file, and with frames "compression" (zstd) and "full_size".
struct ExternalInitializersRecord {
  std::string name;        // of the file, as external_data has it
  uint64_t size = 0;       // of the whole file
  Hash128 hash;            // of everything before the trailer
  std::string generation;  // 32 hexadecimal digits; "": a close file
  // Of the tensors once decoded; none when all are plain.
  std::optional<uint64_t> full_size;

  // Nothing when the model has no record; INVALID_GRAPH when it is damaged.
  static Result<std::optional<ExternalInitializersRecord>> read(const Model& model);
  void write_to(Model& model) const;
  // What was read from a source says nothing of what is written.
  static void remove_from(Model& model);
};

// Size and generation of the file against the model's record; only a close file is read as a whole.
// INVALID_GRAPH with expected and found. Fine when there is no record, or no such file.
Status check_external_initializers(const Model& model, ExternalFiles& files);
// The same, and the hash of all bytes; the file must be there.
Status verify_external_initializers(const Model& model, ExternalFiles& files);

// Of the offset of an initializer of `size` bytes.
uint64_t offset_alignment(const InitializerAlignment& wanted, uint64_t size);

// Chooses the initializers of `size >= threshold` bytes and gives them places in `file_name`,
// aligned as is said there. Strings and sparse tensors stay in the model.
class ExternalInitializers {
 public:
  // `zstd_level` 1 to 19: those that it makes smaller are stored as frames; 0: all are plain.
  ExternalInitializers(std::string file_name, uint64_t threshold, int zstd_level = 0,
                       const InitializerAlignment& alignment = {})
      : file_name_(std::move(file_name)),
        threshold_(threshold),
        zstd_level_(zstd_level),
        alignment_(alignment) {}

  // Before collect(): a file below 64 KiB becomes a close one, as ONNX Runtime writes it.
  void keep_small_file_close() { may_be_close_ = true; }
  // `takes`: whether a constant may go to the file; empty: all may.
  using Takes = std::function<bool(const Constant&)>;
  void collect(const Graph& graph, const Takes& takes = {});
  // Compresses what was collected, when that is wanted. `pool` may be null; the bytes are the same.
  Status encode(Work& work, ThreadPool* pool);
  bool is_empty() const { return items_.empty(); }
  // What encoding, hashing, writing and syncing take, in units of Work.
  uint64_t expected_units() const;
  // With a generation of zeros, which is not known before everything was hashed.
  Result<ExternalInitializersRecord> record(Work& work) const;
  uint64_t size() const { return size_; }
  Status write_to(StagedFile& file, const Hash128& generation) const;
  // For ExportOptions::place_initializer; without a file everything stays inside.
  Result<std::optional<ExternalLocation>> place(const Value& value) const;

 private:
  struct Item {
    const Constant* constant;
    StoredTensor stored;
    uint64_t offset = 0;

    bool is_frame() const { return stored.codec == TensorCodec::kZstd; }
  };
  void gather(const Graph& graph, const Takes& takes);
  void lay_out();
  uint64_t alignment_of(const Item& item) const;
  bool has_frames() const;
  uint64_t full_size() const;

  std::string file_name_;
  uint64_t threshold_;
  int zstd_level_;
  InitializerAlignment alignment_;
  bool may_be_close_ = false, is_close_ = false;
  uint64_t size_ = 0;  // of the tensors, as they are stored
  std::vector<Item> items_;
  std::map<const Constant*, ExternalLocation> places_;
};

}  // namespace ortc
