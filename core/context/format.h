// SPDX-License-Identifier: MIT
// The context binary, version 1.0, as structs; docs/context-format.md says the same in words.
//
//   page 0     ContextHeader | the list of kernels, as text
//   metadata   MetadataHeader | tensor records | indices | text | Plan images | graph records
//   data       tensors: those of 64 KiB and more start on 4 KiB, smaller ones on 64 B
//
// Little-endian. Offsets in the header and of tensors count from the start of the file, those
// inside the metadata from the metadata's start. Header and metadata carry hashes that are always
// checked; tensors carry hashes that are checked on request, and always when they are compressed.
//
// How it grows within version 1: a record gets longer at its end (each has its size: the headers
// their own, entries of tables the table's stride), and what an older reader does not know it steps
// over. Reserved words are written as 0 and not looked at. Whatever an older reader must not step
// over has a bit in `required_features`.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "core/proto/file_kind.h"
#include "core/provider/context_version.h"

namespace ortc {

static_assert(std::endian::native == std::endian::little, "contexts are mapped as they are");

inline constexpr uint64_t kContextPage = 4096;
inline constexpr uint64_t kLargeTensor = 64 * 1024;
inline constexpr uint64_t kSmallAlignment = 64;
inline constexpr uint32_t kKernelTextOffset = 512;
inline constexpr uint32_t kNoTensor = UINT32_MAX;

// Bits of `required_features`. Those that no reader has yet keep their place and their name.
struct ContextFeature {
  uint32_t bit;
  std::string_view name;
  bool is_known;  // to this library
};
inline constexpr uint64_t kFeatureZstd = uint64_t{1} << 0;
inline constexpr uint64_t kFeatureSeveralTargets = uint64_t{1} << 1;
inline constexpr ContextFeature kContextFeatures[] = {
    {0, "zstd", true},                // tensors that are stored as zstd frames
    {1, "several-targets", true},     // made for more than one target: see ContextTargets
    {2, "signature", false},          // a signature that has to be checked
    {3, "encryption", false},         // encrypted data
    {4, "weights-elsewhere", false},  // tensors that lie in another file
};

struct ContextHash {
  uint64_t low, high;
};

// The fields up to library_version, and header_hash, stay where they are in every version.
struct ContextHeader {
  char mark[8];  // kContextMark
  uint16_t major;
  uint16_t minor;
  uint32_t header_size;        // of this struct
  uint64_t required_features;  // kContextFeatures
  char library_version[24];    // texts are padded with zeros
  char provider[64];           // "AotExecutionProvider"
  char target[64];             // "x86-64-v4+avx512vnni"
  ContextHash fingerprint;     // of the kernel text
  ContextHash generation;      // the same in the model's EPContext nodes
  ContextHash metadata_hash;
  uint64_t file_size;
  uint64_t metadata_offset;
  uint64_t metadata_size;
  uint32_t graph_count;
  uint32_t tensor_count;
  uint32_t kernels_offset;  // on this page; 0: in the metadata's text, see MetadataHeader
  uint32_t kernels_size;    // bytes of text
  ContextHash header_hash;  // of page 0 with this field zero
};

// Behind the header, and part of its size, when the file needs kFeatureSeveralTargets. Every graph
// and every tensor serves all of them.
struct ContextTargets {
  char names[192];  // "x86-64-v3;x86-64-v4;aarch64"; the first is the header's target
};

struct MetadataTable {
  uint64_t offset;
  uint32_t count;
  uint32_t stride;  // the size of one record
};

struct MetadataHeader {
  uint32_t size;           // of this struct
  uint32_t kernels_begin;  // in text, when kernels_offset is 0
  MetadataTable graphs;    // GraphRecord, sorted by name
  MetadataTable tensors;   // ContextTensorRecord
  MetadataTable indices;   // uint32
  MetadataTable text;      // bytes
};

struct GraphRecord {
  uint32_t name_begin, name_size;         // text
  uint32_t tensors_begin, tensors_count;  // indices: numbers of tensor records, in the plan's order
  uint64_t plan_offset, plan_size;        // in the metadata, 64 B-aligned; size 0: no plan
  uint32_t blob;                          // tensor record of a provider's own bytes, or kNoTensor
  uint32_t reserved;
};

enum class TensorCodec : uint32_t {
  kPlain = 0,
  kZstd = 1,  // one frame; the file requires kFeatureZstd
};

struct ContextTensorRecord {
  uint64_t offset;       // in the file
  uint64_t stored_size;  // there
  uint64_t size;         // decoded; the same when plain
  ContextHash hash;      // of the decoded bytes
  uint32_t codec;        // TensorCodec
  uint32_t reserved;
};

static_assert(sizeof(ContextHeader) == 280 &&
              sizeof(ContextHeader) + sizeof(ContextTargets) <= kKernelTextOffset);
static_assert(offsetof(ContextHeader, required_features) == 16 &&
              offsetof(ContextHeader, library_version) == 24 &&
              offsetof(ContextHeader, header_hash) == 264);
static_assert(sizeof(MetadataTable) == 16 && sizeof(MetadataHeader) == 72 &&
              sizeof(GraphRecord) == 40 && sizeof(ContextTensorRecord) == 48);
static_assert(std::is_standard_layout_v<ContextHeader> &&
              std::is_trivially_copyable_v<ContextHeader>);
static_assert(std::is_standard_layout_v<GraphRecord> && std::is_trivially_copyable_v<GraphRecord>);
static_assert(std::is_standard_layout_v<ContextTensorRecord> &&
              std::is_trivially_copyable_v<ContextTensorRecord>);

}  // namespace ortc
