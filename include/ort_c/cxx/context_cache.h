// SPDX-License-Identifier: MIT
// Caches of compiled models: sessions by way of one, what is in it, and why. ortc's own. Part of
// ort_cxx.h.
#pragma once

#include <cstdint>
#include <string>

#include "ort_c/cxx/context_files.h"
#include "ort_c/cxx/session.h"

#if !defined(ORT_CXX_TABLE)

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

/// A folder of `ep.context_cache_dir`. What is not a session is a report, a JSON object; see
/// ort_c/context_cache.h.
class ContextCache {
 public:
  explicit ContextCache(const detail::Path& folder) : folder_(folder.c_str()) {}

  /// Loads what was compiled of the model before, or compiles it and keeps that for the next.
  Session CreateSession(const Env& env, const detail::Path& model_path,
                        const SessionOptions& options) const {
    OrtSession* session = nullptr;
    ThrowOnError(
        OrtCreateSessionFromCache(env, model_path.c_str(), folder_.c_str(), options, &session));
    return Session(session);
  }

  std::string List() const {
    OrtInspection* report = nullptr;
    ThrowOnError(OrtListContextCache(folder_.c_str(), &report));
    return detail::TakeReportJson(report);
  }
  std::string Prune(uint64_t max_bytes) const {
    OrtInspection* report = nullptr;
    ThrowOnError(OrtPruneContextCache(folder_.c_str(), max_bytes, &report));
    return detail::TakeReportJson(report);
  }
  std::string Verify() const {
    OrtInspection* report = nullptr;
    ThrowOnError(OrtVerifyContextCache(folder_.c_str(), &report));
    return detail::TakeReportJson(report);
  }
  std::string Explain(const Env& env, const detail::Path& model_path,
                      const SessionOptions& options) const {
    OrtInspection* report = nullptr;
    ThrowOnError(
        OrtExplainContextCache(env, model_path.c_str(), folder_.c_str(), options, &report));
    return detail::TakeReportJson(report);
  }

 private:
  std::string folder_;
};

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort

#endif  // ORT_CXX_TABLE
