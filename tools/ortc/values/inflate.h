// SPDX-License-Identifier: MIT
// The compression of .zip files, and their checksum. Only inflate.cc knows zlib.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ortc::tool {

// False in a build without zlib.
bool can_inflate();
// Exactly `size` bytes from a raw deflate stream. Throws, with `what` in front, for one that is
// broken or has another size.
std::vector<std::byte> inflated(const std::vector<std::byte>& stream, uint64_t size,
                                const std::string& what);

uint32_t crc32_of(const std::vector<std::byte>& bytes);

}  // namespace ortc::tool
