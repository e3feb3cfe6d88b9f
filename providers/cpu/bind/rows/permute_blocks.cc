// SPDX-License-Identifier: MIT
#include "providers/cpu/bind/rows/permute_blocks.h"

#include <algorithm>

#include "providers/cpu/elements/element.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kMostInTable = 512;
// Elements: more of them are turned, or copied, as fast.
constexpr int64_t kMostInSquare = 64, kMostInRow = 8;
constexpr int64_t kLeastBlocks = 4;

int64_t block_size(const NdLoop<1>& loop) { return loop.count / loop.dims[0]; }

// Where the elements of so many blocks come from.
struct Table {
  int64_t size;
  uint16_t places[kMostInTable];

  Table(const NdLoop<1>& loop, int64_t blocks) : size(blocks * block_size(loop)) {
    const int64_t step = loop.inner_stride(0);
    for_each_row(loop, 0, size, [&](int64_t at, const auto& from, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        places[at + i] = static_cast<uint16_t>(from[0] + i * step);
      }
    });
  }
};

template <typename T>
void permute_run(const uint16_t* __restrict places, int64_t count, const T* __restrict x,
                 T* __restrict y) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    for (int64_t k = 0; k < 8; ++k) y[i + k] = x[places[i + k]];
  }
  for (; i < count; ++i) y[i] = x[places[i]];
}

template <typename T>
void permute(const RunContext& ctx, const Table& table, int64_t count, const T* x, T* y) {
  const int64_t tables = (count + table.size - 1) / table.size;
  ctx.parallel_for(tables, std::max<int64_t>(1, kElementGrain / table.size),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t i = begin * table.size; begin < end; ++begin, i += table.size) {
                       permute_run(table.places, std::min(table.size, count - i), x + i, y + i);
                     }
                   });
}

}  // namespace

bool has_short_blocks(const NdLoop<1>& loop, size_t across) {
  if (loop.rank < 3 || loop.dims[0] < kLeastBlocks) return false;
  const int64_t size = block_size(loop);
  if (size > kMostInTable || loop.strides[0][0] != size) return false;
  int64_t last = 0;
  for (size_t i = 1; i < loop.rank; ++i) last += (loop.dims[i] - 1) * loop.strides[0][i];
  const bool has_rows = across == loop.rank - 1;
  const int64_t together = loop.inner_size() * (has_rows ? 1 : loop.dims[across]);
  return last < size && together <= (has_rows ? kMostInRow : kMostInSquare);
}

void permute_blocks(const RunContext& ctx, const NdLoop<1>& loop, size_t bytes, const void* x,
                    void* y) {
  const int64_t size = block_size(loop);
  const Table table(loop, std::min(kMostInTable / size, loop.dims[0]));
  with_chunk(bytes, [&](auto tag) {
    using T = typename decltype(tag)::type;
    permute(ctx, table, loop.count, static_cast<const T*>(x), static_cast<T*>(y));
  });
}

}  // namespace ortc::cpu
