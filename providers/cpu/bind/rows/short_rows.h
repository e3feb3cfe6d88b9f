// SPDX-License-Identifier: MIT
// Rows of a few bytes, such as one column of a table: copied one move each, and woven together.
#pragma once

#include "providers/cpu/bind/rows/copy_rows.h"

namespace ortc::cpu {

// f(TypeTag<Chunk<bytes>>{}) for rows so short that calling memcpy costs more than they do; false
// for longer ones.
template <typename F>
bool with_short_row(int64_t bytes, F&& f) {
  if (bytes == 12) return f(TypeTag<Chunk<12>>{}), true;
  return with_chunk(static_cast<size_t>(bytes), f);
}

inline bool is_short_row(int64_t bytes) {
  return with_short_row(bytes, [](auto) {});
}

// Any number of bytes, few as a rule: then in two pieces that may overlap. One for all callers.
[[gnu::noinline]] inline void copy_few(std::byte* to, const std::byte* from, size_t bytes) {
  const auto in_two = [=]<size_t kBytes>(TypeTag<Chunk<kBytes>>) {
    std::byte first[kBytes], last[kBytes];
    std::memcpy(first, from, kBytes);
    std::memcpy(last, from + bytes - kBytes, kBytes);
    std::memcpy(to, first, kBytes);
    std::memcpy(to + bytes - kBytes, last, kBytes);
  };
  if (bytes > 32) {
    std::memcpy(to, from, bytes);
  } else if (bytes >= 16) {
    in_two(TypeTag<Chunk<16>>{});
  } else if (bytes >= 8) {
    in_two(TypeTag<Chunk<8>>{});
  } else if (bytes >= 4) {
    in_two(TypeTag<Chunk<4>>{});
  } else if (bytes >= 2) {
    in_two(TypeTag<Chunk<2>>{});
  } else if (bytes == 1) {
    *to = *from;
  }
}

// On this thread.
inline void copy_short_rows(const RowCopy& copy) {
  with_short_row(copy.row_bytes, [&](auto tag) {
    constexpr size_t kBytes = sizeof(typename decltype(tag)::type);
    const std::byte* from = copy.from;
    std::byte* to = copy.to;
    for (int64_t i = 0; i < copy.row_count; ++i, from += copy.from_pitch, to += copy.to_pitch) {
      std::memcpy(to, from, kBytes);
    }
  });
}

// Elements of 32 bits anywhere, whatever they are.
using LooseBits32 [[gnu::aligned(1), gnu::may_alias]] = uint32_t;

// to[i * kColumns + k] = columns[k][i]: compilers have vectors for that.
template <size_t kColumns>
void weave_columns(const std::byte* const* columns, int64_t row_count, std::byte* bytes) {
  const LooseBits32* from[kColumns];
  for (size_t k = 0; k < kColumns; ++k) from[k] = reinterpret_cast<const LooseBits32*>(columns[k]);
  auto* to = reinterpret_cast<LooseBits32*>(bytes);
  ORTC_ELEMENTWISE
  for (int64_t i = 0; i < row_count; ++i) {
    for (size_t k = 0; k < kColumns; ++k) to[static_cast<size_t>(i) * kColumns + k] = from[k][i];
  }
}

}  // namespace ortc::cpu
