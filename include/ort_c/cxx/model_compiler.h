// SPDX-License-Identifier: MIT
// The compiler as an object, and looking into what it wrote: ortc's own.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ort_c/cxx/compile.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

#if !defined(ORT_API_MANUAL_INIT)

/// How far a compile has come. The texts live for the call of the callback.
struct CompileProgress {
  std::string_view stage;   // "load", "optimise", "partition", "compile", "write"
  std::string_view detail;  // as a node's or a file's name; may be empty
  size_t done;              // steps of this stage
  size_t total;             // 0 when not known
};

/// A compiler with progress and a report: ortc's own. One thread at a time.
///
///   Ort::ModelCompiler compiler(env, options);
///   compiler.SetProgress([](const Ort::CompileProgress& at) { return !cancelled; });
///   compiler.Compile();
struct ModelCompiler : detail::Base<OrtModelCompiler> {
  explicit ModelCompiler(std::nullptr_t) {}
  /// Copies the options; buffers that they borrow must live as long as the compiler.
  ModelCompiler(const Env& env, const ModelCompilationOptions& options)
      : functions_(options.kept_functions()) {
    ThrowOnError(OrtCreateModelCompiler(env, options, &p_));
  }

  /// Sets who hears about progress, from any thread, one call at a time. A result of false stops
  /// the compile, which fails with MODEL_LOAD_CANCELED; what the function throws comes out of
  /// Compile().
  ModelCompiler& SetProgress(std::function<bool(const CompileProgress&)> progress) {
    auto listener = std::make_unique<Listener>();
    listener->hear = std::move(progress);
    Listener* const kept = listener.get();
    ThrowOnError(OrtModelCompiler_SetProgress(p_, Listener::call, kept, Listener::end));
    listener.release();  // the compiler's now
    listener_ = kept;
    return *this;
  }

  /// Compiles and waits for the end. May be called again: it compiles anew.
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
  struct Listener {
    std::function<bool(const CompileProgress&)> hear;
    std::exception_ptr thrown;

    static OrtStatus* call(void* state, const char* stage, const char* detail, size_t done,
                           size_t total) {
      auto& self = *static_cast<Listener*>(state);
      if (!self.hear) return nullptr;
#if defined(ORT_NO_EXCEPTIONS)
      const bool goes_on = self.hear({stage, detail, done, total});
#else
      bool goes_on = false;
      try {
        goes_on = self.hear({stage, detail, done, total});
      } catch (...) {
        self.thrown = std::current_exception();
      }
#endif
      if (goes_on) return nullptr;
      return OrtCreateStatus(ORT_MODEL_LOAD_CANCELED, "the progress function stopped the compile");
    }
    static void end(void* state) { delete static_cast<Listener*>(state); }
  };

  Listener* listener_ = nullptr;  // owned by the C object
  std::shared_ptr<detail::CompileFunctions> functions_;
};

/// What is in a model or context file, without making a session: a JSON object.
///
/// `flags`  As for OrtInspectFile().
inline std::string InspectFileJson(const detail::Path& path, uint32_t flags = 0) {
  OrtInspection* inspection = nullptr;
  ThrowOnError(OrtInspectFile(path.c_str(), flags, &inspection));
  struct Give {
    OrtInspection* inspection;
    ~Give() { OrtReleaseInspection(inspection); }
  } give{inspection};
  const char* json = nullptr;
  ThrowOnError(OrtInspection_GetJson(inspection, &json));
  return json;
}

#endif  // ORT_API_MANUAL_INIT

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
