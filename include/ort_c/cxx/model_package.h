// SPDX-License-Identifier: MIT
// Model packages: folders with models in several variants, of which the best for this machine runs.
// Part of ort_cxx.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ort_c/cxx/context_files.h"
#include "ort_c/cxx/session.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

/// The providers and devices that session options choose, in their order, for ModelPackageContext.
struct ModelPackageOptions : detail::Base<OrtModelPackageOptions> {
  explicit ModelPackageOptions(std::nullptr_t) {}
  ModelPackageOptions(const Env& env, ConstSessionOptions options) {
    ThrowOnError(
        ORT_CXX_PACKAGE_CALL(CreateModelPackageOptionsFromSessionOptions)(env, options, &p_));
  }
};

/// A component with the variant that was selected of it. It does not need the package.
struct ModelPackageComponentContext : detail::Base<OrtModelPackageComponentContext> {
  explicit ModelPackageComponentContext(std::nullptr_t) {}
  explicit ModelPackageComponentContext(OrtModelPackageComponentContext* p) : Base(p) {}

  std::string GetSelectedVariantName() const {
    const char* name = nullptr;
    ThrowOnError(ORT_CXX_PACKAGE_CALL(ModelPackageComponent_GetSelectedVariantName)(p_, &name));
    return name;
  }
  /// Empty when the variant has none.
  std::string GetSelectedVariantFolderPath() const {
    const char* folder = nullptr;
    ThrowOnError(
        ORT_CXX_PACKAGE_CALL(ModelPackageComponent_GetSelectedVariantFolderPath)(p_, &folder));
    return folder;
  }

  /// With the options that the package has for the variant.
  Session CreateSession(const Env& env) const {
    return CreateSession(env, ConstSessionOptions(nullptr));
  }
  /// With options in place of the package's, but for paths in the package that they do not have.
  Session CreateSession(const Env& env, ConstSessionOptions options) const {
    OrtSession* session = nullptr;
#if defined(ORT_CXX_TABLE)
    ThrowOnError(GetModelPackageApi().CreateSession(env, p_, options, &session));
#else
    ThrowOnError(OrtModelPackage_CreateSession(env, p_, options, &session));
#endif
    return Session(session);
  }
};

/// A package, as ort_c/model_package.h describes it. No model is opened before there is a session.
///
///   Ort::ModelPackageContext package("phi");
///   Ort::ModelPackageOptions wanted(env, options);
///   Ort::Session session = package.SelectComponent("decoder", wanted).CreateSession(env);
struct ModelPackageContext : detail::Base<OrtModelPackageContext> {
  explicit ModelPackageContext(std::nullptr_t) {}
  explicit ModelPackageContext(const detail::Path& root) {
    ThrowOnError(ORT_CXX_PACKAGE_CALL(CreateModelPackageContext)(root.c_str(), &p_));
  }

  int64_t GetSchemaVersion() const {
    int64_t version = 0;
    ThrowOnError(ORT_CXX_PACKAGE_CALL(ModelPackage_GetSchemaVersion)(p_, &version));
    return version;
  }

  size_t GetComponentCount() const {
    size_t count = 0;
    ThrowOnError(ORT_CXX_PACKAGE_CALL(ModelPackage_GetComponentCount)(p_, &count));
    return count;
  }
  /// In the order of the manifest.
  std::vector<std::string> GetComponentNames() const {
    const char* const* names = nullptr;
    size_t count = 0;
    ThrowOnError(ORT_CXX_PACKAGE_CALL(ModelPackage_GetComponentNames)(p_, &names, &count));
    return std::vector<std::string>(names, names + count);
  }

  size_t GetVariantCount(const std::string& component) const {
    size_t count = 0;
    ThrowOnError(ORT_CXX_PACKAGE_CALL(ModelPackage_GetVariantCount)(p_, component.c_str(), &count));
    return count;
  }
  /// In the order of the manifest.
  std::vector<std::string> GetVariantNames(const std::string& component) const {
    const char* const* names = nullptr;
    size_t count = 0;
    ThrowOnError(
        ORT_CXX_PACKAGE_CALL(ModelPackage_GetVariantNames)(p_, component.c_str(), &names, &count));
    return std::vector<std::string>(names, names + count);
  }
  /// The execution provider that a variant is for, borrowed from the package; nullptr when it names
  /// none.
  const char* GetVariantEpName(const std::string& component, const std::string& variant) const {
    const char* name = nullptr;
    ThrowOnError(ORT_CXX_PACKAGE_CALL(ModelPackage_GetVariantEpName)(p_, component.c_str(),
                                                                     variant.c_str(), &name));
    return name;
  }

  /// The path that a text in the package means: a shared asset, something in one, or a path seen
  /// from `base_dir`. nullptr or empty: the package's folder. One thread at a time, as the path
  /// lives in the package until it is copied.
  std::string ResolveStringRef(const char* base_dir, const std::string& reference,
                               bool must_exist = true) const {
    const char* path = nullptr;
    ThrowOnError(ORT_CXX_PACKAGE_CALL(ModelPackage_ResolveStringRef)(
        p_, base_dir, reference.c_str(), must_exist, &path));
    return path;
  }

  /// The variant that is best for the providers; what it throws has the reason of each that is not.
  ModelPackageComponentContext SelectComponent(const std::string& component,
                                               const ModelPackageOptions& wanted) const {
    OrtModelPackageComponentContext* selected = nullptr;
#if defined(ORT_CXX_TABLE)
    ThrowOnError(GetModelPackageApi().SelectComponent(p_, component.c_str(), wanted, &selected));
#else
    ThrowOnError(OrtModelPackage_SelectComponent(p_, component.c_str(), wanted, &selected));
#endif
    return ModelPackageComponentContext(selected);
  }

#if !defined(ORT_CXX_TABLE)
  // ortc's own.

  /// Components, variants and shared assets: a JSON object.
  std::string DescribeJson() const { return DescribeJson(ModelPackageOptions(nullptr)); }
  /// The same, with what is said of each variant here, and which is selected.
  std::string DescribeJson(const ModelPackageOptions& wanted) const {
    OrtInspection* description = nullptr;
    ThrowOnError(OrtModelPackage_Describe(p_, wanted, &description));
    return detail::TakeReportJson(description);
  }

  /// All that has a hash, compared with it: a JSON object with `verdict`, "sound" or "broken".
  std::string VerifyJson() const {
    OrtInspection* report = nullptr;
    ThrowOnError(OrtModelPackage_Verify(p_, &report));
    return detail::TakeReportJson(report);
  }
#endif
};

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
