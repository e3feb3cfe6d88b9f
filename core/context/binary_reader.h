// SPDX-License-Identifier: MIT
// Reads a context binary in place: header, metadata and every offset are checked, tensors are views
// of the bytes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/hash.h"
#include "core/context/format.h"
#include "core/provider/context_io.h"

namespace ortc {

// What page 0 says; enough to judge compatibility without reading on.
struct ContextHeaderInfo {
  int major = 0, minor = 0;
  std::string library_version, target;
  Hash128 fingerprint, generation;
  uint64_t file_size = 0, metadata_size = 0;
  uint32_t graph_count = 0, tensor_count = 0;
  std::string kernels;  // "add.f32:1,gemm.f32:1"; "" when the list did not fit into page 0
};
// `page`: the first 4096 bytes, or more. INVALID_GRAPH with expected and found.
Result<ContextHeaderInfo> read_context_header(Bytes page);

class ContextBinary final : public ContextView {
 public:
  // `where` names the place in messages ("'m_aot.bin'"). Bytes that do not start on 64 B are copied
  // once.
  static Result<std::shared_ptr<const ContextBinary>> open(Blob bytes, std::string where);

  const ContextHeaderInfo& header() const { return header_; }
  const std::string& kernels() const { return kernels_; }
  std::vector<std::string> graph_names() const;
  Result<Graph> graph(std::string_view name) const override;
  std::string_view target() const override { return header_.target; }
  // Compares every tensor with its hash; INVALID_GRAPH names the first that differs.
  Status verify_data() const;
  uint64_t data_bytes() const;  // of all tensors, each once

 private:
  ContextBinary() = default;
  Status check_metadata();
  Status check_graph(const GraphRecord& record) const;
  template <typename T>
  const T& record(const MetadataTable& table, uint32_t i) const {
    return *reinterpret_cast<const T*>(metadata_.data() + table.offset + size_t{i} * table.stride);
  }
  std::string_view name_of(const GraphRecord& record) const;

  Blob bytes_;
  Bytes metadata_;
  std::string where_, kernels_;
  ContextHeaderInfo header_;
  MetadataHeader tables_{};
};

}  // namespace ortc
