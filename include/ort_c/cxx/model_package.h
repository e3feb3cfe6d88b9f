// SPDX-License-Identifier: MIT
// Model packages: folders with models in several variants, of which the best for this machine runs.
// ortc's own. Part of ort_cxx.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ort_c/cxx/context_files.h"
#include "ort_c/cxx/session.h"

#if !defined(ORT_CXX_TABLE)

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

/// The providers and devices that session options choose, in their order, for ModelPackage.
struct ModelPackageOptions : detail::Base<OrtModelPackageOptions> {
  explicit ModelPackageOptions(std::nullptr_t) {}
  ModelPackageOptions(const Env& env, ConstSessionOptions options) {
    ThrowOnError(OrtCreateModelPackageOptionsFromSessionOptions(env, options, &p_));
  }
};

/// A component with the variant that was selected of it. It does not need the package.
struct ModelPackageComponent : detail::Base<OrtModelPackageComponentContext> {
  explicit ModelPackageComponent(std::nullptr_t) {}
  explicit ModelPackageComponent(OrtModelPackageComponentContext* p) : Base(p) {}

  std::string GetVariantName() const {
    const char* name = nullptr;
    ThrowOnError(OrtModelPackageComponent_GetSelectedVariantName(p_, &name));
    return name;
  }
  /// Empty when the variant has none.
  std::string GetVariantFolder() const {
    const char* folder = nullptr;
    ThrowOnError(OrtModelPackageComponent_GetSelectedVariantFolderPath(p_, &folder));
    return folder;
  }

  /// With the options that the package has for the variant.
  Session CreateSession(const Env& env) const {
    return CreateSession(env, ConstSessionOptions(nullptr));
  }
  /// With options in place of the package's, but for paths in the package that they do not have.
  Session CreateSession(const Env& env, ConstSessionOptions options) const {
    OrtSession* session = nullptr;
    ThrowOnError(OrtModelPackage_CreateSession(env, p_, options, &session));
    return Session(session);
  }
};

/// A package, as ort_c/model_package.h describes it. No model is opened before there is a session.
///
///   Ort::ModelPackage package("phi");
///   Ort::ModelPackageOptions wanted(env, options);
///   Ort::Session session = package.Select("decoder", wanted).CreateSession(env);
struct ModelPackage : detail::Base<OrtModelPackageContext> {
  explicit ModelPackage(std::nullptr_t) {}
  explicit ModelPackage(const detail::Path& root) {
    ThrowOnError(OrtCreateModelPackageContext(root.c_str(), &p_));
  }

  int64_t GetSchemaVersion() const {
    int64_t version = 0;
    ThrowOnError(OrtModelPackage_GetSchemaVersion(p_, &version));
    return version;
  }

  size_t GetComponentCount() const {
    size_t count = 0;
    ThrowOnError(OrtModelPackage_GetComponentCount(p_, &count));
    return count;
  }
  /// In the order of the manifest.
  std::vector<std::string> GetComponentNames() const {
    const char* const* names = nullptr;
    size_t count = 0;
    ThrowOnError(OrtModelPackage_GetComponentNames(p_, &names, &count));
    return std::vector<std::string>(names, names + count);
  }

  size_t GetVariantCount(const std::string& component) const {
    size_t count = 0;
    ThrowOnError(OrtModelPackage_GetVariantCount(p_, component.c_str(), &count));
    return count;
  }
  /// In the order of the manifest.
  std::vector<std::string> GetVariantNames(const std::string& component) const {
    const char* const* names = nullptr;
    size_t count = 0;
    ThrowOnError(OrtModelPackage_GetVariantNames(p_, component.c_str(), &names, &count));
    return std::vector<std::string>(names, names + count);
  }
  /// The execution provider that a variant is for; empty when it names none.
  std::string GetVariantEpName(const std::string& component, const std::string& variant) const {
    const char* name = nullptr;
    ThrowOnError(OrtModelPackage_GetVariantEpName(p_, component.c_str(), variant.c_str(), &name));
    return detail::text_or_empty(name);
  }

  /// The path that a text in the package means: a shared asset, something in one, or a path seen
  /// from `base_dir`. Empty: the package's folder. One thread at a time, as the path lives in the
  /// package until it is copied.
  std::string ResolveStringRef(const std::string& reference, const std::string& base_dir = {},
                               bool must_exist = true) {
    const char* path = nullptr;
    ThrowOnError(OrtModelPackage_ResolveStringRef(p_, base_dir.c_str(), reference.c_str(),
                                                  must_exist, &path));
    return path;
  }

  /// The variant that is best for the providers; what it throws has the reason of each that is not.
  ModelPackageComponent Select(const std::string& component,
                               const ModelPackageOptions& wanted) const {
    OrtModelPackageComponentContext* selected = nullptr;
    ThrowOnError(OrtModelPackage_SelectComponent(p_, component.c_str(), wanted, &selected));
    return ModelPackageComponent(selected);
  }

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
};

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort

#endif  // ORT_CXX_TABLE
