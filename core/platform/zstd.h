// SPDX-License-Identifier: MIT
// zstd, one frame at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "core/base/bytes.h"
#include "core/base/result.h"

namespace ortc {

// Bytes as one frame with a checksum, at level 1 to 19. `advance` is told every slice that was
// taken, and stops it with a failure; the frame is the same without.
Result<std::string> zstd_compress(Bytes bytes, int level,
                                  const std::function<Status(uint64_t bytes)>& advance = {});
// By the head of the frame alone, before memory is taken for its content: INVALID_GRAPH when it is
// no frame, or says that it holds another number of bytes than `size`. A frame may leave that open.
Status zstd_check_size(Bytes frame, uint64_t size);
// The inverse never writes more than `out` holds, and fails with INVALID_GRAPH unless the frame
// gives exactly that many bytes.
Status zstd_decompress(Bytes frame, std::span<std::byte> out);

}  // namespace ortc
