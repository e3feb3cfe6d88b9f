// SPDX-License-Identifier: MIT
// Sliding windows: see the header.
#include "providers/cpu/windows/window.h"

#include <algorithm>

#include "core/graph/one_of.h"

namespace ortc::cpu {
namespace {

constexpr int64_t kExtentMax = INT32_MAX;

// The attribute's numbers, or `otherwise` for each; the number of axes must agree with the others.
Status take_numbers(const Node& node, std::string_view name, size_t per_axis, int64_t least,
                    uint32_t* rank, std::vector<int64_t>* values) {
  *values = node.ints_attribute(name);
  if (values->empty()) return Status::ok();
  const size_t axes = values->size() / per_axis;
  if (values->size() % per_axis != 0 || (*rank != 0 && axes != *rank)) {
    return invalid_graph("attribute '", name, "' has ", values->size(), " numbers for ", *rank,
                         " axes");
  }
  if (axes > kSpatialMax) {
    return not_implemented("windows over ", axes, " axes, at most ", kSpatialMax,
                           " can be handled");
  }
  *rank = static_cast<uint32_t>(axes);
  for (const int64_t value : *values) {
    if (value < 0 && least == 0) return not_implemented("attribute '", name, "' holds ", value);
    if (value < least || value > kExtentMax) {
      return invalid_graph("attribute '", name, "' holds ", value, ", expected ", least, " to ",
                           kExtentMax);
    }
  }
  return Status::ok();
}

Result<AutoPad> read_auto_pad(const Node& node, bool* is_valid) {
  constexpr AutoPad kForms[] = {kExplicitPads, kSameUpper, kSameLower, kExplicitPads,
                                kExplicitPads};
  ASSIGN_OR_RETURN(
      const uint32_t form,
      one_of(node, "auto_pad", "NOTSET", {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID", ""}));
  *is_valid = form == 3;
  return kForms[form];
}

bool is_extent(int64_t value, int64_t least) { return value >= least && value <= kExtentMax; }

// Fills in how often the window fits, and the padding that auto_pad asks for.
Status place_axis(const WindowParams& params, WindowAxis& axis) {
  if (!is_extent(axis.in, 0) || !is_extent(axis.kernel, 1) || !is_extent(axis.stride, 1) ||
      !is_extent(axis.dilation, 1) || !is_extent(axis.pad_begin, 0) ||
      !is_extent(axis.pad_end, 0)) {
    return invalid_graph("windows of impossible size: kernel ", axis.kernel, ", stride ",
                         axis.stride, ", dilation ", axis.dilation, ", padding ", axis.pad_begin,
                         " and ", axis.pad_end, " over ", axis.in);
  }
  const int64_t reach = window_reach(axis);
  if (params.auto_pad != kExplicitPads) {
    axis.out = (axis.in + axis.stride - 1) / axis.stride;
    const int64_t total = std::max<int64_t>(0, (axis.out - 1) * axis.stride + reach - axis.in);
    share_same_padding(axis, total, params.auto_pad == kSameUpper);
  } else {
    const int64_t room = axis.in + axis.pad_begin + axis.pad_end - reach;
    const bool hangs_over = params.ceil_mode != 0;
    // Windows between one and two strides too large give nothing, whether the number of places is
    // rounded down or towards 0. For others the two differ, or are negative.
    const bool is_too_large = room < 0 && !(hangs_over && room > -axis.stride);
    if (is_too_large && (room > -axis.stride || room <= -2 * axis.stride)) {
      return invalid_argument("a window of ", reach, " does not fit ", room + reach, " elements");
    }
    axis.out = is_too_large ? 0 : room < 0 ? 1 : room / axis.stride + 1;
    // A window may hang over the end, but must begin inside the image or its padding in front.
    if (hangs_over && room > 0 && room % axis.stride != 0 &&
        axis.out * axis.stride < axis.in + axis.pad_begin) {
      ++axis.out;
    }
  }
  if (axis.in == 0 && axis.out > 0) {
    return not_implemented("windows over nothing but padding");
  }
  const int64_t padded = axis.in + axis.pad_begin + axis.pad_end;
  if (!is_extent(std::max(padded, reach), 1)) {
    return not_implemented("a padded image of ", padded, " elements along one axis");
  }
  return Status::ok();
}

Status check_products(const Windows& windows) {
  const auto triple = [&](int64_t WindowAxis::*extent) {
    const int64_t dims[] = {windows.axis[0].*extent, windows.axis[1].*extent,
                            windows.axis[2].*extent};
    return checked_element_count(dims);
  };
  if (triple(&WindowAxis::in) && triple(&WindowAxis::out) && triple(&WindowAxis::kernel)) {
    return Status::ok();
  }
  return invalid_graph("windows whose number overflows");
}

}  // namespace

Result<WindowParams> windows_from_attributes(const Node& node) {
  WindowParams params{};
  bool is_valid = false;
  ASSIGN_OR_RETURN(params.auto_pad, read_auto_pad(node, &is_valid));
  params.ceil_mode = node.int_attribute("ceil_mode", 0) != 0 ? 1 : 0;
  std::vector<int64_t> kernel, stride, dilation, pads;
  RETURN_IF_ERROR(take_numbers(node, "kernel_shape", 1, 1, &params.rank, &kernel));
  RETURN_IF_ERROR(take_numbers(node, "strides", 1, 1, &params.rank, &stride));
  RETURN_IF_ERROR(take_numbers(node, "dilations", 1, 1, &params.rank, &dilation));
  if (params.auto_pad == kExplicitPads && !is_valid) {
    RETURN_IF_ERROR(take_numbers(node, "pads", 2, 0, &params.rank, &pads));
  }
  for (size_t i = 0; i < params.rank; ++i) {
    params.kernel[i] = kernel.empty() ? 0 : kernel[i];
    params.stride[i] = stride.empty() ? 1 : stride[i];
    params.dilation[i] = dilation.empty() ? 1 : dilation[i];
    params.pad_begin[i] = pads.empty() ? 0 : pads[i];
    params.pad_end[i] = pads.empty() ? 0 : pads[params.rank + i];
  }
  return params;
}

void share_same_padding(WindowAxis& axis, int64_t total, bool upper) {
  axis.pad_begin = upper ? total / 2 : total - total / 2;
  axis.pad_end = total - axis.pad_begin;
}

Result<Windows> place_windows(const WindowParams& params, std::span<const int64_t> image,
                              std::span<const int64_t> kernel) {
  Windows windows;
  windows.rank = image.size();
  if (image.empty() || image.size() > kSpatialMax) {
    return not_implemented("windows over ", image.size(), " axes, 1 to ", kSpatialMax,
                           " can be handled");
  }
  if ((params.rank != 0 && params.rank != image.size()) || params.auto_pad > kSameLower) {
    return invalid_argument("the attributes are for ", params.rank, " spatial axes, the data has ",
                            image.size());
  }
  for (size_t i = 0; i < image.size(); ++i) {
    WindowAxis& axis = windows.axis[kSpatialMax - image.size() + i];
    axis.in = image[i];
    if (params.rank != 0) {
      axis.kernel = params.kernel[i];
      axis.stride = params.stride[i];
      axis.dilation = params.dilation[i];
      axis.pad_begin = params.pad_begin[i];
      axis.pad_end = params.pad_end[i];
    }
    if (i < kernel.size()) {
      if (params.rank != 0 && axis.kernel != 0 && axis.kernel != kernel[i]) {
        return invalid_argument("kernel_shape says ", axis.kernel, ", the weights have ",
                                kernel[i]);
      }
      axis.kernel = kernel[i];
    }
    RETURN_IF_ERROR(place_axis(params, axis));
  }
  RETURN_IF_ERROR(check_products(windows));
  return windows;
}

}  // namespace ortc::cpu
