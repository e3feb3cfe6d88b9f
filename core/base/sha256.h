// SPDX-License-Identifier: MIT
// SHA-256 (FIPS 180-4): names of content that others compute too. Inside the library hash.h is the
// faster choice.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/base/bytes.h"

namespace ortc {

class Sha256 {
 public:
  Sha256& add(Bytes bytes);
  // 64 lower-case digits. Once, as the last call.
  std::string finish();

 private:
  void compress(const std::byte* block);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> rest_ = {};
  uint64_t byte_count_ = 0;
};

std::string sha256_hex(Bytes bytes);

}  // namespace ortc
