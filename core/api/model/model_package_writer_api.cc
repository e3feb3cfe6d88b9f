// SPDX-License-Identifier: MIT
// include/ort_c/model_package_writer.h
#include "core/api/env/allocator.h"
#include "core/api/env/key_values_handle.h"
#include "core/api/guard.h"
#include "core/api/model/inspection_handle.h"
#include "core/api/model/model_entries.h"
#include "core/package/asset_hash.h"
#include "core/package/write_package.h"
#include "core/platform/file_map.h"
#include "core/proto/named_files.h"
#include "core/session/environment.h"
#include "ort_c/metadata_keys.h"
#include "ort_c/model_package_writer.h"

struct OrtModelPackageWriter {
  ortc::PackageSource source;
};

namespace ortc::api {
namespace {

constexpr std::string_view kSessionPrefix = "session_options.";
constexpr std::string_view kProviderPrefix = "provider_options.";

Status unknown_key(std::string_view what, std::string_view key, std::string_view known) {
  return invalid_argument("'", what, "' has '", key, "'; there are ", known);
}

Status take_info(const OrtKeyValuePairs& info, PackageSource& source) {
  for (const auto& [key, value] : info.entries) {
    if (key == "package_name") {
      source.name = value;
    } else if (key == "package_version") {
      source.version = value;
    } else if (key == "description") {
      source.description = value;
    } else {
      return unknown_key("info", key, "package_name, package_version, description");
    }
  }
  return {};
}

Status take_settings(const OrtKeyValuePairs& settings, VariantSource& variant) {
  for (const auto& [key, value] : settings.entries) {
    if (key == "ep") {
      variant.provider = value;
    } else if (key == "device") {
      if (value != "cpu" && value != "gpu" && value != "npu") {
        return invalid_argument("'device' is '", value, "', expected 'cpu', 'gpu' or 'npu'");
      }
      variant.device = value;
    } else if (key == "compatibility_string") {
      variant.compatibility = value;
    } else if (key.starts_with(kSessionPrefix)) {
      const std::string option = key.substr(kSessionPrefix.size());
      RETURN_IF_ERROR(check_writes_nothing(option, value));
      variant.session_options.emplace_back(option, value);
    } else if (key.starts_with(kProviderPrefix)) {
      variant.provider_options.emplace_back(key.substr(kProviderPrefix.size()), value);
    } else {
      return unknown_key("settings", key,
                         "ep, device, compatibility_string, session_options.<key>, "
                         "provider_options.<key>");
    }
  }
  return {};
}

// What a model says of the provider that compiled it, where the program did not.
Status find_target(VariantSource& variant) {
  ASSIGN_OR_RETURN(const auto model, FileMap::open(variant.model));
  const ProviderRegistry providers(built_in_providers());
  std::string_view compiled_for;
  const auto ask = [&](std::string_view provider) -> Status {
    ASSIGN_OR_RETURN(
        const auto info,
        find_model_entry(model->bytes(),
                         str_cat(kOrtModelMetadata_EpCompatibilityInfoPrefix, provider)));
    if (!info) return {};
    compiled_for = provider;
    if (!variant.compatibility) variant.compatibility = *info;
    return {};
  };
  if (!variant.provider.empty()) return ask(variant.provider);
  for (const auto& factory : providers.factories()) {
    if (compiled_for.empty()) RETURN_IF_ERROR(ask(factory->name()));
    if (!compiled_for.empty() && variant.provider.empty()) variant.provider = compiled_for;
  }
  if (!variant.provider.empty()) return {};
  if (has_context_nodes(model->bytes())) {
    return invalid_argument("'", variant.model, "' was compiled by a provider that this library ",
                            "does not have; 'settings' must name it as 'ep'");
  }
  variant.provider = providers.default_provider().name();
  return {};
}

}  // namespace
}  // namespace ortc::api

using namespace ortc;
using api::guard;

extern "C" {

OrtStatus* OrtCreateModelPackageWriter(const OrtKeyValuePairs* info, OrtModelPackageWriter** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    auto writer = std::make_unique<OrtModelPackageWriter>();
    if (info != nullptr) RETURN_IF_ERROR(api::take_info(*info, writer->source));
    *out = writer.release();
    return {};
  });
}

OrtStatus* OrtModelPackageWriter_AddVariant(OrtModelPackageWriter* writer,
                                            const char* component_name, const char* variant_name,
                                            const char* model_path,
                                            const OrtKeyValuePairs* settings) {
  return guard([&]() -> Status {
    ORTC_NEEDED(writer);
    ORTC_NEEDED(component_name);
    ORTC_NEEDED(variant_name);
    ORTC_NEEDED(model_path);
    RETURN_IF_ERROR(check_package_name("component", component_name));
    RETURN_IF_ERROR(check_package_name("variant", variant_name));
    VariantSource variant;
    variant.component = component_name;
    variant.variant = variant_name;
    variant.model = model_path;
    if (settings != nullptr) RETURN_IF_ERROR(api::take_settings(*settings, variant));
    RETURN_IF_ERROR(api::find_target(variant));
    writer->source.variants.push_back(std::move(variant));
    return {};
  });
}

OrtStatus* OrtModelPackageWriter_AddSharedAsset(OrtModelPackageWriter* writer, const char* folder,
                                                OrtAllocator* allocator, char** out_uri) {
  return guard([&]() -> Status {
    ORTC_OUT(out_uri);
    ORTC_NEEDED(writer);
    ORTC_NEEDED(folder);
    ORTC_NEEDED(allocator);
    ASSIGN_OR_RETURN(const std::string uri, asset_uri_of_folder(folder));
    writer->source.asset_folders.push_back(folder);
    ASSIGN_OR_RETURN(*out_uri, api::copy_text(*allocator, uri));
    return {};
  });
}

OrtStatus* OrtModelPackageWriter_Write(const OrtModelPackageWriter* writer,
                                       const char* package_root, uint32_t flags,
                                       OrtInspection** out) {
  return guard([&]() -> Status {
    api::empty_outs(out);
    ORTC_NEEDED(writer);
    ORTC_NEEDED(package_root);
    if ((flags & ~uint32_t{OrtModelPackageWriteFlags_LINK_FILES}) != 0) {
      return invalid_argument("'flags' is ", flags, ", expected bits of OrtModelPackageWriteFlags");
    }
    ASSIGN_OR_RETURN(std::string report, write_package(writer->source, package_root, flags != 0));
    if (out != nullptr) *out = new OrtInspection{std::move(report)};
    return {};
  });
}

void OrtReleaseModelPackageWriter(OrtModelPackageWriter* input) { delete input; }

}  // extern "C"
