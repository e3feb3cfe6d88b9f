// SPDX-License-Identifier: MIT
// Shapes of transposed convolutions: see the header.
#include "providers/cpu/windows/transposed_shape.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/rewrite/facts.h"
#include "providers/cpu/bind/dim_list.h"

namespace ortc::cpu {
namespace {

// Output extent and padding of one axis. All numbers are below 2^31 here.
Status place_axis(const ConvTransposeParams& params, size_t i, WindowAxis& axis) {
  const bool is_given = params.windows.rank != 0;
  const int64_t extra = is_given ? params.output_padding[i] : 0;
  const int64_t wanted = is_given && params.has_output_shape != 0 ? params.output_shape[i] : 0;
  const bool upper = params.windows.auto_pad == kSameUpper;
  if (extra < 0 || extra > INT32_MAX || wanted < 0 || wanted > INT32_MAX ||
      (params.has_output_shape != 0 && wanted == 0)) {
    return invalid_graph("output_padding ", extra, " or output_shape ", wanted, " is impossible");
  }
  const int64_t full = axis.stride * (axis.in - 1) + extra + window_reach(axis);
  if (full > INT32_MAX) return not_implemented("an output of ", full, " elements along one axis");
  if (params.has_output_shape != 0 || params.windows.auto_pad != kExplicitPads) {
    axis.out = params.has_output_shape != 0 ? wanted : axis.in * axis.stride;
    share_same_padding(axis, std::max<int64_t>(0, full - axis.out), upper);
  } else {
    axis.out = full - axis.pad_begin - axis.pad_end;
  }
  if (axis.out >= 0) return Status::ok();
  return invalid_argument("a transposed convolution would give ", axis.out, " elements");
}

// The record without what only a forward convolution looks at: the kernel need not fit the input.
WindowParams without_padding(WindowParams params) {
  params.auto_pad = kSameUpper;
  params.ceil_mode = 0;
  return params;
}

// Some exporters give the batch and channel sizes too, which are not looked at.
std::vector<int64_t> spatial_output_shape(const Node& node, size_t rank) {
  auto shape = node.ints_attribute("output_shape");
  if (const auto image = rank_of(*node.graph(), node.input(0)); image && *image > 2) {
    rank = *image - 2;
  }
  if (rank != 0 && shape.size() == rank + 2) shape.erase(shape.begin(), shape.begin() + 2);
  return shape;
}

}  // namespace

Result<ConvTransposeParams> transposed_from_attributes(const Node& node) {
  ConvTransposeParams params{};
  params.groups = node.int_attribute("group", 1);
  ASSIGN_OR_RETURN(params.windows, windows_from_attributes(node));
  const auto padding = node.ints_attribute("output_padding");
  const auto shape = spatial_output_shape(node, params.windows.rank);
  if (padding.size() > kSpatialMax || shape.size() > kSpatialMax) {
    return not_implemented("output_padding or output_shape for more than ", kSpatialMax, " axes");
  }
  const size_t rank = std::max(padding.size(), shape.size());
  if (rank != 0 && params.windows.rank == 0) {
    // Everything else is a default.
    params.windows.rank = static_cast<uint32_t>(rank);
    std::fill_n(params.windows.stride, rank, 1);
    std::fill_n(params.windows.dilation, rank, 1);
  }
  if ((!padding.empty() && padding.size() != params.windows.rank) ||
      (!shape.empty() && shape.size() != params.windows.rank)) {
    return invalid_graph("output_padding or output_shape is not for ", params.windows.rank,
                         " axes");
  }
  std::copy(padding.begin(), padding.end(), params.output_padding);
  std::copy(shape.begin(), shape.end(), params.output_shape);
  params.has_output_shape = shape.empty() ? 0 : 1;
  return params;
}

Result<Windows> place_transposed(const ConvTransposeParams& params, std::span<const int64_t> image,
                                 std::span<const int64_t> kernel) {
  if (params.windows.auto_pad > kSameLower) return invalid_graph("its record has a bad auto_pad");
  if (checked_element_count(image) == 0) {
    return not_implemented("a transposed convolution of an image without pixels");
  }
  ASSIGN_OR_RETURN(Windows windows, place_windows(without_padding(params.windows), image, kernel));
  DimList out;
  for (size_t i = 0; i < windows.rank; ++i) {
    WindowAxis& axis = windows.axis[kSpatialMax - windows.rank + i];
    axis.pad_begin = params.windows.rank != 0 ? params.windows.pad_begin[i] : 0;
    axis.pad_end = params.windows.rank != 0 ? params.windows.pad_end[i] : 0;
    RETURN_IF_ERROR(place_axis(params, i, axis));
    out.push_back(axis.out);
  }
  if (!checked_element_count(out)) return invalid_argument("the output's size overflows");
  return windows;
}

}  // namespace ortc::cpu
