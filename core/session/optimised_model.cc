// SPDX-License-Identifier: MIT
// Writing the optimised model: see the header.
#include "core/session/optimised_model.h"

#include <charconv>

#include "core/context/external_initializers.h"
#include "core/context/output_set.h"
#include "core/graph/export.h"
#include "core/platform/file.h"

namespace ortc {
namespace {

constexpr const char* kFileKey = "session.optimized_model_external_initializers_file_name";
constexpr const char* kThresholdKey =
    "session.optimized_model_external_initializers_min_size_in_bytes";
constexpr const char* kFormatKey = "session.save_model_format";

}  // namespace

Result<OptimisedModelOptions> OptimisedModelOptions::from(const SessionOptions& options) {
  OptimisedModelOptions out;
  out.path = options.optimised_model_path;
  const auto value_of = [&](const char* key) {
    const auto place = options.config.find(key);
    return place != options.config.end() ? place->second : std::string();
  };
  const std::string format = value_of(kFormatKey);
  if (format == "ORT" || (format.empty() && path_extension(out.path) == ".ort")) {
    return not_implemented("'", out.path, "': writing models in the ORT format");
  }
  out.external_file = value_of(kFileKey);
  if (path_file_name(out.external_file) != out.external_file) {
    return invalid_argument("config '", kFileKey, "' is '", out.external_file,
                            "', expected a name without folders: the file stands beside the model");
  }
  const std::string threshold = value_of(kThresholdKey);
  if (threshold.empty()) return out;
  const char* last = threshold.data() + threshold.size();
  const auto [end, error] = std::from_chars(threshold.data(), last, out.external_threshold);
  if (error != std::errc() || end != last) {
    return invalid_argument("config '", kThresholdKey, "' is '", threshold,
                            "', expected a number of bytes");
  }
  return out;
}

Status write_optimised_model(const Model& model, const OptimisedModelOptions& options) {
  const std::string folder = folder_of_target(options.path);
  const std::string name = path_file_name(options.path);
  if (!path_is_directory(folder)) {
    return invalid_argument("cannot write '", options.path, "': the folder '", folder,
                            "' does not exist");
  }
  OutputRules rules;
  rules.overwrite = true;
  rules.source_path = model.path;
  OutputSet output(OutputPlace::file(options.path), std::move(rules));
  ExternalInitializers external(options.external_file, options.external_threshold);
  if (!options.external_file.empty()) external.collect(*model.graph);
  if (!external.is_empty()) RETURN_IF_ERROR(output.expect(options.external_file));
  RETURN_IF_ERROR(output.check());

  ExportOptions exporting;
  exporting.place_initializer = [&](const Graph&, const Value& value) {
    return external.place(value);
  };
  Model written = model;  // the graph is shared
  ExternalInitializersRecord::remove_from(written);
  ExternalInitializersRecord record = external.record();
  if (!external.is_empty()) record.write_to(written);
  Hasher hasher;
  uint64_t size = 0;
  RETURN_IF_ERROR(export_model(written, exporting, [&](Bytes bytes) {
    hasher.add(bytes);
    size += bytes.size();
    return Status::ok();
  }));
  const Hash128 generation = hasher.finish();
  record.generation = generation.hex();
  if (!external.is_empty()) record.write_to(written);

  RETURN_IF_ERROR(output.begin());
  if (!external.is_empty()) {
    ASSIGN_OR_RETURN(StagedFile * file, output.stage(options.external_file));
    RETURN_IF_ERROR_WHILE(external.write_to(*file, generation), "writing '", options.external_file,
                          "'");
  }
  RETURN_IF_ERROR(output.write_model(
      size, [&](const ByteSink& sink) { return export_model(written, exporting, sink); }));
  return output.commit(record.generation);
}

}  // namespace ortc
