// SPDX-License-Identifier: MIT
// Packing of MatMulNBits' weights: see the header.
#include "providers/cpu/kernels/products/nbits_weights.h"

#include <algorithm>

#include "providers/cpu/elements/element.h"
#include "providers/cpu/products/nbits_product.h"

namespace ortc::cpu {
namespace {

// Numbers of 2, 4 or 8 bits, low bits first.
uint8_t number_at(const uint8_t* from, size_t i, uint32_t bits) {
  const size_t at = i * bits;
  return static_cast<uint8_t>(from[at / 8] >> at % 8 & ((1u << bits) - 1));
}

void put_number(uint8_t* to, size_t i, uint32_t bits, uint32_t number) {
  const size_t at = i * bits;
  to[at / 8] = static_cast<uint8_t>(to[at / 8] | number << at % 8);
}

bool is_by_blocks(const NBitsSource& source) {
  for (size_t k = 0; k < source.groups.size() && k < source.k; ++k) {
    if (source.groups[k] != static_cast<int32_t>(k / source.block)) return false;
  }
  return true;
}

// The rows of each group in blocks of their own: what is left of a group's last block is empty.
struct Grouping {
  std::vector<int32_t> order;
  std::vector<size_t> group_of;  // of each block
};

Result<Grouping> group_rows(const NBitsSource& source) {
  const size_t blocks = source.blocks();
  std::vector<std::vector<int32_t>> members(blocks);
  for (size_t k = 0; k < source.k; ++k) {
    const int32_t group = source.groups[k];
    if (group < 0 || static_cast<size_t>(group) >= blocks) {
      return invalid_graph("g_idx[", k, "] is ", group, ", expected 0 to ", blocks - 1);
    }
    members[static_cast<size_t>(group)].push_back(static_cast<int32_t>(k));
  }
  Grouping grouping;
  for (size_t g = 0; g < blocks; ++g) {
    const size_t own = (members[g].size() + source.block - 1) / source.block;
    grouping.order.insert(grouping.order.end(), members[g].begin(), members[g].end());
    grouping.group_of.insert(grouping.group_of.end(), own, g);
    grouping.order.resize(grouping.group_of.size() * source.block, -1);
  }
  return grouping;
}

// The source in the order of its groups.
NBitsSource rearranged(const NBitsSource& source, const Grouping& grouping,
                       std::vector<uint8_t>& codes) {
  NBitsSource to;
  to.k = grouping.order.size();
  to.n = source.n;
  to.block = source.block;
  to.bits = source.bits;
  const size_t from_bytes = source.blocks() * source.block * source.bits / 8;
  const size_t to_bytes = to.k * to.bits / 8;
  codes.assign(to.n * to_bytes, 0);
  for (size_t n = 0; n < to.n; ++n) {
    for (size_t i = 0; i < to.k; ++i) {
      if (grouping.order[i] < 0) continue;
      const auto k = static_cast<size_t>(grouping.order[i]);
      put_number(&codes[n * to_bytes], i, to.bits,
                 number_at(source.q + n * from_bytes, k, source.bits));
    }
    for (const size_t group : grouping.group_of) {
      const size_t at = n * source.blocks() + group;
      to.scale.push_back(source.scale[at]);
      if (!source.zero.empty()) to.zero.push_back(source.zero[at]);
    }
  }
  to.q = codes.data();
  return to;
}

// 2 bits as 4: the middle is 8 instead of 2, so zeros less the middle stay.
std::vector<uint8_t> widened_codes(const NBitsSource& source) {
  const size_t count = source.n * source.blocks() * source.block;
  std::vector<uint8_t> wide(count / 2);
  for (size_t i = 0; i < count; ++i) put_number(wide.data(), i, 4, number_at(source.q, i, 2) + 6u);
  return wide;
}

}  // namespace

Result<std::vector<float>> nbits_floats(const Tensor& tensor) {
  std::vector<float> floats(static_cast<size_t>(tensor.element_count()));
  const bool known = with_type(TypeList<float, Float16, Bfloat16>{}, tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto* from = static_cast<const T*>(tensor.data());
    std::copy_n(from, floats.size(), floats.begin());
  });
  if (!known) return not_implemented("scales or zero points of type ", dtype_name(tensor.dtype()));
  return floats;
}

Result<std::vector<float>> nbits_zeros(const Tensor& zero, size_t n, size_t blocks, uint32_t bits) {
  const auto middle = static_cast<float>(1 << (bits - 1));
  std::vector<float> floats(n * blocks);
  if (zero.dtype() == DType::kUint8) {
    const size_t row = (blocks * bits + 7) / 8;
    const auto from = zero.elements<uint8_t>();
    for (size_t i = 0; i < floats.size(); ++i) {
      floats[i] = number_at(&from[i / blocks * row], i % blocks, bits) - middle;
    }
    return floats;
  }
  ASSIGN_OR_RETURN(floats, nbits_floats(zero));
  for (float& z : floats) z -= middle;
  return floats;
}

Result<NBitsWeights> pack_nbits(const NBitsSource& given) {
  NBitsSource source = given;
  NBitsWeights weights;
  std::vector<uint8_t> codes, wide;
  if (!is_by_blocks(source)) {
    ASSIGN_OR_RETURN(Grouping grouping, group_rows(source));
    source = rearranged(given, grouping, codes);
    weights.order = std::move(grouping.order);
  }
  if (source.bits == 2) {
    wide = widened_codes(source);
    source.q = wide.data();
    source.bits = 4;
  }
  const bool has_zero = std::ranges::any_of(source.zero, [](float z) { return z != 0.0f; });
  const bool has_half = nbits_fit_half(source.scale.data(), source.scale.size()) &&
                        (!has_zero || nbits_fit_half(source.zero.data(), source.zero.size()));
  weights.shape = {source.k, source.n, source.block, has_zero, source.bits, has_half};
  const auto size = nbits_packed_bytes(weights.shape);
  if (!size) return invalid_graph("the weights are too large");
  ASSIGN_OR_RETURN(weights.packed, Tensor::create(DType::kUint8, {*size}));
  nbits_pack(weights.shape, source.q, source.scale.data(), has_zero ? source.zero.data() : nullptr,
             static_cast<std::byte*>(weights.packed.mutable_data()));
  return weights;
}

}  // namespace ortc::cpu
