// SPDX-License-Identifier: MIT
// Sliding windows: see the header.
#include "core/ops/windows.h"

#include "core/graph/one_of.h"
#include "core/graph/symbol/symbol.h"

namespace ortc {
namespace {

Result<std::vector<int64_t>> counted(const InferContext& ctx, std::string_view name, size_t count,
                                     int64_t otherwise, int64_t least) {
  auto values = ctx.node().ints_attribute(name);
  if (values.empty()) return std::vector<int64_t>(count, otherwise);
  if (values.size() != count) {
    return invalid_graph("attribute '", name, "' has ", values.size(), " numbers, expected ",
                         count);
  }
  for (int64_t value : values) {
    if (value < least) {
      return invalid_graph("attribute '", name, "' holds ", value, ", expected ", least,
                           " or more");
    }
  }
  return values;
}

// What kernels can have as extents; sums of two fit by far.
Status check_pads(std::span<const int64_t> pads) {
  for (int64_t pad : pads) {
    if (pad < -INT32_MAX || pad > INT32_MAX) {
      return invalid_graph("attribute 'pads' holds ", pad, ", expected ", -INT32_MAX, " to ",
                           INT32_MAX);
    }
  }
  return Status::ok();
}

// The same whenever the same windows go over an axis of the same size, and for others that come out
// alike: (size + room) / stride + 1.
Dim count_over(const Dim& size, int64_t room, int64_t stride) {
  return Dim::named(
      derived_symbol(str_cat("windows ", room, " ", stride), true_symbol(size.symbol)));
}

}  // namespace

Result<Windows> read_windows(const InferContext& ctx, size_t rank, std::span<const Dim> kernel) {
  ASSIGN_OR_RETURN(auto sizes, counted(ctx, "kernel_shape", rank, -1, 1));
  ASSIGN_OR_RETURN(auto strides, counted(ctx, "strides", rank, 1, 1));
  ASSIGN_OR_RETURN(auto dilations, counted(ctx, "dilations", rank, 1, 1));
  ASSIGN_OR_RETURN(auto pads, counted(ctx, "pads", 2 * rank, 0, INT64_MIN));
  ASSIGN_OR_RETURN(const uint32_t auto_pad,
                   one_of(ctx.node(), "auto_pad", "NOTSET",
                          {"SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET", ""}));
  const bool same = auto_pad < 2, valid = auto_pad == 2;
  if (!same && !valid) RETURN_IF_ERROR(check_pads(pads));
  Windows windows(rank);
  for (size_t i = 0; i < rank; ++i) {
    Window& window = windows[i];
    window.kernel = sizes[i] > 0 ? Dim::known(sizes[i]) : Dim::unknown();
    if (i < kernel.size()) {
      auto merged = equal_dims(window.kernel, kernel[i]);
      if (!merged.is_ok()) {
        return invalid_graph("attribute 'kernel_shape' says ", sizes[i], ", the weight has ",
                             kernel[i].value);
      }
      window.kernel = *merged;
    }
    window.stride = strides[i];
    window.dilation = dilations[i];
    window.same = same;
    // With VALID too, as ONNX's inference and ONNX Runtime have it; the operator's page has not.
    window.ceil = ctx.node().int_attribute("ceil_mode", 0) != 0;
    if (same || valid) continue;
    window.pad_begin = pads[i];
    window.pad_end = pads[rank + i];
  }
  return windows;
}

std::optional<int64_t> window_reach(const Window& window) {
  auto reach = checked_mul(window.dilation, window.kernel.value - 1);
  return reach ? checked_add(*reach, int64_t{1}) : std::nullopt;
}

Result<Dim> window_count(const Window& window, const Dim& size) {
  if (window.same) {
    if (window.stride == 1) return plain_dim(size);
    if (!size.is_known()) return count_over(size, -1, window.stride);
    return Dim::known(size.value / window.stride + (size.value % window.stride != 0 ? 1 : 0));
  }
  if (!window.kernel.is_known()) return Dim::unknown();
  auto reach = window_reach(window);
  if (!reach) return invalid_graph("the window's size overflows");
  const int64_t pads = window.pads();
  if (!size.is_known()) {
    // A window of stride 1 whose padding makes up for its reach keeps the size.
    if (window.stride == 1 && pads == *reach - 1) return plain_dim(size);
    const auto room = checked_add(pads, -*reach);
    return window.ceil || !room ? Dim::unknown() : count_over(size, *room, window.stride);
  }
  auto padded = checked_add(size.value, pads);
  auto rest = padded ? checked_add(*padded, -*reach) : std::nullopt;
  if (!rest) {
    return invalid_graph("a window of ", *reach, " over ", size.value, " elements and pads of ",
                         window.pad_begin, " and ", window.pad_end, " overflows");
  }
  const int64_t room = *rest;
  if (room < 0) {
    if (window.ceil && room > -window.stride) return Dim::known(1);
    // One to two strides too large: no place, whichever way the number is rounded.
    if (room <= -window.stride && room / 2 > -window.stride) return Dim::known(0);
    return invalid_graph("a window of ", *reach, " does not fit ", *padded, " elements");
  }
  int64_t count = room / window.stride + 1;
  if (window.ceil && room % window.stride != 0) {
    // The last window must begin inside the data or its front padding.
    auto begin = checked_mul(count, window.stride);
    auto end = checked_add(size.value, window.pad_begin);
    if (begin && (!end || *begin < *end)) ++count;
  }
  return Dim::known(count);
}

}  // namespace ortc
