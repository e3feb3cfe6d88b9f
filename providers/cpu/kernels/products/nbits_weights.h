// SPDX-License-Identifier: MIT
// The constant weights of com.microsoft.MatMulNBits as what arith/nbits/nbits.h packs: 2 bits
// become 4, and where g_idx names the group of each row of B, rows are brought together by their
// groups.
#pragma once

#include <vector>

#include "core/kernel/kernel_contexts.h"
#include "providers/cpu/arith/nbits/nbits.h"

namespace ortc::cpu {

// As the node has them: q [n][blocks][block bits / 8], low bits first.
struct NBitsSource {
  size_t k = 0, n = 0, block = 0;
  uint32_t bits = 4;
  const uint8_t* q = nullptr;
  std::vector<float> scale;         // [n][blocks]
  std::vector<float> zero;          // the same, less the middle of the bits; empty: 0
  std::span<const int32_t> groups;  // of each row; empty: by blocks

  size_t blocks() const { return (k + block - 1) / block; }
};

struct NBitsWeights {
  NBitsShape shape;  // of the packed form; its k counts the rows of `order`
  Tensor packed;     // uint8
  // Which row of B each row of the packed form is, -1 for those between groups; empty: the same.
  std::vector<int32_t> order;
};

// Scales of any float type.
Result<std::vector<float>> nbits_floats(const Tensor& tensor);

// Zero points of uint8, 8 / bits to a byte, each column on its own; or floats. Less the middle.
Result<std::vector<float>> nbits_zeros(const Tensor& zero, size_t n, size_t blocks, uint32_t bits);

Result<NBitsWeights> pack_nbits(const NBitsSource& source);

}  // namespace ortc::cpu
