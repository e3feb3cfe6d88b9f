// SPDX-License-Identifier: MIT
// The checksum is computed here, so that archives that are not compressed need no zlib.

#include "tools/ortc/values/inflate.h"

#include <algorithm>
#include <array>
#include <limits>

#include "tools/ortc/errors.h"

#ifdef ORTC_TOOL_ZLIB
#include <zlib.h>
#endif

namespace ortc::tool {
namespace {

constexpr std::array<uint32_t, 256> kCrcTable = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320 : 0);
    table[i] = crc;
  }
  return table;
}();

}  // namespace

uint32_t crc32_of(const std::vector<std::byte>& bytes) {
  uint32_t crc = ~uint32_t{0};
  for (std::byte byte : bytes) {
    crc = crc >> 8 ^ kCrcTable[(crc ^ std::to_integer<uint32_t>(byte)) & 255];
  }
  return ~crc;
}

#ifdef ORTC_TOOL_ZLIB

bool can_inflate() { return true; }

std::vector<std::byte> inflated(const std::vector<std::byte>& stream, uint64_t size,
                                const std::string& what) {
  z_stream z = {};
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK) throw failure(what + ": zlib could not begin");
  std::vector<std::byte> out(size);
  // zlib counts in 32 bits.
  constexpr uint64_t kPiece = std::numeric_limits<uInt>::max();
  size_t in_at = 0, out_at = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    z.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(stream.data() + in_at));
    z.avail_in = static_cast<uInt>(std::min<uint64_t>(kPiece, stream.size() - in_at));
    z.next_out = reinterpret_cast<Bytef*>(out.data() + out_at);
    z.avail_out = static_cast<uInt>(std::min<uint64_t>(kPiece, out.size() - out_at));
    const uInt given = z.avail_in, room = z.avail_out;
    state = inflate(&z, Z_NO_FLUSH);
    in_at += given - z.avail_in;
    out_at += room - z.avail_out;
    if (given == z.avail_in && room == z.avail_out && state == Z_OK) state = Z_BUF_ERROR;
  }
  inflateEnd(&z);
  if (state != Z_STREAM_END || out_at != out.size()) {
    throw ToolError(kExitFailure, "INVALID_ARGUMENT", what + ": the compressed data are broken");
  }
  return out;
}

#else

bool can_inflate() { return false; }

std::vector<std::byte> inflated(const std::vector<std::byte>&, uint64_t, const std::string& what) {
  throw ToolError(kExitFailure, "NOT_IMPLEMENTED",
                  what + ": compressed, and this ortc was built without zlib");
}

#endif

}  // namespace ortc::tool
