// SPDX-License-Identifier: MIT
// Reads a context binary: header and metadata are copied, so that no one can change them after they
// were checked; tensors are views of the bytes, or decoded once when they are compressed.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "core/context/context_header.h"
#include "core/platform/threads.h"
#include "core/platform/work.h"
#include "core/provider/context_io.h"

namespace ortc {

// Who decodes compressed tensors: several threads at once, as part of the caller's work.
struct FrameDecoding {
  ThreadPool* pool = nullptr;  // null: the caller's thread
  Work work;                   // a unit for each decoded byte
};

// Sessions may share one; any number of threads.
class ContextBinary {
 public:
  // `where` names the place in messages ("'m_aot.bin'"). Bytes that do not start on 64 B are copied
  // once.
  static Result<std::shared_ptr<const ContextBinary>> open(Blob bytes, std::string where);

  const ContextHeaderInfo& header() const { return header_; }
  const std::string& kernels() const { return kernels_; }
  std::vector<std::string> graph_names() const;
  // As ContextView::graph(). Frames that no one holds decoded are decoded now.
  Result<ContextView::Graph> graph(std::string_view name, FrameDecoding& decoding) const;
  Result<ContextView::Graph> graph(std::string_view name) const {
    FrameDecoding alone;
    return graph(name, alone);
  }
  std::string_view target() const { return header_.target; }
  // Compares every tensor with its hash; INVALID_GRAPH names the first that differs.
  Status verify_data() const;
  uint64_t data_bytes() const;    // of all tensors, each once, decoded
  uint64_t stored_bytes() const;  // as they lie in the file
  uint64_t frame_bytes() const;   // of compressed ones, decoded
  Bytes data() const;             // what lies before the metadata or behind them: the larger part

  struct TensorFacts {
    bool is_frame = false;  // compressed
    uint64_t bytes = 0;     // decoded
    uint64_t stored_bytes = 0;
    uint64_t offset = 0;  // in the file
    Hash128 hash;         // of the decoded bytes
  };
  uint32_t tensor_count() const { return tables_.tensors.count; }
  TensorFacts tensor_facts(uint32_t i) const;
  // The numbers of the tensors that a graph of this name reads; nothing of them is read.
  Result<std::vector<uint32_t>> graph_tensors(std::string_view name) const;

 private:
  ContextBinary() = default;
  Status read_metadata();
  Status check_tables() const;
  Status check_kernels();
  Status check_tensors() const;
  Status check_graphs() const;
  Status check_graph(const GraphRecord& record) const;
  template <typename T>
  T record(const MetadataTable& table, uint32_t i) const {
    return load_record<T>(metadata_.data() + table.offset + size_t{i} * table.stride, table.stride);
  }
  ContextTensorRecord tensor_record(uint32_t i) const {
    return record<ContextTensorRecord>(tables_.tensors, i);
  }
  GraphRecord graph_record(uint32_t i) const { return record<GraphRecord>(tables_.graphs, i); }
  const uint32_t* indices() const {
    return reinterpret_cast<const uint32_t*>(metadata_.data() + tables_.indices.offset);
  }
  std::string_view name_of(const GraphRecord& record) const;
  Result<GraphRecord> find_graph(std::string_view name) const;
  // Of its plan, and last of its blob where it has one.
  std::vector<uint32_t> tensor_numbers(const GraphRecord& record) const;
  // In this order. Frames that are not decoded yet are, after all their heads were checked.
  Result<std::vector<Blob>> tensors(std::span<const uint32_t> numbers,
                                    FrameDecoding& decoding) const;
  Status decode(std::span<const uint32_t> numbers, FrameDecoding& decoding,
                std::map<uint32_t, Blob>& out) const;
  Result<Blob> frame(uint32_t number, const Work& work) const;
  bool is_plain(const ContextTensorRecord& record) const {
    return record.codec == static_cast<uint32_t>(TensorCodec::kPlain);
  }
  Bytes stored_bytes_of(const ContextTensorRecord& record) const {
    return bytes_.bytes().subspan(record.offset, record.stored_size);
  }
  Status in_tensor(uint32_t number, Status status) const;
  Status no_such_graph(std::string_view name) const;

  Blob bytes_, metadata_copy_;
  Bytes metadata_;  // the copy
  std::string where_, kernels_;
  ContextHeaderInfo header_;
  MetadataHeader tables_{};

  // Compressed tensors in use: several graphs get the same memory. No thread decodes or
  // asks the program while it holds the mutex; a frame is under way only while a thread is inside
  // zstd, so waiting for one is never waiting for a callback.
  struct Decoded {
    Bytes bytes;
    std::weak_ptr<const void> owner;
    bool is_under_way = false;
  };
  // Whatever the decoding comes to, memory that runs out too.
  struct EndOfFrame {
    ~EndOfFrame();
    const ContextBinary& binary;
    Decoded& frame;
  };
  mutable std::mutex mutex_;  // of what follows
  mutable std::condition_variable frame_ended_;
  mutable std::map<uint32_t, Decoded> decoded_;
};

}  // namespace ortc
