// SPDX-License-Identifier: MIT
// zstd, one frame at a time. The decompressor takes exactly one frame of today's format: no
// skippable, no legacy frames and nothing behind it.
#include "core/platform/zstd.h"

#include <zstd.h>

#include <memory>

#include "core/base/checked_math.h"

namespace ortc {

Result<std::string> zstd_compress(Bytes bytes, int level) {
  if (level < 1 || level > 19) {
    return invalid_argument("zstd: expected a level from 1 to 19, found ", level);
  }
  const size_t bound = ZSTD_compressBound(bytes.size());
  if (ZSTD_isError(bound) || bound < bytes.size()) {
    return invalid_argument("zstd: ", bytes.size(), " bytes are too many for one frame");
  }
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                     &ZSTD_freeCCtx);
  if (context == nullptr) return fail("zstd: no memory to compress with");
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string frame(bound, '\0');
  const size_t size =
      ZSTD_compress2(context.get(), frame.data(), frame.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size)) {
    return fail("zstd: cannot compress ", bytes.size(), " bytes: ", ZSTD_getErrorName(size));
  }
  frame.resize(size);
  return frame;
}

Status zstd_check_size(Bytes frame, uint64_t size) {
  constexpr size_t kMagicSize = 4;
  if (frame.size() < kMagicSize || load_unaligned<uint32_t>(frame.data()) != ZSTD_MAGICNUMBER) {
    return invalid_graph("zstd: expected a frame, found ", frame.size(),
                         " bytes that do not begin like one");
  }
  const unsigned long long found = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (found == ZSTD_CONTENTSIZE_ERROR) {
    return invalid_graph("zstd: the head of a frame of ", frame.size(), " bytes is damaged");
  }
  if (found == size || found == ZSTD_CONTENTSIZE_UNKNOWN) return Status::ok();
  return invalid_graph("zstd: expected a frame that holds ", size, " bytes, found one that says ",
                       found);
}

Status zstd_decompress(Bytes frame, std::span<std::byte> out) {
  RETURN_IF_ERROR(zstd_check_size(frame, out.size()));
  const size_t frame_size = ZSTD_findFrameCompressedSize(frame.data(), frame.size());
  if (ZSTD_isError(frame_size)) {
    return invalid_graph("zstd: damaged frame of ", frame.size(),
                         " bytes: ", ZSTD_getErrorName(frame_size));
  }
  if (frame_size != frame.size()) {
    return invalid_graph("zstd: expected one frame of ", frame.size(), " bytes, found one of ",
                         frame_size);
  }
  std::byte nothing;
  std::byte* target = out.empty() ? &nothing : out.data();
  const size_t size = ZSTD_decompress(target, out.size(), frame.data(), frame.size());
  if (ZSTD_isError(size)) {
    return invalid_graph("zstd: frame of ", frame.size(), " bytes, expected to hold ", out.size(),
                         ": ", ZSTD_getErrorName(size));
  }
  if (size != out.size()) {
    return invalid_graph("zstd: expected a frame that holds ", out.size(), " bytes, found ", size);
  }
  return Status::ok();
}

}  // namespace ortc
