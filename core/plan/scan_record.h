// SPDX-License-Identifier: MIT
// What a Scan step's params say: which inputs are scanned, along which axes, in which direction.
//
//   inputs   (lengths, with has_batch), state variables, scanned inputs, captures
//   outputs  state variables, scan outputs
#pragma once

#include <cstdint>

namespace ortc {

inline constexpr uint32_t kScanMax = 64;  // scanned inputs, and scan outputs

struct ScanRecord {
  uint32_t record_bytes;
  uint32_t scan_inputs;
  uint32_t has_batch;  // Scan of opset 8: axis 0 of everything is the batch, axis 1 is scanned
  uint32_t reserved;
  uint64_t input_reversed;   // bit k: scanned input k is read from its end
  uint64_t output_reversed;  // bit k: scan output k is written from its end
  int8_t input_axes[kScanMax];
  int8_t output_axes[kScanMax];
};
static_assert(sizeof(ScanRecord) == 160);

}  // namespace ortc
