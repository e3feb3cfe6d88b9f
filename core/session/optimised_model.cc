// SPDX-License-Identifier: MIT
// Writing the optimised model: see the header.
#include "core/session/optimised_model.h"

#include "core/context/external_initializers.h"
#include "core/context/transaction.h"
#include "core/graph/export.h"
#include "core/platform/file.h"

namespace ortc {
namespace {

Status check_settings(const OptimisedModelSettings& settings) {
  const bool is_ort = settings.format == "ORT" ||
                      (settings.format.empty() && path_extension(settings.path) == ".ort");
  if (is_ort) return not_implemented("'", settings.path, "': writing models in the ORT format");
  if (path_file_name(settings.external_file) == settings.external_file) return Status::ok();
  return invalid_argument("config 'session.optimized_model_external_initializers_file_name' is '",
                          settings.external_file,
                          "', expected a name without folders: the file stands beside the model");
}

}  // namespace

Status write_optimised_model(const Model& model, const OptimisedModelSettings& settings) {
  RETURN_IF_ERROR(check_settings(settings));
  const std::string folder = folder_of_target(settings.path);
  const std::string name = path_file_name(settings.path);
  if (!path_is_directory(folder)) {
    return invalid_argument("cannot write '", settings.path, "': the folder '", folder,
                            "' does not exist");
  }
  ExternalInitializers external(settings.external_file, settings.external_threshold);
  if (!settings.external_file.empty()) external.collect(*model.graph);
  ExportOptions exporting;
  exporting.place_initializer = [&](const Graph&, const Value& value) {
    return external.place(value);
  };
  RETURN_IF_ERROR(exported_size(model, exporting).status());
  ASSIGN_OR_RETURN(auto transaction, FileTransaction::begin(folder, name));
  if (!external.is_empty()) {
    ASSIGN_OR_RETURN(StagedFile * file, transaction->stage(settings.external_file));
    RETURN_IF_ERROR_WHILE(external.write_to(*file), "writing '", settings.external_file, "'");
  }
  ASSIGN_OR_RETURN(StagedFile * file, transaction->stage(name));
  RETURN_IF_ERROR_WHILE(
      export_model(model, exporting, [&](Bytes bytes) { return file->write(bytes); }), "writing '",
      settings.path, "'");
  return transaction->commit(/*replace=*/true, "");
}

}  // namespace ortc
