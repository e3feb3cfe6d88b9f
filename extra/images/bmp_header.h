// SPDX-License-Identifier: MIT
// What stands in front of a BMP file's pixels, little-endian:
//
//   0  "BM"   10 offset of the pixels   14 size of the header from here on (12, 40 or more)
//   of 12: 18 width, 20 height (16 bits), 24 bits per pixel, then a palette of B, G, R
//   else:  18 width, 22 height (negative: rows from the top), 28 bits per pixel, 30 compression,
//          46 colours in the palette, then masks of channels (of 3 when the header has 40 bytes),
//          then a palette of B, G, R, 0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "extra/images/image_job.h"

namespace ortc::extra {

enum class BmpCoding : uint32_t { kPlain = 0, kRle8 = 1, kRle4 = 2, kMasks = 3 };

struct BmpHeader {
  uint64_t width, height;
  bool is_top_down;
  uint32_t bits;  // 1, 4, 8: of an index; 16, 24, 32: of a pixel
  BmpCoding coding;
  uint32_t masks[3];                 // of red, green and blue in pixels of 16 and 32 bits
  std::span<const uint8_t> palette;  // entries of `entry_size` bytes: B, G, R
  size_t entry_size;
  std::span<const uint8_t> pixels;
};

OrtcExtraCode read_bmp_header(OrtcImageJob* job, BmpHeader& header);

}  // namespace ortc::extra
