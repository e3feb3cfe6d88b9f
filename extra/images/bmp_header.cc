// SPDX-License-Identifier: MIT
// BMP headers: see the header. Every offset is checked before it is used.
#include "extra/images/bmp_header.h"

#include <algorithm>

#include "core/base/checked_math.h"

namespace ortc::extra {
namespace {

using Bytes = std::span<const uint8_t>;

uint32_t u16(Bytes file, size_t at) { return file[at] | file[at + 1] << 8; }
uint32_t u32(Bytes file, size_t at) { return u16(file, at) | u16(file, at + 2) << 16; }

OrtcExtraCode refuse(OrtcImageJob* job) {
  return ortc_image_refuse(job, kOrtcExtraBadInput, "its header is not that of a BMP file");
}

bool is_known(const BmpHeader& header) {
  switch (header.coding) {
    case BmpCoding::kPlain:
      return header.bits == 1 || header.bits == 4 || header.bits == 8 || header.bits == 16 ||
             header.bits == 24 || header.bits == 32;
    case BmpCoding::kRle8:
      return header.bits == 8 && !header.is_top_down;
    case BmpCoding::kRle4:
      return header.bits == 4 && !header.is_top_down;
    case BmpCoding::kMasks:
      return header.bits == 16 || header.bits == 32;
  }
  return false;
}

void set_usual_masks(BmpHeader& header) {
  const bool is_small = header.bits == 16;
  header.masks[0] = is_small ? 0x7c00 : 0xff0000;
  header.masks[1] = is_small ? 0x03e0 : 0x00ff00;
  header.masks[2] = is_small ? 0x001f : 0x0000ff;
}

// Where the palette begins, in `at`.
bool read_fields(Bytes file, BmpHeader& header, size_t* at, uint32_t* colours) {
  const uint32_t size = u32(file, 14);
  *colours = 0;
  *at = 14 + size_t{size};
  if (size == 12) {
    header.width = u16(file, 18);
    header.height = u16(file, 20);
    header.bits = u16(file, 24);
    header.entry_size = 3;
    return *at <= file.size();
  }
  if (size < 40 || !range_within(14, size, file.size())) return false;
  const auto width = static_cast<int32_t>(u32(file, 18));
  const auto height = static_cast<int32_t>(u32(file, 22));
  if (width < 0) return false;
  header.width = static_cast<uint64_t>(width);
  header.is_top_down = height < 0;
  header.height = static_cast<uint64_t>(height < 0 ? -int64_t{height} : int64_t{height});
  header.bits = u16(file, 28);
  header.coding = static_cast<BmpCoding>(u32(file, 30));
  header.entry_size = 4;
  *colours = u32(file, 46);
  if (header.coding != BmpCoding::kMasks) return true;
  // With 40 bytes the masks stand behind the header, otherwise they are its next fields.
  if (!range_within(54, 12, file.size())) return false;
  for (size_t c = 0; c < 3; ++c) header.masks[c] = u32(file, 54 + 4 * c);
  if (size == 40) *at += 12;
  return true;
}

}  // namespace

OrtcExtraCode read_bmp_header(OrtcImageJob* job, BmpHeader& header) {
  const Bytes file(job->request->bytes, job->request->size);
  header = {};
  size_t at = 0;
  uint32_t colours = 0;
  if (file.size() < 26 || !read_fields(file, header, &at, &colours)) return refuse(job);
  if (header.coding == BmpCoding::kPlain) set_usual_masks(header);
  const uint32_t offset = u32(file, 10);
  if (!is_known(header) || offset < at || offset > file.size()) return refuse(job);
  header.pixels = file.subspan(offset);
  if (header.bits > 8) return kOrtcExtraOk;
  const uint32_t most = 1u << header.bits;
  const size_t count = colours == 0 ? most : std::min(colours, most);
  header.palette = file.subspan(at, std::min(count * header.entry_size, size_t{offset} - at));
  return header.palette.size() >= header.entry_size ? kOrtcExtraOk : refuse(job);
}

}  // namespace ortc::extra
