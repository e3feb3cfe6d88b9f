// SPDX-License-Identifier: MIT
// Copies with other strides: see the header.
#include "providers/cpu/bind/rows/copy_permuted.h"

#include <algorithm>

#include "providers/cpu/arith/turn/turn.h"
#include "providers/cpu/bind/rows/copy_rows.h"
#include "providers/cpu/bind/rows/permute_blocks.h"

namespace ortc::cpu {
namespace {

// What is turned together. Rows are read for some lines of the cache; as many of them as the nearer
// caches hold with what is written. Small elements take long to fill a line that is written: then
// it is better to stay there.
struct Block {
  int64_t rows, columns;
  Block(int64_t bytes, bool is_pixels)
      : rows(is_pixels   ? 2048
             : bytes < 4 ? 256
                         : 64),
        columns(is_pixels   ? 2048
                : bytes < 4 ? 32
                            : 256) {}
};
constexpr int64_t kPixelChannels = 4;  // so few of either are taken apart or put together

// Rows of 2, 4, 8 or 16 bytes become one element.
void merge_short_rows(NdLoop<1>* loop, size_t* bytes) {
  const int64_t n = loop->inner_size();
  const auto merged = static_cast<uint64_t>(n) * *bytes;
  if (loop->rank == 1 || loop->inner_stride(0) != 1 || merged > 16 || (merged & (merged - 1))) {
    return;
  }
  const auto begin = loop->strides[0].begin(), end = begin + static_cast<int64_t>(loop->rank) - 1;
  if (std::any_of(begin, end, [n](int64_t stride) { return stride % n != 0; })) return;
  std::for_each(begin, end, [n](int64_t& stride) { stride /= n; });
  --loop->rank;
  loop->count /= n;
  *bytes = static_cast<size_t>(merged);
}

// Axis `inner` (innermost in y) and axis `across` (stride 1 in x) turned block by block.
void run_turned(const RunContext& ctx, const NdLoop<1>& loop, size_t across, TurnKernels::Turn turn,
                int64_t bytes, const std::byte* x, std::byte* y) {
  const size_t inner = loop.rank - 1;
  const int64_t rows = loop.dims[inner], columns = loop.dims[across];
  const int64_t from_ld = loop.strides[0][inner];
  const int64_t to_ld = product({loop.dims.data(), loop.rank}, across + 1, loop.rank);
  const Block block(bytes, std::min(rows, columns) <= kPixelChannels);
  const int64_t down = (rows + block.rows - 1) / block.rows;
  const int64_t wide = (columns + block.columns - 1) / block.columns;
  const int64_t blocks = wide * down;
  // Threads divide the longer axis, which most often is an image's pixels: then each finds in its
  // cache what it wrote as pixels, and leaves there what it will read so.
  const bool goes_down = rows > columns;
  const int64_t others = loop.count / rows / columns;
  const int64_t size = std::min(rows, block.rows) * std::min(columns, block.columns);
  ctx.parallel_for(
      others * blocks, std::max<int64_t>(1, kElementGrain / size), [&](int64_t begin, int64_t end) {
        for (int64_t unit = begin; unit < end; ++unit) {
          int64_t rest = unit / blocks;
          int64_t from = 0, to = 0, to_stride = 1;
          for (size_t d = loop.rank; d-- > 0; to_stride *= loop.dims[d]) {
            if (d == inner || d == across) continue;
            from += rest % loop.dims[d] * loop.strides[0][d];
            to += rest % loop.dims[d] * to_stride;
            rest /= loop.dims[d];
          }
          const int64_t at = unit % blocks;
          const int64_t i = (goes_down ? at / wide : at % down) * block.rows;
          const int64_t j = (goes_down ? at % wide : at / down) * block.columns;
          from += i * from_ld + j;
          to += j * to_ld + i;
          turn(x + from * bytes, static_cast<size_t>(from_ld), y + to * bytes,
               static_cast<size_t>(to_ld), static_cast<size_t>(std::min(block.rows, rows - i)),
               static_cast<size_t>(std::min(block.columns, columns - j)));
        }
      });
}

}  // namespace

void copy_permuted(const RunContext& ctx, NdLoop<1> loop, size_t bytes, const void* x, void* y) {
  merge_short_rows(&loop, &bytes);
  size_t across = 0;
  while (across + 1 < loop.rank && loop.strides[0][across] != 1) ++across;
  if (has_short_blocks(loop, across)) return permute_blocks(ctx, loop, bytes, x, y);
  if (across + 1 == loop.rank) return copy_strided(ctx, loop, bytes, x, y);
  run_turned(ctx, loop, across, turn_of(ctx.isa(), bytes), static_cast<int64_t>(bytes),
             static_cast<const std::byte*>(x), static_cast<std::byte*>(y));
}

}  // namespace ortc::cpu
