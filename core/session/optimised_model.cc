// SPDX-License-Identifier: MIT
// Writing the optimised model: see the header.
#include "core/session/optimised_model.h"

#include <algorithm>

#include "core/context/external_initializers.h"
#include "core/context/model_hash.h"
#include "core/context/output/output_set.h"
#include "core/graph/channels_last_domain.h"
#include "core/graph/export.h"
#include "core/platform/path.h"

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

// Domains of nodes that no model comes with: ONNX Runtime's optimised models import them whether
// they have such nodes or not, and who reads them may look for that. Nobody else minds an import
// that no node uses.
void import_internal_domains(Model& model) {
  auto imports = std::make_shared<OpsetImports>(*model.opsets);
  const auto version_of = [&](std::string_view domain) {
    const auto known =
        std::ranges::find_if(*imports, [&](const auto& import) { return import.first == domain; });
    return known != imports->end() ? known->second : int64_t{0};
  };
  const int64_t onnx = version_of("");
  using Import = std::pair<std::string_view, int64_t>;
  for (const auto& [domain, version] :
       {Import(kChannelsLastDomain, onnx), Import("com.microsoft.nchwc", 1)}) {
    if (version > 0 && version_of(domain) == 0) imports->emplace_back(domain, version);
  }
  model.opsets = std::move(imports);
}

}  // namespace

Status write_optimised_model(const Model& model, const OptimisedModelSettings& settings,
                             Work& work) {
  RETURN_IF_ERROR(check_settings(settings));
  const std::string folder = folder_of_target(settings.path);
  if (!path_is_directory(folder)) {
    return invalid_argument("cannot write '", settings.path, "': the folder '", folder,
                            "' does not exist");
  }
  OutputRules rules;
  rules.overwrite = true;
  rules.source_path = model.path;
  OutputSet output(OutputPlace::file(settings.path), std::move(rules));
  ExternalInitializers external(settings.external_file, settings.external_threshold);
  external.keep_small_file_close();
  if (!settings.external_file.empty()) external.collect(*model.graph);
  if (!external.is_empty()) RETURN_IF_ERROR(output.expect(settings.external_file));
  RETURN_IF_ERROR(output.check());

  ExportOptions exporting;
  exporting.place_initializer = [&](const Graph&, const Value& value) {
    return external.place(value);
  };
  Model written = model;  // the graph is shared
  ExternalInitializersRecord::remove_from(written);
  remove_model_hash(written);
  import_internal_domains(written);
  ASSIGN_OR_RETURN(ExternalInitializersRecord record, external.record(work));
  if (!external.is_empty()) record.write_to(written);
  Hasher hasher;
  uint64_t size = 0;
  RETURN_IF_ERROR(export_model(written, exporting, [&](Bytes bytes) {
    hasher.add(bytes);
    size += bytes.size();
    return Status::ok();
  }));
  const Hash128 generation = hasher.finish();
  if (!record.generation.empty()) record.generation = generation.hex();
  if (!external.is_empty()) record.write_to(written);

  RETURN_IF_ERROR(output.begin(limits_of(work)));
  if (!external.is_empty()) {
    ASSIGN_OR_RETURN(StagedFile * file, output.stage(settings.external_file));
    RETURN_IF_ERROR_WHILE(external.write_to(*file, generation), "writing '", settings.external_file,
                          "'");
  }
  RETURN_IF_ERROR(output.write_model(
      0, size, [&](const ByteSink& sink) { return export_model(written, exporting, sink); }));
  return output.commit(generation.hex());
}

}  // namespace ortc
