// SPDX-License-Identifier: MIT
// Names of layouts: see the header.
#include "providers/cpu/layouts.h"

#include <iterator>

namespace ortc::cpu {

std::string_view layout_name(Layout layout) {
  constexpr std::string_view kNames[] = {"row_major",
                                         "panels32.f32",
                                         "conv_panels32.f32",
                                         "depthwise.f32",
                                         "panels32.i8",
                                         "conv_panels32.i8",
                                         "depthwise.i8",
                                         "panels16.i4",
                                         "panel_columns32",
                                         "transposed_panels32.f32",
                                         "panels32.half",
                                         "conv_panels32.half",
                                         "panels32.scaled_i8",
                                         "panels16.i8",
                                         "panels16.i4_half",
                                         "panels16.i8_half",
                                         "transposed_panels32.half",
                                         "recurrent_panels32.f32",
                                         "recurrent_panels32.half",
                                         "winograd_panels32.f32",
                                         "conv_dots.f32",
                                         "recurrent_panels32.i8"};
  const auto number = static_cast<uint32_t>(layout);
  return number < std::size(kNames) ? kNames[number] : std::string_view();
}

}  // namespace ortc::cpu
