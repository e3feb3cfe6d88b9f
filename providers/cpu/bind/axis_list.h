// SPDX-License-Identifier: MIT
// A record of axes as an attribute gives them (negative ones included), and its check against a
// rank. Part of the params records of kernels whose axes are attributes in older opsets.
#pragma once

#include <bitset>

#include "providers/cpu/bind/bind_checks.h"

namespace ortc::cpu {

struct AxisListParams {
  uint32_t record_bytes;
  uint32_t axis_count;
  uint32_t has_axes;  // 0: the attribute was left out
  uint32_t flags;     // of the kernel that has the record
  int8_t axes[kMaxRank];
};
static_assert(sizeof(AxisListParams) == 80);

using AxisSet = std::bitset<kMaxRank>;

// Fills the record from an attribute of integers; INVALID_GRAPH when it cannot be a list of axes.
Status axes_from_attribute(const Node& node, std::string_view name, AxisListParams* params);

// The axes counted from 0. INVALID_ARGUMENT for one outside the rank, or given twice.
Result<AxisSet> checked_axes(std::span<const int64_t> axes, size_t rank);
// The same of a record, whose count is checked too.
Result<AxisSet> checked_axes(const AxisListParams& params, size_t rank);

}  // namespace ortc::cpu
