// SPDX-License-Identifier: MIT
// Compiling models ahead of time.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "ort_c/cxx/session_options.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

struct Model;

namespace detail {

template <typename T>
struct ConstExternalInitializerInfoImpl : Base<T> {
  using Base<T>::Base;

  std::string GetFilePath() const {
    return text_or_empty(ORT_CXX_CALL(ExternalInitializerInfo_GetFilePath)(this->p_));
  }
  /// In bytes.
  int64_t GetFileOffset() const {
    return ORT_CXX_CALL(ExternalInitializerInfo_GetFileOffset)(this->p_);
  }
  size_t GetByteSize() const { return ORT_CXX_CALL(ExternalInitializerInfo_GetByteSize)(this->p_); }
};

}  // namespace detail

/// Where in a file an initializer is, owned by something else.
using ConstExternalInitializerInfo =
    detail::ConstExternalInitializerInfoImpl<detail::Unowned<const OrtExternalInitializerInfo>>;

/// Where in a file an initializer is.
struct ExternalInitializerInfo
    : detail::ConstExternalInitializerInfoImpl<OrtExternalInitializerInfo> {
  explicit ExternalInitializerInfo(std::nullptr_t) {}
  explicit ExternalInitializerInfo(OrtExternalInitializerInfo* p)
      : ConstExternalInitializerInfoImpl(p) {}
  ExternalInitializerInfo(const detail::Path& path, int64_t file_offset, size_t byte_size) {
    ThrowOnError(Create(path, file_offset, byte_size, *this));
  }
  /// Gives a status where the constructor throws.
  static Status Create(const detail::Path& path, int64_t file_offset, size_t byte_size,
                       ExternalInitializerInfo& out) {
    OrtExternalInitializerInfo* info = nullptr;
    Status status(
        ORT_CXX_CALL(CreateExternalInitializerInfo)(path.c_str(), file_offset, byte_size, &info));
    out.reset(info);
    return status;
  }

  ConstExternalInitializerInfo GetConst() const { return ConstExternalInitializerInfo(p_); }
};

/// What to compile, and where the result goes. One thread at a time.
struct ModelCompilationOptions : detail::Base<OrtModelCompilationOptions> {
  explicit ModelCompilationOptions(std::nullptr_t) {}
  explicit ModelCompilationOptions(OrtModelCompilationOptions* p) : Base(p) {}
  /// Providers and config entries are copied from the session options.
  ModelCompilationOptions(const Env& env, const SessionOptions& session_options)
      : ModelCompilationOptions(env, session_options.GetConst()) {}
  ModelCompilationOptions(const Env& env, ConstSessionOptions session_options) {
    ThrowOnError(ORT_CXX_COMPILE_CALL(CreateModelCompilationOptionsFromSessionOptions)(
        env, session_options, &p_));
  }

  // The model: the last of these counts.

  ModelCompilationOptions& SetInputModelPath(const detail::Path& path) {
    return done(ORT_CXX_COMPILE_CALL(ModelCompilationOptions_SetInputModelPath)(p_, path.c_str()));
  }
  /// The bytes are borrowed until the last compile with these options is done.
  ModelCompilationOptions& SetInputModelFromBuffer(const void* data, size_t size) {
    return done(
        ORT_CXX_COMPILE_CALL(ModelCompilationOptions_SetInputModelFromBuffer)(p_, data, size));
  }
  /// A model of the model editor, which the options keep.
  ModelCompilationOptions& SetInputModel(const OrtModel* model) {
    return done(ORT_CXX_COMPILE_CALL(ModelCompilationOptions_SetInputModel)(p_, model));
  }

  // The result: the last of these counts. Without any it is `<input>_ctx.onnx`.

  ModelCompilationOptions& SetOutputModelPath(const detail::Path& path) {
    return done(ORT_CXX_COMPILE_CALL(ModelCompilationOptions_SetOutputModelPath)(p_, path.c_str()));
  }
  /// All three are borrowed until the compile is done; give the buffer back to the allocator.
  ModelCompilationOptions& SetOutputModelBuffer(OrtAllocator* allocator, void** buffer,
                                                size_t* buffer_size) {
    return done(ORT_CXX_COMPILE_CALL(ModelCompilationOptions_SetOutputModelBuffer)(
        p_, allocator, buffer, buffer_size));
  }
  /// Hands the bytes to a function, piece by piece; it must not throw.
  ModelCompilationOptions& SetOutputModelWriteFunc(OrtWriteBufferFunc write, void* state) {
    return done(GetCompileApi().ModelCompilationOptions_SetOutputModelWriteFunc(p_, write, state));
  }
  /// Moves initializers of `size_threshold` bytes and more to a file beside the model.
  ModelCompilationOptions& SetOutputModelExternalInitializersFile(const detail::Path& path,
                                                                  size_t size_threshold) {
    return done(
        ORT_CXX_COMPILE_CALL(ModelCompilationOptions_SetOutputModelExternalInitializersFile)(
            p_, path.c_str(), size_threshold));
  }
  /// Asks a function where each initializer goes; it must not throw.
  ModelCompilationOptions& SetOutputModelGetInitializerLocationFunc(
      OrtGetInitializerLocationFunc get_location, void* state) {
    return done(GetCompileApi().ModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(
        p_, get_location, state));
  }
  /// true: contexts go into the model; false, the default: into a file beside it.
  ModelCompilationOptions& SetEpContextEmbedMode(bool embed) {
    return done(ORT_CXX_COMPILE_CALL(ModelCompilationOptions_SetEpContextEmbedMode)(p_, embed));
  }
  /// Folder and name for the context binary of a model that is compiled to memory.
  ModelCompilationOptions& SetEpContextBinaryInformation(const detail::Path& output_directory,
                                                         const detail::Path& model_name) {
    return done(ORT_CXX_COMPILE_CALL(ModelCompilationOptions_SetEpContextBinaryInformation)(
        p_, output_directory.c_str(), model_name.c_str()));
  }

  /// Bits of OrtCompileApiFlags: what counts as a failure.
  ModelCompilationOptions& SetFlags(uint32_t flags) {
    return done(ORT_CXX_COMPILE_CALL(ModelCompilationOptions_SetFlags)(p_, flags));
  }
  /// How far the graph is rewritten before providers see it; at first ORT_DISABLE_ALL.
  ModelCompilationOptions& SetGraphOptimizationLevel(GraphOptimizationLevel level) {
    return done(ORT_CXX_COMPILE_CALL(ModelCompilationOptions_SetGraphOptimizationLevel)(p_, level));
  }

 private:
  ModelCompilationOptions& done(OrtStatus* status) {
    ThrowOnError(status);
    return *this;
  }
};

/// Compiles and waits for the end. Output is all or nothing. Throws nothing: look at the status.
inline Status CompileModel(const Env& env, const ModelCompilationOptions& options) {
  return Status(ORT_CXX_COMPILE_CALL(CompileModel)(env, options));
}

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
  ModelCompiler(const Env& env, const ModelCompilationOptions& options) {
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
  /// The same with a status. An exception of the progress function still comes out.
  Status TryCompile() {
    Status status(OrtModelCompiler_Compile(p_));
#if !defined(ORT_NO_EXCEPTIONS)
    if (p_ != nullptr && listener_ != nullptr && listener_->thrown) {
      std::rethrow_exception(std::exchange(listener_->thrown, nullptr));
    }
#endif
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
