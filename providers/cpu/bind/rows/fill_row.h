// SPDX-License-Identifier: MIT
// Rows of one value, for kernels that know elements by their size only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace ortc::cpu {

// to[i] = value for i < n. T is a Chunk (element.h) or a number.
template <typename T>
void fill_row(T* to, const T& value, int64_t n) {
  constexpr size_t kSize = sizeof(T);
  constexpr int64_t kSeed = 16;  // elements written one by one
  constexpr size_t kPiece = 64;  // bytes, a line of the cache
  static_assert(kPiece % kSize == 0);
  const int64_t seed = std::min(n, kSeed);
  for (int64_t i = 0; i < seed; ++i) to[i] = value;
  if (n <= kSeed) return;
  auto* bytes = reinterpret_cast<std::byte*>(to);
  const size_t size = static_cast<size_t>(n) * kSize;
  if (std::memcmp(bytes, bytes + 1, kSize * kSeed - 1) == 0) {
    std::memset(bytes, static_cast<int>(bytes[0]), size);
    return;
  }
  // What is there is stored again and again, out of registers.
  std::byte piece[kPiece];
  for (size_t at = 0; at < kPiece; at += sizeof(T)) std::memcpy(piece + at, bytes, sizeof(T));
  size_t done = 0;
  for (; done + kPiece <= size; done += kPiece) std::memcpy(bytes + done, piece, kPiece);
  if (done < size) std::memcpy(bytes + done, piece, size - done);
}

}  // namespace ortc::cpu
