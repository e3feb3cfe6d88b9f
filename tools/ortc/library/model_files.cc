// SPDX-License-Identifier: MIT
// Files of a model: the library's inspection names those that it refers to.
#include "tools/ortc/library/model_files.h"

#include <filesystem>

#include "tools/ortc/errors.h"
#include "tools/ortc/library/inspection.h"

namespace ortc::tool {

void check_model_is_there(const std::string& model) {
  std::error_code error;
  if (std::filesystem::exists(model, error) || error) return;
  throw ToolError(kExitFailure, "NO_SUCHFILE", "the model '" + model + "' does not exist");
}

std::vector<std::string> files_of(const std::string& model) {
  std::vector<std::string> paths = {model};
  const size_t slash = model.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : model.substr(0, slash + 1);
  const Json inspection = inspect_file(model, OrtInspectFlags_NONE);
  for (const Json& file : inspection.at("files").items()) {
    paths.push_back(folder + file.text("file"));
  }
  return paths;
}

}  // namespace ortc::tool
