// SPDX-License-Identifier: MIT
// Writing model packages. ortc's own. Part of ort_cxx.h.
#pragma once

#include <cstdint>
#include <string>

#include "ort_c/cxx/context_files.h"
#include "ort_c/cxx/key_values.h"

#if !defined(ORT_CXX_TABLE)

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

/// Models that are there already become variants of components; see ort_c/model_package_writer.h.
///
///   Ort::ModelPackageWriter writer;
///   writer.AddVariant("decoder", "v3", "v3_ctx.onnx").AddVariant("decoder", "any", "m.onnx");
///   writer.Write("phi");
struct ModelPackageWriter : detail::Base<OrtModelPackageWriter> {
  explicit ModelPackageWriter(std::nullptr_t) {}
  /// `info`  `package_name`, `package_version`, `description`.
  explicit ModelPackageWriter(const KeyValuePairs& info = KeyValuePairs(nullptr)) {
    ThrowOnError(OrtCreateModelPackageWriter(info, &p_));
  }

  /// Nothing is copied before the package is written.
  ModelPackageWriter& AddVariant(const std::string& component, const std::string& variant,
                                 const detail::Path& model,
                                 const KeyValuePairs& settings = KeyValuePairs(nullptr)) {
    ThrowOnError(OrtModelPackageWriter_AddVariant(p_, component.c_str(), variant.c_str(),
                                                  model.c_str(), settings));
    return *this;
  }
  /// Gives "sha256:...", by which settings and programs refer to the folder.
  std::string AddSharedAsset(const detail::Path& folder) {
    AllocatorWithDefaultOptions allocator;
    char* reference = nullptr;
    ThrowOnError(OrtModelPackageWriter_AddSharedAsset(p_, folder.c_str(), allocator, &reference));
    return AllocatedStringPtr(reference, {allocator}).get();
  }

  /// Writes everything or nothing, to a folder that is not there yet. Gives a JSON object.
  ///
  /// `flags`  OrtModelPackageWriteFlags.
  std::string Write(const detail::Path& root, uint32_t flags = 0) const {
    OrtInspection* report = nullptr;
    ThrowOnError(OrtModelPackageWriter_Write(p_, root.c_str(), flags, &report));
    return detail::TakeReportJson(report);
  }
};

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort

#endif  // ORT_CXX_TABLE
