// SPDX-License-Identifier: MIT
// Which picture it is to be; the parts are drawn elsewhere.

#include "tools/ortc/picture/picture.h"

#include "tools/ortc/errors.h"
#include "tools/ortc/output/table.h"
#include "tools/ortc/picture/graph_drawing.h"
#include "tools/ortc/picture/page.h"
#include "tools/ortc/picture/sharing_drawing.h"

namespace ortc::tool {
namespace {

bool ends_in(const std::string& path, std::string_view end) {
  return path.size() > end.size() && path.compare(path.size() - end.size(), end.size(), end) == 0;
}

Drawing heading(const std::string& text) {
  return {svg_text(0, 16, shortened(text, 90), "head"), text_width(shortened(text, 90)) * 1.2, 20};
}

Picture graph_picture(const ModelFacts& model) {
  const std::vector<GraphPart> parts = parts_of(model);
  std::vector<Drawing> drawings = {heading(model.name), draw_legend(model)};
  Picture picture;
  for (const GraphPart& part : parts) {
    if (part.size() > 1) picture.nodes_left_out += part.size();
  }
  if (picture.nodes_left_out != 0) {
    const std::string text = count_text(picture.nodes_left_out, "node") +
                             " in parts; a page (.html) shows what is in each.";
    drawings.push_back({svg_text(0, 13, text, "small faint"), text_width(text, true), 18});
  }
  drawings.push_back(draw_parts(model, parts, ""));
  picture.text = svg_element(stacked(drawings, 14), "The graph of " + model.name, picture_style());
  return picture;
}

Picture sharing_picture(const std::vector<ModelFacts>& models) {
  const SharingFacts sharing = sharing_of(models);
  if (sharing.files.empty()) {
    throw failure("these models have no tensors in files, so there is nothing to map")
        .set_hint("write a page (.html) for their graphs, or give compiled models");
  }
  Picture picture;
  picture.text = svg_element(stacked({heading("What is shared"), draw_sharing(sharing)}, 12),
                             sharing_sentence(sharing), picture_style());
  return picture;
}

}  // namespace

PictureForm picture_form(const std::string& path) {
  if (ends_in(path, ".svg")) return PictureForm::kSvg;
  if (ends_in(path, ".html")) return PictureForm::kHtml;
  throw usage_error("--picture needs a name that ends in .svg or .html, found '" + path + "'");
}

Picture draw_picture(const std::vector<ModelFacts>& models, PictureForm form) {
  if (form == PictureForm::kHtml) {
    Page page = make_page(models);
    return {std::move(page.text), page.nodes_left_out, page.tensors_left_out};
  }
  return models.size() == 1 ? graph_picture(models.front()) : sharing_picture(models);
}

}  // namespace ortc::tool
