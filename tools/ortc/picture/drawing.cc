// SPDX-License-Identifier: MIT
// Widths of texts are estimates: which font a browser has is not known here.

#include "tools/ortc/picture/drawing.h"

#include <algorithm>

namespace ortc::tool {
namespace {

constexpr double kMargin = 16;

constexpr const char* kDrawingStyle = R"(
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1f2733; --faint: #667080;
  --line: #aab3c0; --box: #f4f6f9; --edge: #c9d0da; --left: #fdf3e7; --left-edge: #d08a33;
  --c0: #dcebfb; --c0-edge: #3f7fc4; --c1: #dff3e4; --c1-edge: #3d9159; --c2: #efe4fa;
  --c2-edge: #8658c0; --c3: #fbe3e8; --c3-edge: #c4506c; --c4: #dcf3f4; --c4-edge: #2f8d95;
  --u1: #9fb8d6; --u2: #2f9d8f; --u3: #1f7a4d; --u4: #0f5132; }
@media (prefers-color-scheme: dark) { :root { --paper: #14181f; --ink: #e4e8ee; --faint: #98a2b1;
  --line: #566172; --box: #1f2630; --edge: #414b5a; --left: #33291b; --left-edge: #d49a4d;
  --c0: #1b3350; --c0-edge: #6aa6e6; --c1: #1b3a27; --c1-edge: #63bb81; --c2: #322448;
  --c2-edge: #ab83df; --c3: #43212b; --c3-edge: #e27f97; --c4: #173a3d; --c4-edge: #56b9c1;
  --u1: #4a6a92; --u2: #34b3a2; --u3: #6bdc9f; --u4: #c2f5d6; } }
.picture { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
.picture text { fill: var(--ink); } .picture .mid { text-anchor: middle; }
.picture .end { text-anchor: end; } .picture .faint { fill: var(--faint); }
.picture .small { font-size: 11px; } .picture .bold { font-weight: 600; }
.picture .head { font-size: 15px; font-weight: 600; }
.picture path { fill: none; stroke: var(--line); }
.picture rect { stroke-width: 1; } .picture .paper { fill: var(--paper); }
.picture .node { fill: var(--box); stroke: var(--edge); }
.picture .io { fill: var(--paper); stroke: var(--line); }
.picture .part { fill: var(--box); stroke: var(--line); stroke-width: 2; }
.picture .left { fill: var(--left); stroke: var(--left-edge); stroke-dasharray: 4 3; }
.picture .c0 { fill: var(--c0); stroke: var(--c0-edge); stroke-width: 1.5; }
.picture .c1 { fill: var(--c1); stroke: var(--c1-edge); stroke-width: 1.5; }
.picture .c2 { fill: var(--c2); stroke: var(--c2-edge); stroke-width: 1.5; }
.picture .c3 { fill: var(--c3); stroke: var(--c3-edge); stroke-width: 1.5; }
.picture .c4 { fill: var(--c4); stroke: var(--c4-edge); stroke-width: 1.5; }
.picture .u0 { fill: var(--paper); stroke: none; } .picture .u1 { fill: var(--u1); }
.picture .u2 { fill: var(--u2); } .picture .u3 { fill: var(--u3); }
.picture .u4 { fill: var(--u4); } .picture .frame { fill: none; stroke: var(--line); }
.picture a rect { cursor: pointer; } .picture a:hover rect, .picture a:focus rect {
  stroke: var(--ink); }
)";

}  // namespace

std::string svg_text(double x, double y, std::string_view text, std::string_view classes) {
  std::string out = "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\"";
  if (!classes.empty()) out += attribute("class", classes);
  return out + ">" + escaped(text) + "</text>\n";
}

std::string svg_rect(double x, double y, double width, double height, std::string_view classes,
                     const std::string& inside, double radius) {
  std::string out = "<rect x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" width=\"" +
                    coordinate(width) + "\" height=\"" + coordinate(height) + "\"" +
                    attribute("class", classes);
  if (radius > 0) out += " rx=\"" + coordinate(radius) + "\"";
  return out + (inside.empty() ? "/>\n" : ">" + inside + "</rect>\n");
}

double text_width(std::string_view text, bool is_small) {
  return static_cast<double>(character_count(text)) * (is_small ? 6.2 : 7.0);
}

Drawing stacked(const std::vector<Drawing>& drawings, double gap) {
  Drawing all;
  for (const Drawing& drawing : drawings) {
    if (all.height > 0) all.height += gap;
    all.body +=
        "<g transform=\"translate(0 " + coordinate(all.height) + ")\">\n" + drawing.body + "</g>\n";
    all.height += drawing.height;
    all.width = std::max(all.width, drawing.width);
  }
  return all;
}

std::string svg_element(const Drawing& drawing, std::string_view label, const std::string& style) {
  const std::string width = coordinate(drawing.width + 2 * kMargin);
  const std::string height = coordinate(drawing.height + 2 * kMargin);
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" role=\"img\"" +
                    attribute("aria-label", label) + " width=\"" + width + "\" height=\"" + height +
                    "\" viewBox=\"0 0 " + width + " " + height + "\">\n";
  if (!style.empty()) {
    out += "<style>" + style + "</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n";
  }
  return out + "<g transform=\"translate(" + coordinate(kMargin) + " " + coordinate(kMargin) +
         ")\">\n" + drawing.body + "</g>\n</svg>\n";
}

std::string picture_style() { return kDrawingStyle; }

}  // namespace ortc::tool
