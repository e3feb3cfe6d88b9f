// SPDX-License-Identifier: MIT
// What pictures are put together from: elements of SVG with their size, and the look of all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/ortc/picture/markup.h"

namespace ortc::tool {

// Elements from (0, 0) on.
struct Drawing {
  std::string body;
  double width = 0, height = 0;
};

// `classes` are those of picture_style(). Text grows to the right of x, or both ways.
std::string svg_text(double x, double y, std::string_view text, std::string_view classes);
// `inside` is already escaped: a title, or nothing.
std::string svg_rect(double x, double y, double width, double height, std::string_view classes,
                     const std::string& inside = {}, double radius = 0);

// What `text` takes, about, in the size of a class: 12 pixels, or 11 where it is small.
double text_width(std::string_view text, bool is_small = false);

// One drawing above the other, left-aligned.
Drawing stacked(const std::vector<Drawing>& drawings, double gap);

// An <svg> that holds the drawing with a margin. A `style` makes it stand by itself.
std::string svg_element(const Drawing& drawing, std::string_view label,
                        const std::string& style = {});

// Colours in variables, light and dark, and the classes of everything that is drawn.
std::string picture_style();

}  // namespace ortc::tool
