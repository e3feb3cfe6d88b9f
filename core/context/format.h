// SPDX-License-Identifier: MIT
// The context binary, version 1.0, as structs; docs/context-format.md says the same in words.
//
//   page 0      ContextHeader, then the list of kernels as text
//   metadata    MetadataHeader | GraphRecord[] | ContextTensorRecord[] | uint32 indices[] | text |
//   plan images data        tensors and blobs: those of 64 KiB and more start on 4 KiB, smaller
//   ones on 64 B
//
// Little-endian. Offsets of the header and of tensors count from the start of the file, those
// inside the metadata from the metadata's start. Header and metadata carry hashes that are always
// checked; tensors carry hashes checked on request.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/provider/context_version.h"

namespace ortc {

inline constexpr char kContextMagic[8] = {'o', 'r', 't', 'c', 'c', 't', 'x', '\n'};
inline constexpr uint64_t kContextPage = 4096;
inline constexpr uint64_t kLargeTensor = 64 * 1024;
inline constexpr uint64_t kSmallAlignment = 64;
inline constexpr uint32_t kKernelTextOffset = 256;

struct ContextHash {
  uint64_t low, high;
};

struct ContextHeader {
  char magic[8];
  uint16_t major;
  uint16_t minor;
  uint32_t header_size;      // of this struct
  char library_version[16];  // zero padded
  char target[32];           // zero padded: "x86-64-v4"
  ContextHash fingerprint;   // of the kernel text
  ContextHash generation;    // the same in the model's EPContext nodes
  ContextHash metadata_hash;
  uint64_t file_size;
  uint64_t metadata_offset;
  uint64_t metadata_size;
  uint32_t graph_count;
  uint32_t tensor_count;
  uint32_t kernels_size;    // bytes of text
  uint32_t kernels_place;   // 0: at kKernelTextOffset of page 0; 1: in the metadata's text, see
                            // MetadataHeader
  ContextHash header_hash;  // of page 0 with this field zero
};

struct MetadataTable {
  uint64_t offset;
  uint32_t count;
  uint32_t stride;
};

struct MetadataHeader {
  uint32_t size;  // of this struct
  uint32_t reserved;
  MetadataTable graphs;    // GraphRecord, sorted by name
  MetadataTable tensors;   // ContextTensorRecord
  MetadataTable indices;   // uint32
  MetadataTable text;      // bytes
  uint32_t kernels_begin;  // in text, when kernels_place is 1
  uint32_t reserved2;
};

struct GraphRecord {
  uint32_t name_begin, name_size;         // text
  uint32_t tensors_begin, tensors_count;  // indices: numbers of tensor records, in the plan's order
  uint64_t plan_offset, plan_size;        // in the metadata, 8 B-aligned; size 0: an opaque blob
  uint64_t blob_offset, blob_size;        // in the file
};

struct ContextTensorRecord {
  uint64_t offset;  // in the file
  uint64_t size;
  ContextHash hash;
};

static_assert(sizeof(ContextHeader) == 168 && sizeof(ContextHeader) <= kKernelTextOffset);
static_assert(sizeof(MetadataHeader) == 80 && sizeof(GraphRecord) == 48 &&
              sizeof(ContextTensorRecord) == 32);
static_assert(std::is_standard_layout_v<ContextHeader> &&
              std::is_trivially_copyable_v<ContextHeader>);

}  // namespace ortc
