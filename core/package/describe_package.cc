// SPDX-License-Identifier: MIT
// Describing packages: see the header.
#include "core/package/describe_package.h"

#include "core/base/json_writer.h"
#include "core/context/inspect/inspect.h"

namespace ortc {
namespace {

void write_text(JsonWriter& json, std::string_view name, const std::optional<std::string>& text) {
  json.key(name);
  text ? json.value(*text) : json.null();
}

void write_options(JsonWriter& json, std::string_view name, const OrderedOptions& options) {
  json.key(name).begin_object();
  for (const auto& [key, value] : options) json.field(key, value);
  json.end_object();
}

void write_variant(JsonWriter& json, const Package& package, const PackageVariant& variant,
                   const VariantVerdict* verdict) {
  json.begin_object().field("name", variant.name);
  write_text(json, "provider", variant.provider);
  write_text(json, "device", variant.device);
  write_text(json, "compatibility", variant.compatibility);
  json.field("folder", package.paths.shown(variant.folder));
  json.field("model", package.paths.shown(variant.model_path));
  write_options(json, "session_options", variant.session_options);
  write_options(json, "provider_options", variant.provider_options);
  if (verdict != nullptr) {
    json.field("verdict", verdict->points ? word_of(verdict->compatibility) : "unsupported");
    json.key("points");
    verdict->points ? json.value(*verdict->points) : json.null();
    json.field("reason", verdict->reason);
  }
  json.end_object();
}

}  // namespace

std::string describe_package(const Package& package, std::span<const PackageProvider> providers,
                             const SessionOptions* session_options) {
  JsonWriter json;
  json.begin_object().field("schema", "ortc.package/1").field("root", package.paths.root);
  json.field("schema_version", str_cat(package.schema_major, ".", package.schema_minor));
  json.field("layout", package.paths.layout == PackageLayout::kPortable ? "portable" : "installed");
  json.field("name", package.name).field("version", package.version);
  json.field("description", package.description);
  json.key("components").begin_array();
  for (const PackageComponent& component : package.components) {
    Selection selection;
    if (!providers.empty()) selection = select_variant(component, providers, session_options);
    json.begin_object().field("name", component.name);
    if (!providers.empty()) {
      json.key("selected");
      selection.variant ? json.value(component.variants[*selection.variant].name) : json.null();
      if (!selection.fault.is_ok()) json.field("fault", selection.fault.message());
    }
    json.key("variants").begin_array();
    for (size_t i = 0; i < component.variants.size(); ++i) {
      write_variant(json, package, component.variants[i],
                    providers.empty() ? nullptr : &selection.verdicts[i]);
    }
    json.end_array().end_object();
  }
  json.end_array().key("shared_assets").begin_array();
  for (const SharedAsset& asset : package.assets) {
    json.begin_object().field("uri", asset.uri);
    json.field("path", package.paths.shown(asset.path)).end_object();
  }
  json.end_array().end_object();
  return json.text();
}

}  // namespace ortc
