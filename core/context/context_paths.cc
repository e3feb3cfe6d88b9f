// SPDX-License-Identifier: MIT
// Where a generated model and its binary go. Asked before a compile, so that a wrong path costs
// nothing, and again by the transaction that writes.
#include "core/context/context_paths.h"

#include <algorithm>

#include "core/platform/path.h"

namespace ortc {

namespace {

Status not_a_folder(const std::string& path) {
  return invalid_argument("expected the path of a file with an extension for the context model, ",
                          "found '", path, "'; it should not point to a folder");
}

Result<std::string> wanted_path(const ContextSettings& options, const std::string& source_path) {
  if (!options.file_path.empty()) {
    if (path_extension(options.file_path).empty()) return not_a_folder(options.file_path);
    return options.file_path;
  }
  if (source_path.empty()) {
    return invalid_argument(
        "cannot tell where the context model goes: the model has no path and "
        "'ep.context_file_path' is not set");
  }
  const std::string name = path_file_name(source_path);
  if (name.empty()) return not_a_folder(source_path);
  const size_t extension = name.size() - std::min(name.rfind('.'), name.size());
  return str_cat(std::string_view(source_path).substr(0, source_path.size() - extension),
                 "_ctx.onnx");
}

}  // namespace

Result<std::string> context_model_path(const ContextSettings& options,
                                       const std::string& source_path) {
  ASSIGN_OR_RETURN(std::string path, wanted_path(options, source_path));
  if (path.find('\0') != std::string::npos) {
    return invalid_argument("expected a path for the context model, found one with a zero byte");
  }
  if (path_is_directory(path)) return not_a_folder(path);
  if (!options.overwrite && (path_exists(path) || path_is_symlink(path))) {
    return fail("cannot write the context model: the file '", path,
                "' exists already. Please remove the EP context model if you want to re-generate "
                "it.");
  }
  return path;
}

std::string context_binary_name(const std::string& model_path, std::string_view provider_suffix) {
  std::string stem = path_stem(model_path);
  constexpr std::string_view kContextEnd = "_ctx";
  if (stem.ends_with(kContextEnd)) stem.resize(stem.size() - kContextEnd.size());
  return str_cat(stem, "_", provider_suffix, ".bin");
}

}  // namespace ortc
