// SPDX-License-Identifier: MIT
// Files of models and contexts, seen from outside and changed: ortc's own. Part of ort_cxx.h.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ort_c/cxx/memory.h"
#include "ort_c/cxx/progress.h"

#if !defined(ORT_CXX_TABLE)

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

namespace detail {

// The JSON of a report, which is given back.
inline std::string TakeReportJson(OrtInspection* report) {
  struct Give {
    OrtInspection* report;
    ~Give() { OrtReleaseInspection(report); }
  } give{report};
  const char* json = nullptr;
  ThrowOnError(OrtInspection_GetJson(report, &json));
  return json;
}

// Runs an edit with a listener that lives for the call; what it throws comes out.
template <typename Edit>
std::string edit_json(ProgressFunction progress, Edit edit) {
  ProgressListener listener{std::move(progress), nullptr};
  OrtInspection* report = nullptr;
  const Status status(edit(ProgressListener::call, &listener, &report));
  if (listener.thrown) std::rethrow_exception(listener.thrown);
  ThrowOnError(status);
  return TakeReportJson(report);
}

}  // namespace detail

/// What is in a model or context file, without making a session: a JSON object.
///
/// `flags`  As for OrtInspectFile().
inline std::string InspectFileJson(const detail::Path& path, uint32_t flags = 0) {
  OrtInspection* inspection = nullptr;
  ThrowOnError(OrtInspectFile(path.c_str(), flags, &inspection));
  return detail::TakeReportJson(inspection);
}

/// What is different in two models or two context binaries: a JSON object.
inline std::string DiffFilesJson(const detail::Path& first, const detail::Path& second) {
  OrtInspection* difference = nullptr;
  ThrowOnError(OrtDiffFiles(first.c_str(), second.c_str(), &difference));
  return detail::TakeReportJson(difference);
}

/// The bytes of a model that also gives every tensor of its main graph.
inline std::vector<uint8_t> ExposeModelValues(const detail::Path& path) {
  AllocatorWithDefaultOptions allocator;
  void* data = nullptr;
  size_t size = 0;
  ThrowOnError(OrtExposeModelValues(path.c_str(), allocator, &data, &size));
  const AllocatedStringPtr owner(static_cast<char*>(data), {allocator});
  return {static_cast<uint8_t*>(data), static_cast<uint8_t*>(data) + size};
}

// Changes of compiled models. Each gives a report, a JSON object; `flags` are OrtEditFlags. Output
// is all or nothing, also when `progress` stops it or throws.

/// Puts everything that a compiled model needs into it, or with EXTERNAL out of it.
inline std::string PackModel(const detail::Path& model, const detail::Path& output,
                             uint32_t flags = 0, ProgressFunction progress = {}) {
  return detail::edit_json(std::move(progress), [&](OrtProgressFn hear, void* state, auto* out) {
    return OrtPackModel(model.c_str(), output.c_str(), flags, hear, state, out);
  });
}

/// Makes one model of several; a connection "enc.y=dec.x" makes output y of one input x of another.
inline std::string MergeModels(const std::vector<std::string>& models,
                               const std::vector<std::string>& connections,
                               const detail::Path& output, uint32_t flags = 0,
                               ProgressFunction progress = {}) {
  std::vector<const char*> paths;
  std::vector<const char*> texts;
  for (const auto& model : models) paths.push_back(model.c_str());
  for (const auto& connection : connections) texts.push_back(connection.c_str());
  return detail::edit_json(std::move(progress), [&](OrtProgressFn hear, void* state, auto* out) {
    return OrtMergeModels(paths.data(), paths.size(), texts.data(), texts.size(), output.c_str(),
                          flags, hear, state, out);
  });
}

/// Makes a model of one EPContext node.
inline std::string ExtractContext(const detail::Path& model, const std::string& node,
                                  const detail::Path& output, uint32_t flags = 0,
                                  ProgressFunction progress = {}) {
  return detail::edit_json(std::move(progress), [&](OrtProgressFn hear, void* state, auto* out) {
    return OrtExtractContext(model.c_str(), node.c_str(), output.c_str(), flags, hear, state, out);
  });
}

/// Puts a prefix in front of the names of EPContext nodes and of their graphs.
inline std::string PrefixModel(const detail::Path& model, const std::string& prefix,
                               const detail::Path& output, uint32_t flags = 0,
                               ProgressFunction progress = {}) {
  return detail::edit_json(std::move(progress), [&](OrtProgressFn hear, void* state, auto* out) {
    return OrtPrefixModel(model.c_str(), prefix.c_str(), output.c_str(), flags, hear, state, out);
  });
}

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort

#endif  // ORT_CXX_TABLE
