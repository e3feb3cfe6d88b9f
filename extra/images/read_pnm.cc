// SPDX-License-Identifier: MIT
// PBM, PGM and PPM, as text (P1 to P3) and as bytes (P4 to P6). A header is
//
//   P6 <width> <height> <largest value>      without the last for P1 and P4
//
// with white space between and "# ..." to the end of a line; one character of white space ends it.
// In P1 and P4 1 is black. Other largest values than 255 are scaled, rounding to the nearest.
#include <cstring>
#include <optional>

#include "core/base/checked_math.h"
#include "extra/images/image_job.h"

namespace {

class Reader {
 public:
  Reader(const uint8_t* bytes, size_t size) : bytes_(bytes), size_(size) {}

  size_t left() const { return size_ - at_; }
  const uint8_t* here() const { return bytes_ + at_; }
  void skip(size_t count) { at_ += count; }  // no more than are left

  // A number behind white space and comments.
  std::optional<uint32_t> number() {
    skip_space();
    std::optional<uint32_t> value;
    for (; at_ < size_ && bytes_[at_] >= '0' && bytes_[at_] <= '9'; ++at_) {
      value = value.value_or(0) * 10 + (bytes_[at_] - '0');
      if (*value > 100'000'000) return std::nullopt;
    }
    return value;
  }

  // The digits of P1 need no space between.
  std::optional<uint32_t> bit() {
    skip_space();
    if (at_ == size_ || (bytes_[at_] != '0' && bytes_[at_] != '1')) return std::nullopt;
    return bytes_[at_++] - '0';
  }

 private:
  void skip_space() {
    bool is_comment = false;
    for (; at_ < size_; ++at_) {
      const uint8_t c = bytes_[at_];
      if (c == '#') is_comment = true;
      if (c == '\n' || c == '\r') is_comment = false;
      if (!is_comment && c != ' ' && (c < '\t' || c > '\r')) return;
    }
  }

  const uint8_t* bytes_;
  size_t size_;
  size_t at_ = 0;
};

struct Form {
  bool is_text, is_bits, is_grey;
  uint32_t highest;
};

uint8_t scaled(uint32_t value, uint32_t highest) {
  if (value >= highest) return 255;
  return static_cast<uint8_t>((value * 255 + highest / 2) / highest);
}

OrtcExtraCode ends_early(OrtcImageJob* job) {
  return ortc_image_refuse(job, kOrtcExtraBadInput, "the file ends too early");
}

OrtcExtraCode read_text(OrtcImageJob* job, Reader& in, const Form& form) {
  const size_t count = job->width * job->height;
  const size_t channels = form.is_grey ? 1 : 3;
  uint8_t* to = job->pixels;
  for (size_t i = 0; i < count; ++i, to += 3) {
    for (size_t c = 0; c < channels; ++c) {
      const auto value = form.is_bits ? in.bit() : in.number();
      if (!value) return ends_early(job);
      to[c] = form.is_bits ? (*value == 0 ? 255 : 0) : scaled(*value, form.highest);
    }
    if (form.is_grey) to[1] = to[2] = to[0];
  }
  return kOrtcExtraOk;
}

// Each row begins on a byte.
OrtcExtraCode read_bits(OrtcImageJob* job, const Reader& in) {
  const size_t stride = (job->width + 7) / 8;
  if (in.left() / stride < job->height) return ends_early(job);
  uint8_t* to = job->pixels;
  for (size_t y = 0; y < job->height; ++y) {
    const uint8_t* row = in.here() + y * stride;
    for (size_t x = 0; x < job->width; ++x, to += 3) {
      const bool is_black = (row[x / 8] >> (7 - x % 8) & 1) != 0;
      to[0] = to[1] = to[2] = is_black ? 0 : 255;
    }
  }
  return kOrtcExtraOk;
}

// Values beyond 255 take two bytes, the higher first.
OrtcExtraCode read_bytes(OrtcImageJob* job, const Reader& in, const Form& form) {
  const size_t size = form.highest > 255 ? 2 : 1;
  const size_t count = job->width * job->height;
  const size_t channels = form.is_grey ? 1 : 3;
  if (in.left() / (size * channels) < count) return ends_early(job);
  const uint8_t* from = in.here();
  uint8_t* to = job->pixels;
  for (size_t i = 0; i < count; ++i, to += 3) {
    for (size_t c = 0; c < channels; ++c, from += size) {
      const uint32_t value = size == 1 ? from[0] : from[0] * 256u + from[1];
      to[c] = form.highest == 255 ? from[0] : scaled(value, form.highest);
    }
    if (form.is_grey) to[1] = to[2] = to[0];
  }
  return kOrtcExtraOk;
}

}  // namespace

OrtcExtraCode ortc_read_pnm(OrtcImageJob* job) {
  Reader in(job->request->bytes, job->request->size);
  const uint8_t kind = in.here()[1];  // '1' to '6': whoever chose this reader has looked
  in.skip(2);
  Form form{kind <= '3', kind == '1' || kind == '4', kind != '3' && kind != '6', 1};
  const auto width = in.number(), height = in.number();
  const auto highest = form.is_bits ? std::optional<uint32_t>(1) : in.number();
  if (!width || !height || !highest || *highest < 1 || *highest > 65535) {
    return ortc_image_refuse(job, kOrtcExtraBadInput, "its header is not that of a PNM file");
  }
  form.highest = *highest;
  const OrtcExtraCode code = ortc_image_begin(job, *width, *height);
  if (code != kOrtcExtraOk) return code;
  if (form.is_text) return read_text(job, in, form);
  if (in.left() == 0) return ends_early(job);
  in.skip(1);
  return form.is_bits ? read_bits(job, in) : read_bytes(job, in, form);
}
