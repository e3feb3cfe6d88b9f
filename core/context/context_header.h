// SPDX-License-Identifier: MIT
// The first page of a context binary: what wrote it, for which provider and target, what it needs.
#pragma once

#include <optional>
#include <string>

#include "core/base/hash.h"
#include "core/base/result.h"
#include "core/context/format.h"

namespace ortc {

// What page 0 says; enough to judge compatibility without reading on.
struct ContextHeaderInfo {
  int major = 0, minor = 0;
  uint64_t required_features = 0;
  std::string library_version, provider;
  std::string target;  // of several all, with kTargetSeparator between
  Hash128 fingerprint, generation;
  uint64_t file_size = 0, metadata_offset = 0, metadata_size = 0;
  Hash128 metadata_hash;
  uint32_t graph_count = 0, tensor_count = 0;
  std::string kernels;  // "add.f32:1:0,gemm.f32:1:1"; "" when the list did not fit into page 0
  // Then it is so long and stands in the metadata's text.
  std::optional<uint32_t> kernels_size_elsewhere;
};

// `bytes`: the first 4096, or more; each is read once, so a file that changes meanwhile cannot
// have one thing checked and another believed. INVALID_GRAPH with expected and found; what the file
// needs and this library lacks is named.
Result<ContextHeaderInfo> read_context_header(Bytes bytes);

// Whether a file was a context binary once: its mark, the one before 1.0, or a damaged one.
bool looks_like_context(Bytes bytes);

// "zstd, signature, bit 17": the names of required features.
std::string context_feature_names(uint64_t features);

inline ContextHash to_record(const Hash128& hash) { return {hash.low, hash.high}; }
inline Hash128 from_record(const ContextHash& hash) { return {hash.low, hash.high}; }

// A struct of a file that may be shorter or longer than this library's: what is missing is 0.
template <typename T>
T load_record(const std::byte* bytes, size_t size) {
  T record{};
  std::memcpy(&record, bytes, size < sizeof record ? size : sizeof record);
  return record;
}

}  // namespace ortc
