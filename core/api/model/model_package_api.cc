// SPDX-License-Identifier: MIT
// ort_c/model_package.h: what a package has. Selecting and sessions are in
// model_package_session_api.cc.
#include "core/api/guard.h"
#include "core/api/model/inspection_handle.h"
#include "core/api/model/model_package_handle.h"
#include "core/package/describe_package.h"
#include "core/package/verify_package.h"

OrtModelPackageContext::OrtModelPackageContext(std::shared_ptr<const ortc::Package> read)
    : package(std::move(read)) {
  for (const ortc::PackageComponent& component : package->components) {
    component_names.push_back(component.name.c_str());
    std::vector<const char*>& variants = variant_names[component.name];
    for (const ortc::PackageVariant& variant : component.variants) {
      variants.push_back(variant.name.c_str());
    }
  }
}

using namespace ortc;
using api::guard;

namespace {

void give_names(const std::vector<const char*>& names, const char* const** out_names,
                size_t* out_count) {
  *out_names = names.empty() ? nullptr : names.data();
  *out_count = names.size();
}

}  // namespace

extern "C" {

OrtStatus* OrtCreateModelPackageContext(const char* package_root, OrtModelPackageContext** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(package_root);
    if (*package_root == '\0') return invalid_argument("'package_root' must not be empty");
    ASSIGN_OR_RETURN(auto package, read_package(package_root));
    *out = new OrtModelPackageContext(std::move(package));
    return {};
  });
}

void OrtReleaseModelPackageContext(OrtModelPackageContext* input) { delete input; }

OrtStatus* OrtModelPackage_GetSchemaVersion(const OrtModelPackageContext* ctx,
                                            int64_t* out_version) {
  return guard([&]() -> Status {
    ORTC_OUT(out_version);
    ORTC_NEEDED(ctx);
    *out_version = ctx->package->schema_major;
    return {};
  });
}

OrtStatus* OrtModelPackage_GetComponentCount(const OrtModelPackageContext* ctx, size_t* out_count) {
  return guard([&]() -> Status {
    ORTC_OUT(out_count);
    ORTC_NEEDED(ctx);
    *out_count = ctx->component_names.size();
    return {};
  });
}

OrtStatus* OrtModelPackage_GetComponentNames(const OrtModelPackageContext* ctx,
                                             const char* const** out_names, size_t* out_count) {
  return guard([&]() -> Status {
    api::empty_outs(out_names, out_count);
    ORTC_NEEDED(ctx);
    ORTC_NEEDED(out_names);
    ORTC_NEEDED(out_count);
    give_names(ctx->component_names, out_names, out_count);
    return {};
  });
}

OrtStatus* OrtModelPackage_GetVariantCount(const OrtModelPackageContext* ctx,
                                           const char* component_name, size_t* out_count) {
  return guard([&]() -> Status {
    ORTC_OUT(out_count);
    ORTC_NEEDED(ctx);
    ORTC_NEEDED(component_name);
    ASSIGN_OR_RETURN(const PackageComponent* component, ctx->package->component(component_name));
    *out_count = component->variants.size();
    return {};
  });
}

OrtStatus* OrtModelPackage_GetVariantNames(const OrtModelPackageContext* ctx,
                                           const char* component_name,
                                           const char* const** out_variant_names,
                                           size_t* out_count) {
  return guard([&]() -> Status {
    api::empty_outs(out_variant_names, out_count);
    ORTC_NEEDED(ctx);
    ORTC_NEEDED(component_name);
    ORTC_NEEDED(out_variant_names);
    ORTC_NEEDED(out_count);
    RETURN_IF_ERROR(ctx->package->component(component_name).status());
    give_names(ctx->variant_names.find(component_name)->second, out_variant_names, out_count);
    return {};
  });
}

OrtStatus* OrtModelPackage_GetVariantEpName(const OrtModelPackageContext* ctx,
                                            const char* component_name, const char* variant_name,
                                            const char** out_ep) {
  return guard([&]() -> Status {
    api::empty_outs(out_ep);
    ORTC_NEEDED(ctx);
    ORTC_NEEDED(component_name);
    ORTC_NEEDED(variant_name);
    ASSIGN_OR_RETURN(const PackageVariant* variant,
                     ctx->package->variant(component_name, variant_name));
    if (out_ep != nullptr && variant->provider) *out_ep = variant->provider->c_str();
    return {};
  });
}

OrtStatus* OrtModelPackage_ResolveStringRef(const OrtModelPackageContext* ctx, const char* base_dir,
                                            const char* input, int must_exist,
                                            const char** out_path) {
  return guard([&]() -> Status {
    ORTC_OUT(out_path);
    ORTC_NEEDED(ctx);
    ORTC_NEEDED(input);
    ASSIGN_OR_RETURN(std::string path,
                     ctx->package->resolve(base_dir != nullptr ? base_dir : "", input,
                                           must_exist != 0 ? MustExist::kYes : MustExist::kNo));
    const std::lock_guard lock(ctx->mutex);
    ctx->resolved = std::move(path);
    *out_path = ctx->resolved.c_str();
    return {};
  });
}

OrtStatus* OrtModelPackage_Describe(const OrtModelPackageContext* ctx,
                                    const OrtModelPackageOptions* options, OrtInspection** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(ctx);
    auto inspection = std::make_unique<OrtInspection>();
    inspection->json = options == nullptr ? describe_package(*ctx->package, {}, nullptr)
                                          : describe_package(*ctx->package, options->providers,
                                                             options->session_options.get());
    *out = inspection.release();
    return {};
  });
}

OrtStatus* OrtModelPackage_Verify(const OrtModelPackageContext* ctx, OrtInspection** out) {
  return guard([&]() -> Status {
    ORTC_OUT(out);
    ORTC_NEEDED(ctx);
    *out = new OrtInspection{verify_package(*ctx->package)};
    return {};
  });
}

}  // extern "C"
