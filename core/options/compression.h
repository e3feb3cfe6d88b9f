// SPDX-License-Identifier: MIT
// How bytes of a file are stored: as they are, to be mapped, or compressed.
#pragma once

#include <cstdint>

namespace ortc {

struct Compression {
  enum class Codec : uint8_t { kNone, kZstd };
  Codec codec = Codec::kNone;
  int level = 0;  // of zstd: 1 to 19

  // The level of zstd; 0 when nothing is compressed.
  int zstd_level() const { return codec == Codec::kZstd ? level : 0; }
};

inline constexpr int kZstdLevelMax = 19;
inline constexpr int kZstdLevelDefault = 3;

}  // namespace ortc
