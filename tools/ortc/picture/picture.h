// SPDX-License-Identifier: MIT
// Pictures of models: a page with all there is, or an SVG that other pages and texts can show.
#pragma once

#include <string>
#include <vector>

#include "tools/ortc/picture/model_facts.h"

namespace ortc::tool {

enum class PictureForm { kSvg, kHtml };

// By the end of the name. Throws ToolError for one that is neither.
PictureForm picture_form(const std::string& path);

struct Picture {
  std::string text;
  size_t nodes_left_out = 0, tensors_left_out = 0;
};

// As SVG one model is its graph, several are the sharing map.
Picture draw_picture(const std::vector<ModelFacts>& models, PictureForm form);

}  // namespace ortc::tool
