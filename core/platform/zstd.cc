// SPDX-License-Identifier: MIT
// zstd, one frame at a time. The decompressor takes exactly one frame of today's format: no
// skippable, no legacy frames and nothing behind it.
#include "core/platform/zstd.h"

#include <zstd.h>

#include <algorithm>
#include <memory>

#include "core/base/checked_math.h"

namespace ortc {

namespace {

// At level 19 some 50 ms of work.
constexpr size_t kZstdSlice = size_t{128} << 10;

// Takes one slice, the last one with all that is still inside.
Status compress_slice(ZSTD_CCtx* context, Bytes slice, bool is_last, std::string& frame) {
  ZSTD_inBuffer in{slice.data(), slice.size(), 0};
  for (;;) {
    const size_t begin = frame.size();
    frame.resize(begin + ZSTD_CStreamOutSize());
    ZSTD_outBuffer out{frame.data() + begin, frame.size() - begin, 0};
    const size_t left =
        ZSTD_compressStream2(context, &out, &in, is_last ? ZSTD_e_end : ZSTD_e_continue);
    frame.resize(begin + out.pos);
    if (ZSTD_isError(left)) {
      return fail("zstd: cannot compress ", slice.size(), " bytes: ", ZSTD_getErrorName(left));
    }
    if (is_last ? left == 0 : in.pos == in.size) return Status::ok();
  }
}

}  // namespace

Result<std::string> zstd_compress(Bytes bytes, int level,
                                  const std::function<Status(uint64_t)>& advance) {
  if (level < 1 || level > 19) {
    return invalid_argument("zstd: expected a level from 1 to 19, found ", level);
  }
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                     &ZSTD_freeCCtx);
  if (context == nullptr) return fail("zstd: no memory to compress with");
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  // The head says how much the frame holds, and the parameters are those for that much.
  ZSTD_CCtx_setPledgedSrcSize(context.get(), bytes.size());
  std::string frame;
  do {
    const Bytes slice = bytes.first(std::min(bytes.size(), kZstdSlice));
    bytes = bytes.subspan(slice.size());
    RETURN_IF_ERROR(compress_slice(context.get(), slice, bytes.empty(), frame));
    if (advance) RETURN_IF_ERROR(advance(slice.size()));
  } while (!bytes.empty());
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
