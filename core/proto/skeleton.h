// SPDX-License-Identifier: MIT
// The wire scanner in front of protobuf-c. It walks an ONNX model's bytes once, refuses what
// protobuf-c would read badly (bounds, depth, counts, memory), and writes the skeleton that
// protobuf-c gets instead of the file: the same messages, but every bytes field holds a reference.
//
//   reference = 0x00 content                     short content stands here
//             | 0x01 offset:u64 length:u64       content stands in the file
//
// Since every bytes field of a skeleton gets its first byte from the scanner, no file can forge a
// reference.
#pragma once

#include <string>

#include "core/base/bytes.h"
#include "core/base/result.h"

namespace ortc {

struct ScanLimits {
  int depth_max = 64;
  uint64_t message_count_max = uint64_t{16} << 20;
  uint64_t rank_max = 64;
  // Decoded messages take at most decoded_base + decoded_factor * size of the file.
  uint64_t decoded_base = uint64_t{64} << 20;
  uint64_t decoded_factor = 8;
};

inline constexpr uint64_t kSpanSizeMin = 1024;  // content of this size and more stays in the file

struct Skeleton {
  std::string wire;
  uint64_t message_count = 0;
  uint64_t decoded_size = 0;  // what protobuf-c will allocate, estimated
};

// `model` holds a ModelProto. INVALID_PROTOBUF with the offset of what is wrong.
Result<Skeleton> scan_model(Bytes model, const ScanLimits& limits = {});

// The content behind a reference of a skeleton made from `file`.
Bytes resolve_reference(Bytes reference, Bytes file);
// True when it stands in the file.
bool reference_is_span(Bytes reference);

}  // namespace ortc
