// SPDX-License-Identifier: MIT
// BMP: palettes of 1, 4 and 8 bits, also run-length coded; 16 and 32 bits with masks of channels;
// 24 bits. Rows stand from the bottom up, each on a multiple of 4 bytes. An index beyond the
// palette is black. Channels of less than 8 bits are scaled to 255, rounding down.
#include <algorithm>
#include <bit>
#include <vector>

#include "core/base/checked_math.h"
#include "extra/images/bmp_header.h"

namespace ortc::extra {
namespace {

using Bytes = std::span<const uint8_t>;

OrtcExtraCode ends_early(OrtcImageJob* job) {
  return ortc_image_refuse(job, kOrtcExtraBadInput, "the file ends too early");
}

uint8_t* row_of(const OrtcImageJob* job, const BmpHeader& header, size_t y) {
  return job->pixels + 3 * job->width * (header.is_top_down ? y : job->height - 1 - y);
}

void write_colour(const BmpHeader& header, size_t index, uint8_t* to) {
  const size_t at = index * header.entry_size;
  const bool is_there = range_within(at, 3, header.palette.size());
  for (size_t c = 0; c < 3; ++c) to[c] = is_there ? header.palette[at + 2 - c] : 0;
}

// One channel of a pixel: its bits as a part of the most they can say.
struct Channel {
  uint32_t mask;
  int shift;
  uint64_t highest;

  explicit Channel(uint32_t bits)
      : mask(bits), shift(bits == 0 ? 0 : std::countr_zero(bits)), highest(bits >> shift) {}
  uint8_t of(uint32_t pixel) const {
    if (highest == 0) return 0;
    return static_cast<uint8_t>(((pixel & mask) >> shift) * uint64_t{255} / highest);
  }
};

void write_indices(const BmpHeader& header, const uint8_t* from, size_t width, uint8_t* to) {
  const uint32_t bits = header.bits;
  for (size_t x = 0; x < width; ++x, to += 3) {
    const size_t at = x * bits;
    write_colour(header, from[at / 8] >> (8 - bits - at % 8) & ((1u << bits) - 1), to);
  }
}

void write_masked(const BmpHeader& header, const uint8_t* from, size_t width, uint8_t* to) {
  const Channel channels[] = {Channel(header.masks[0]), Channel(header.masks[1]),
                              Channel(header.masks[2])};
  const size_t size = header.bits / 8;
  for (size_t x = 0; x < width; ++x, from += size) {
    uint32_t pixel = from[0] | from[1] << 8;
    if (size == 4) pixel |= uint32_t{from[2]} << 16 | uint32_t{from[3]} << 24;
    for (const Channel& channel : channels) *to++ = channel.of(pixel);
  }
}

OrtcExtraCode read_rows(OrtcImageJob* job, const BmpHeader& header) {
  const uint64_t stride = (job->width * header.bits + 31) / 32 * 4;
  // The last row may go without what fills it up.
  const uint64_t used = (job->width * header.bits + 7) / 8;
  const auto before = checked_mul<uint64_t>(stride, job->height - 1);
  if (!before || !range_within(*before, used, header.pixels.size())) return ends_early(job);
  for (size_t y = 0; y < job->height; ++y) {
    const uint8_t* from = header.pixels.data() + y * stride;
    uint8_t* to = row_of(job, header, y);
    if (header.bits <= 8) {
      write_indices(header, from, job->width, to);
    } else if (header.bits != 24) {
      write_masked(header, from, job->width, to);
    } else {
      for (size_t x = 0; x < job->width; ++x, from += 3, to += 3) {
        to[0] = from[2], to[1] = from[1], to[2] = from[0];
      }
    }
  }
  return kOrtcExtraOk;
}

// Indices drawn by runs; what no run reaches has index 0, what goes beyond the picture is left out.
//   n v        n times the index v (of 4 bits: its halves in turn)
//   0 0 | 0 1 | 0 2 dx dy      the next row | the end | further right and up
//   0 n ...    n indices as they are, filled up to 2 bytes
class Runs {
 public:
  Runs(const OrtcImageJob* job, const BmpHeader& header)
      : width_(job->width),
        height_(job->height),
        is_half_(header.bits == 4),
        in_(header.pixels),
        indices_(job->width * job->height) {}

  // False: the file ends first.
  bool draw() {
    while (in_.size() - at_ >= 2 && y_ < height_) {
      const uint8_t count = in_[at_], value = in_[at_ + 1];
      at_ += 2;
      if (count != 0) {
        for (size_t i = 0; i < count; ++i) put(index_in(value, i));
      } else if (value == 0) {
        x_ = 0, ++y_;
      } else if (value == 1) {
        return true;
      } else if (!(value == 2 ? move() : copy(value))) {
        return false;
      }
    }
    return y_ >= height_ || (y_ == height_ - 1 && x_ >= width_);
  }
  uint8_t index(size_t x, size_t y) const { return indices_[y * width_ + x]; }

 private:
  uint8_t index_in(uint8_t byte, size_t i) const {
    if (!is_half_) return byte;
    return i % 2 == 0 ? byte >> 4 : byte & 15;
  }
  void put(uint8_t index) {
    if (x_ < width_ && y_ < height_) indices_[y_ * width_ + x_] = index;
    ++x_;
  }
  bool move() {
    if (in_.size() - at_ < 2) return false;
    x_ += in_[at_], y_ += in_[at_ + 1];
    at_ += 2;
    return true;
  }
  bool copy(size_t count) {
    const size_t bytes = is_half_ ? (count + 1) / 2 : count;
    if (in_.size() - at_ < bytes) return false;
    for (size_t i = 0; i < count; ++i) put(index_in(in_[at_ + (is_half_ ? i / 2 : i)], i));
    at_ = std::min(at_ + (bytes + 1) / 2 * 2, in_.size());
    return true;
  }

  size_t width_, height_;
  bool is_half_;
  Bytes in_;
  std::vector<uint8_t> indices_;
  size_t at_ = 0, x_ = 0, y_ = 0;
};

OrtcExtraCode read_runs(OrtcImageJob* job, const BmpHeader& header) {
  Runs runs(job, header);
  if (!runs.draw()) return ends_early(job);
  for (size_t y = 0; y < job->height; ++y) {
    uint8_t* to = row_of(job, header, y);
    for (size_t x = 0; x < job->width; ++x, to += 3) write_colour(header, runs.index(x, y), to);
  }
  return kOrtcExtraOk;
}

}  // namespace
}  // namespace ortc::extra

OrtcExtraCode ortc_read_bmp(OrtcImageJob* job) {
  using namespace ortc::extra;
  BmpHeader header;
  OrtcExtraCode code = read_bmp_header(job, header);
  if (code == kOrtcExtraOk) code = ortc_image_begin(job, header.width, header.height);
  if (code != kOrtcExtraOk) return code;
  const bool is_coded = header.coding == BmpCoding::kRle8 || header.coding == BmpCoding::kRle4;
  return is_coded ? read_runs(job, header) : read_rows(job, header);
}
