// SPDX-License-Identifier: MIT
#include "providers/cpu/windows/join_groups.h"

#include <algorithm>
#include <cstring>

namespace ortc::cpu {
namespace {

constexpr int64_t kColumns = 32;  // of a panel
// Channels of a group that are read together as fast alone.
constexpr int64_t kManyChannels = 16;

}  // namespace

int64_t groups_to_join(const ConvWeightsParams& p) {
  const int64_t in = p.in_c / p.groups, out = p.out_c / p.groups;
  if (in >= kManyChannels) return 1;
  int64_t joined = std::min(p.groups, std::max<int64_t>(1, kColumns / out));
  while (p.groups % joined != 0) --joined;
  return joined;
}

Result<Tensor> join_groups(const Tensor& weights, const ConvWeightsParams& p, int64_t joined,
                           std::span<const uint8_t> nothing) {
  Dims dims = weights.dims();
  const int64_t in = dims[1], out = p.out_c / p.groups;
  const auto each = static_cast<size_t>(weights.element_count() / p.out_c);
  const auto wide = checked_mul(in, joined);
  if (!wide) return invalid_graph("weights of shape ", dims_to_string(dims), " are too large");
  dims[1] = *wide;
  ASSIGN_OR_RETURN(Tensor result, Tensor::create(weights.dtype(), dims));
  const auto* from = static_cast<const uint8_t*>(weights.data());
  auto* to = static_cast<uint8_t*>(result.mutable_data());
  const size_t row = each * static_cast<size_t>(joined);
  for (int64_t i = 0; i < p.out_c; ++i, from += each, to += row) {
    std::memset(to, nothing[nothing.size() == 1 ? 0 : static_cast<size_t>(i)], row);
    std::memcpy(to + static_cast<size_t>(i / out % joined) * each, from, each);
  }
  return result;
}

}  // namespace ortc::cpu
