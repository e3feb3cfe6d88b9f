// SPDX-License-Identifier: MIT
// Sharing groups: several models, one context binary. ortc's own. Part of ort_cxx.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ort_c/cxx/compile.h"

#if !defined(ORT_CXX_TABLE)

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

/// Models that are compiled into one context binary and appear together; see
/// ort_c/sharing_group.h.
///
///   Ort::SharingGroup group(env);
///   group.Add(prefill).Add(decode).Commit();
///
/// A group that ends without Commit() has written nothing. One thread at a time; threads that add
/// at once use the functions of C.
struct SharingGroup : detail::Base<OrtSharingGroup> {
  explicit SharingGroup(std::nullptr_t) {}
  explicit SharingGroup(const Env& env) { ThrowOnError(OrtCreateSharingGroup(env, &p_)); }

  /// Compiles a model as a member. What a function of the program threw comes out.
  SharingGroup& Add(const ModelCompilationOptions& options) {
    const auto& functions = options.kept_functions();
    if (functions) {
      functions->thrown = nullptr;
      functions_.push_back(functions);
    }
    return done(OrtSharingGroup_Add(p_, options));
  }
  /// Makes sessions and compiles with these options members, when they write a compiled model.
  SharingGroup& Attach(SessionOptions& options) {
    return done(OrtSessionOptionsSetSharingGroup(options, p_));
  }
  /// Publishes the files of all members, or none.
  void Commit() { done(OrtSharingGroup_Commit(p_)); }
  /// Nothing is written.
  void Abort() { done(OrtSharingGroup_Abort(p_)); }

  /// State, members, files: a JSON object.
  std::string GetReportJson() const {
    AllocatorWithDefaultOptions allocator;
    char* json = nullptr;
    ThrowOnError(OrtSharingGroup_GetReportJson(p_, allocator, &json));
    return AllocatedStringPtr(json, {allocator}).get();
  }

 private:
  SharingGroup& done(OrtStatus* given) {
    const Status status(given);
    for (const auto& functions : functions_) functions->rethrow();
    ThrowOnError(status);
    return *this;
  }

  // Models that go to functions are written when the group is published.
  std::vector<std::shared_ptr<detail::CompileFunctions>> functions_;
};

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort

#endif  // ORT_CXX_TABLE
