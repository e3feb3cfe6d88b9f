// SPDX-License-Identifier: MIT
// zstd, one frame at a time.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/base/bytes.h"
#include "core/base/result.h"

namespace ortc {

// Bytes as one frame, at level 1 to 19.
Result<std::string> zstd_compress(Bytes bytes, int level);
// The inverse never writes more than `out` holds, and fails with INVALID_GRAPH unless the frame
// gives exactly that many bytes.
Status zstd_decompress(Bytes frame, std::span<std::byte> out);

}  // namespace ortc
