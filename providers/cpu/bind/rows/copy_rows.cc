// SPDX-License-Identifier: MIT
// Movement of bytes: see the header.
#include "providers/cpu/bind/rows/copy_rows.h"

#include <algorithm>

namespace ortc::cpu {
namespace {

constexpr int64_t kPiece = 65536;  // bytes one thread takes at a time

}  // namespace

void copy_rows(const RunContext& ctx, const RowCopy& given) {
  if (given.row_bytes == 0 || given.row_count == 0) return;
  RowCopy copy = given;
  if (copy.from_pitch == copy.row_bytes && copy.to_pitch == copy.row_bytes) {  // without gaps
    copy.row_bytes *= copy.row_count;
    copy.row_count = 1;
  }
  const int64_t pieces_per_row = (copy.row_bytes + kPiece - 1) / kPiece;
  const int64_t grain = std::max<int64_t>(1, kPiece / copy.row_bytes);
  ctx.parallel_for(copy.row_count * pieces_per_row, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i / pieces_per_row;
      const int64_t offset = i % pieces_per_row * kPiece;
      std::memcpy(copy.to + row * copy.to_pitch + offset,
                  copy.from + row * copy.from_pitch + offset,
                  static_cast<size_t>(std::min(kPiece, copy.row_bytes - offset)));
    }
  });
}

void copy_strided(const RunContext& ctx, const NdLoop<1>& loop, size_t bytes, const void* from,
                  void* to) {
  with_chunk(bytes, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = static_cast<const T*>(from);
    T* y = static_cast<T*>(to);
    parallel_rows(ctx, loop, 1, [&](int64_t at, const auto& offsets, int64_t n) {
      copy_row(x + offsets[0], loop.inner_stride(0), y + at, n);
    });
  });
}

}  // namespace ortc::cpu
