// SPDX-License-Identifier: MIT
// Lists of axes: see the header.
#include "providers/cpu/bind/axis_list.h"

namespace ortc::cpu {

Status axes_from_attribute(const Node& node, std::string_view name, AxisListParams* params) {
  const Attribute* attribute = node.attribute(name);
  params->record_bytes = sizeof(AxisListParams);
  params->has_axes = attribute != nullptr ? 1 : 0;
  params->axis_count = 0;
  if (attribute == nullptr) return Status::ok();
  if (attribute->kind != AttributeKind::kInts || attribute->ints.size() > kMaxRank) {
    return invalid_graph("attribute '", name, "' is not a list of at most ", kMaxRank, " axes");
  }
  for (const int64_t axis : attribute->ints) {
    if (axis < -static_cast<int64_t>(kMaxRank) || axis >= static_cast<int64_t>(kMaxRank)) {
      return invalid_graph("attribute '", name, "' holds ", axis, ", which is not an axis");
    }
    params->axes[params->axis_count++] = static_cast<int8_t>(axis);
  }
  return Status::ok();
}

Result<AxisSet> checked_axes(std::span<const int64_t> axes, size_t rank) {
  AxisSet set;
  for (const int64_t axis : axes) {
    ASSIGN_OR_RETURN(const size_t at, checked_axis(axis, rank));
    if (set[at]) return invalid_argument("axis ", axis, " is given twice");
    set.set(at);
  }
  return set;
}

Result<AxisSet> checked_axes(const AxisListParams& params, size_t rank) {
  if (params.axis_count > kMaxRank) {
    return invalid_graph("its params record holds ", params.axis_count, " axes");
  }
  DimList axes;
  for (uint32_t i = 0; i < params.axis_count; ++i) axes.push_back(params.axes[i]);
  return checked_axes(axes, rank);
}

}  // namespace ortc::cpu
