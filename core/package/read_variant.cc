// SPDX-License-Identifier: MIT
// Reading a variant: see the header.
#include "core/package/read_variant.h"

#include <algorithm>

#include "core/platform/path.h"

namespace ortc {
namespace {

constexpr std::string_view kVariantKeys[] = {
    "variant_directory",  "ep", "device", "compatibility_string", "executor_info",
    "additional_metadata"};
// The name under which a runtime's own part stands; others have theirs beside it.
constexpr std::string_view kExecutor = "ort";
constexpr std::string_view kPathOptions[] = {"session.model_external_initializers_file_folder_path",
                                             "ep.context_file_path",
                                             "ep.context_source_model_path"};
// With these a session leaves files behind, at places that the option or the model's name says.
constexpr std::string_view kWritingOptions[] = {
    "session.optimized_model_filepath",
    "session.optimized_model_external_initializers_file_name",
    "session.enable_profiling",
    "ep.context_enable",
    "ep.context_model_external_initializers_file_name",
    "ep.context_replace_shared",
    "ep.context_cache_dir",
    "ep.context_cache_max_bytes",
    "session.collect_node_memory_stats_to_file"};

Status read_maybe_text(const JsonTree& object, std::string_view name,
                       std::optional<std::string>& out) {
  if (object.find(name) == nullptr) return {};
  return read_optional_text(object, name, out.emplace());
}

// A folder that is named must be there; the one that goes by the variant's name need not.
Status read_folder(const Package& package, const std::string& component_folder,
                   const JsonMember& entry, PackageVariant& variant) {
  std::string text = entry.name;
  const bool is_named = entry.value.find("variant_directory") != nullptr;
  RETURN_IF_ERROR(read_optional_text(entry.value, "variant_directory", text));
  auto path =
      package.paths.resolve(component_folder, text, is_named ? MustExist::kYes : MustExist::kNo);
  if (!path.is_ok()) {
    return invalid_graph("'variant_directory': ", path.status().message());
  }
  if (path_is_directory(*path)) {
    variant.folder = std::move(path).value();
  } else if (is_named) {
    return invalid_graph("'variant_directory': '", *path, "' is a file, expected a folder");
  }
  return {};
}

Status read_options(const JsonTree& body, std::string_view name, OrderedOptions& out) {
  const JsonTree* options = body.find(name);
  if (options == nullptr) return {};
  RETURN_IF_ERROR(expect_object(*options, str_cat("'", name, "'")));
  for (const JsonMember& option : options->members) {
    RETURN_IF_ERROR(expect_text(option.value, str_cat("'", name, "': '", option.name, "'")));
    out.emplace_back(option.name, option.value.text);
  }
  return {};
}

Result<std::string> resolve(const Package& package, const PackageVariant& variant,
                            std::string_view what, std::string_view text) {
  auto path = package.resolve(variant.folder, text, MustExist::kNo);
  if (path.is_ok()) return path;
  return invalid_graph("'", what, "': ", path.status().message());
}

Status read_executor(const Package& package, const JsonTree& body, PackageVariant& variant) {
  RETURN_IF_ERROR(expect_object(body, "it"));
  RETURN_IF_ERROR(read_optional_text(body, "model_file", variant.model_file));
  if (!variant.model_file.empty()) {
    ASSIGN_OR_RETURN(variant.model_path,
                     resolve(package, variant, "model_file", variant.model_file));
  }
  RETURN_IF_ERROR(read_options(body, "session_options", variant.session_options));
  RETURN_IF_ERROR(read_options(body, "provider_options", variant.provider_options));
  for (auto& [key, value] : variant.session_options) {
    if (value.empty() || !is_path_option(key)) continue;
    ASSIGN_OR_RETURN(value, resolve(package, variant, key, value));
  }
  return {};
}

// The body of a runtime stands there, or in a file of the variant's folder.
Status read_executors(const Package& package, JsonFiles& files, const JsonTree& body,
                      PackageVariant& variant) {
  const JsonTree* executors = body.find("executor_info");
  if (executors == nullptr) return {};
  RETURN_IF_ERROR(expect_object(*executors, "'executor_info'"));
  for (const JsonMember& executor : executors->members) {
    const std::string what = str_cat("'executor_info': '", executor.name, "'");
    if (executor.value.is_object()) {
      if (executor.name != kExecutor) continue;
      RETURN_IF_ERROR_WHILE(read_executor(package, executor.value, variant), what);
      continue;
    }
    RETURN_IF_ERROR(expect_text(executor.value, what));
    if (executor.name != kExecutor) continue;
    if (variant.folder.empty()) {
      return invalid_graph(what, " names a file, but the variant has no folder");
    }
    auto place = package.paths.resolve(variant.folder, executor.value.text, MustExist::kYes);
    if (!place.is_ok()) return invalid_graph(what, ": ", place.status().message());
    ASSIGN_OR_RETURN(const JsonTree part, files.read(*place));
    RETURN_IF_ERROR_WHILE(read_executor(package, part, variant), "'", package.paths.shown(*place),
                          "'");
  }
  return {};
}

}  // namespace

bool is_path_option(std::string_view key) {
  return std::find(std::begin(kPathOptions), std::end(kPathOptions), key) != std::end(kPathOptions);
}

Status check_writes_nothing(std::string_view key, std::string_view value) {
  const bool writes = std::find(std::begin(kWritingOptions), std::end(kWritingOptions), key) !=
                      std::end(kWritingOptions);
  if (!writes || value.empty() || value == "0") return {};
  return invalid_argument("session option '", key, "' writes files, which no package may ask for; ",
                          "set it in the session options of the program");
}

Result<JsonTree> JsonFiles::read(const std::string& place) {
  const auto text = paths_.read_text(place, kJsonBytesMax);
  if (!text.is_ok()) return invalid_graph(text.status().message());
  if (text->size() > bytes_left_) {
    return invalid_graph("with '", paths_.shown(place), "' the package has more than ",
                         kPackageJsonBytesMax,
                         " bytes of JSON; a file counts as often as it is named");
  }
  bytes_left_ -= text->size();
  auto tree = parse_json(as_bytes(*text));
  RETURN_IF_ERROR_WHILE(std::move(tree).status(), "'", paths_.shown(place), "'");
  return tree;
}

Status expect_object(const JsonTree& value, std::string_view what) {
  if (value.is_object()) return {};
  return invalid_graph(what, " is ", kind_text(value), ", expected an object");
}

Status expect_text(const JsonTree& value, std::string_view what) {
  if (value.is_text()) return {};
  return invalid_graph(what, " is ", kind_text(value), ", expected a text");
}

Status read_optional_text(const JsonTree& object, std::string_view name, std::string& out) {
  const JsonTree* value = object.find(name);
  if (value == nullptr) return {};
  RETURN_IF_ERROR(expect_text(*value, str_cat("'", name, "'")));
  out = value->text;
  return {};
}

Status check_keys(const JsonTree& object, std::span<const std::string_view> known, bool is_strict) {
  if (!is_strict) return {};
  for (const JsonMember& member : object.members) {
    if (std::find(known.begin(), known.end(), member.name) != known.end()) continue;
    std::string names;
    for (const std::string_view name : known) names += str_cat(names.empty() ? "" : ", ", name);
    return invalid_graph("unknown member '", member.name, "'; there are ", names);
  }
  return {};
}

Result<PackageVariant> read_variant(const Package& package, JsonFiles& files,
                                    const std::string& folder, const JsonMember& entry,
                                    bool is_strict) {
  const JsonTree& body = entry.value;
  RETURN_IF_ERROR(expect_object(body, "it"));
  RETURN_IF_ERROR(check_keys(body, kVariantKeys, is_strict));
  PackageVariant variant;
  variant.name = entry.name;
  RETURN_IF_ERROR(read_maybe_text(body, "ep", variant.provider));
  RETURN_IF_ERROR(read_maybe_text(body, "device", variant.device));
  RETURN_IF_ERROR(read_maybe_text(body, "compatibility_string", variant.compatibility));
  RETURN_IF_ERROR(read_folder(package, folder, entry, variant));
  RETURN_IF_ERROR(read_executors(package, files, body, variant));
  return variant;
}

}  // namespace ortc
