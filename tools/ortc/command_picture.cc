// SPDX-License-Identifier: MIT
// ortc inspect --picture: models as a picture in a file.

#include <cstdio>

#include "tools/ortc/commands.h"
#include "tools/ortc/errors.h"
#include "tools/ortc/output/staged_file.h"
#include "tools/ortc/output/table.h"
#include "tools/ortc/output/targets.h"
#include "tools/ortc/picture/picture.h"

namespace ortc::tool {
namespace {

Json report_of(const std::string& path, const std::vector<ModelFacts>& models,
               const Picture& picture) {
  Json rows = Json::array();
  for (const ModelFacts& model : models) {
    rows.push(Json::object()
                  .set("model", model.path)
                  .set("verdict", model.verdict)
                  .set("nodes", static_cast<uint64_t>(model.nodes.size())));
  }
  return Json::object()
      .set("schema", "ortc.picture/1")
      .set("file", path)
      .set("bytes", static_cast<uint64_t>(picture.text.size()))
      .set("models", rows)
      .set("nodes_left_out", static_cast<uint64_t>(picture.nodes_left_out))
      .set("tensors_left_out", static_cast<uint64_t>(picture.tensors_left_out));
}

std::string report_text(const std::string& path, const std::vector<ModelFacts>& models,
                        const Picture& picture) {
  std::string text = printable(path) + ": " + count_text(models.size(), "model") + ", " +
                     size_text(picture.text.size());
  if (picture.nodes_left_out != 0) {
    text += ", " + count_text(picture.nodes_left_out, "node") + " not drawn one by one";
  }
  if (picture.tensors_left_out != 0) {
    text += ", " + count_text(picture.tensors_left_out, "tensor") + " not listed";
  }
  return text + "\n";
}

}  // namespace

int command_picture(const InspectArguments& arguments) {
  if (arguments.details || arguments.verify) {
    throw usage_error("--picture cannot be together with --details or --verify");
  }
  const PictureForm form = picture_form(arguments.picture);
  check_targets({{"--picture", arguments.picture}}, arguments.files);
  StagedFile file(arguments.picture);
  std::vector<ModelFacts> models;
  for (const std::string& path : arguments.files) models.push_back(read_model_facts(path));
  const Picture picture = draw_picture(models, form);
  file.write(picture.text);
  file.finish();
  const std::string shown = arguments.json
                                ? report_of(arguments.picture, models, picture).dump() + "\n"
                                : report_text(arguments.picture, models, picture);
  std::fputs(shown.c_str(), stdout);
  return kExitOk;
}

}  // namespace ortc::tool
