// SPDX-License-Identifier: MIT
// The compiler as an object: ortc's own.
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "ort_c/cxx/compile.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

#if !defined(ORT_CXX_TABLE)

/// A compiler with progress, a deadline and a report: ortc's own. One thread at a time.
///
///   Ort::ModelCompiler compiler(env, options);
///   compiler.SetProgress([](const Ort::Progress& at) { return show(at.stage, at.fraction); });
///   compiler.Compile();
struct ModelCompiler : detail::Base<OrtModelCompiler> {
  explicit ModelCompiler(std::nullptr_t) {}
  /// Copies the options; buffers that they borrow must live as long as the compiler.
  ModelCompiler(const Env& env, const ModelCompilationOptions& options)
      : functions_(options.kept_functions()) {
    ThrowOnError(OrtCreateModelCompiler(env, options, &p_));
  }

  /// Sets who hears about progress, in the thread that compiles. What the function throws comes out
  /// of Compile().
  ModelCompiler& SetProgress(ProgressFunction progress) {
    auto listener = std::make_unique<detail::ProgressListener>();
    listener->hear = std::move(progress);
    detail::ProgressListener* const kept = listener.get();
    ThrowOnError(OrtModelCompiler_SetProgress(p_, detail::ProgressListener::call, kept,
                                              detail::ProgressListener::end));
    listener.release();  // the compiler's now
    listener_ = kept;
    return *this;
  }
  /// Limits how long each compile may take; 0, the default, means no limit.
  ModelCompiler& SetDeadline(std::chrono::milliseconds limit) {
    const auto count = limit.count() < 0 ? 0 : static_cast<uint64_t>(limit.count());
    ThrowOnError(OrtModelCompiler_SetDeadline(p_, count));
    return *this;
  }
  /// Stops the compile at work, or the next one when there is none; it fails with
  /// MODEL_LOAD_CANCELED. Any thread may call it.
  void Cancel() { ThrowOnError(OrtModelCompiler_Cancel(p_)); }

  /// Compiles and waits for the end. May be called again: it then compiles again.
  void Compile() { ThrowOnError(TryCompile()); }
  /// The same with a status. What a function of the program threw still comes out.
  Status TryCompile() {
    if (functions_) functions_->thrown = nullptr;
    Status status(OrtModelCompiler_Compile(p_));
    if (p_ == nullptr) return status;
    if (functions_) functions_->rethrow();
    if (listener_ != nullptr && listener_->thrown) {
      std::rethrow_exception(std::exchange(listener_->thrown, nullptr));
    }
    return status;
  }

  /// Files, nodes, times of the last compile, also of a failed one: a JSON object.
  std::string GetReportJson() const {
    const char* report = nullptr;
    ThrowOnError(OrtModelCompiler_GetReportJson(p_, &report));
    return report;
  }

 private:
  detail::ProgressListener* listener_ = nullptr;  // owned by the C object
  std::shared_ptr<detail::CompileFunctions> functions_;
};

#endif  // ORT_CXX_TABLE

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
