// SPDX-License-Identifier: MIT
// Compiling models ahead of time: what, and where the result goes.
#pragma once

#include <memory>
#include <utility>

#include "ort_c/cxx/compile_functions.h"
#include "ort_c/cxx/session_options.h"

namespace Ort {
inline namespace ORT_CXX_NAMESPACE {

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
  /// Hands the bytes to a function, piece by piece; it must not throw, and stay callable.
  ModelCompilationOptions& SetOutputModelWriteFunc(OrtWriteBufferFunc write, void* state) {
    return done(
        ORT_CXX_COMPILE_CALL(ModelCompilationOptions_SetOutputModelWriteFunc)(p_, write, state));
  }
  /// Moves initializers of `size_threshold` bytes and more to a file beside the model.
  ModelCompilationOptions& SetOutputModelExternalInitializersFile(const detail::Path& path,
                                                                  size_t size_threshold) {
    return done(
        ORT_CXX_COMPILE_CALL(ModelCompilationOptions_SetOutputModelExternalInitializersFile)(
            p_, path.c_str(), size_threshold));
  }
  /// To a block of the allocator, which the model calls `logical_name`; give it back to it.
  ModelCompilationOptions& SetOutputModelExternalInitializersBuffer(
      const detail::Path& logical_name, size_t size_threshold, OrtAllocator* allocator,
      void** buffer, size_t* size) {
    return done(
        ORT_CXX_COMPILE_CALL(ModelCompilationOptions_SetOutputModelExternalInitializersBuffer)(
            p_, logical_name.c_str(), size_threshold, allocator, buffer, size));
  }
  /// Where initializers of `minimum_size` bytes and more begin, in either.
  ModelCompilationOptions& SetOutputModelExternalInitializersAlignment(size_t alignment,
                                                                       size_t minimum_size) {
    return done(
        ORT_CXX_COMPILE_CALL(ModelCompilationOptions_SetOutputModelExternalInitializersAlignment)(
            p_, alignment, minimum_size));
  }
  /// Asks a function where each initializer goes; it must not throw, and stay callable.
  ModelCompilationOptions& SetOutputModelGetInitializerLocationFunc(
      OrtGetInitializerLocationFunc get_location, void* state) {
    return done(ORT_CXX_COMPILE_CALL(
        ModelCompilationOptions_SetOutputModelGetInitializerLocationFunc)(p_, get_location, state));
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
  /// Contexts without weights, which are then found in the source model.
  ModelCompilationOptions& SetWeightlessEnabled(bool use_weightless) {
    return done(
        ORT_CXX_COMPILE_CALL(ModelCompilationOptions_SetWeightlessEnabled)(p_, use_weightless));
  }

  // The same with functions that have a state of their own, kept by these options and by compilers
  // made of them. What they throw ends the compile: it comes out of ModelCompiler::Compile(), and
  // is the text of CompileModel()'s status. Compile in one thread at a time with them.

  /// Hands the bytes of the model to a function, piece by piece.
  ModelCompilationOptions& SetOutputModelWriter(std::function<void(Span<const char>)> write) {
    functions().write_model = std::move(write);
    return SetOutputModelWriteFunc(detail::CompileFunctions::call_write_model, functions_.get());
  }
  /// Asks a function where each initializer goes that stays in the compiled model; an
  /// ExternalInitializerInfo(nullptr) leaves it in the model. The parameters are its name, its
  /// content, and where the source had it (nullptr: in the model); they live for the call.
  ModelCompilationOptions& SetInitializerLocator(
      std::function<ExternalInitializerInfo(const char*, ConstValue, ConstExternalInitializerInfo)>
          locate) {
    functions().locate = std::move(locate);
    return SetOutputModelGetInitializerLocationFunc(detail::CompileFunctions::call_locate,
                                                    functions_.get());
  }
#if !defined(ORT_CXX_TABLE)
  /// Hands each context binary to a function, whole, in place of a file; its name is what
  /// EPContext nodes say.
  ModelCompilationOptions& SetEpContextDataWriter(
      std::function<void(const char*, Span<const char>)> write) {
    functions().write_context = std::move(write);
    return SetEpContextDataWriteFunc(detail::CompileFunctions::call_write_context,
                                     functions_.get());
  }
#endif
  /// The same with a C function, which must not throw, and stay callable; nullptr: to files.
  ModelCompilationOptions& SetEpContextDataWriteFunc(OrtWriteNamedBufferFunc write,
                                                     void* state = nullptr) {
    return done(
        ORT_CXX_COMPILE_CALL(ModelCompilationOptions_SetEpContextDataWriteFunc)(p_, write, state));
  }

  /// For compilers: what the setters above keep; nullptr when there is nothing.
  const std::shared_ptr<detail::CompileFunctions>& kept_functions() const { return functions_; }

 private:
  ModelCompilationOptions& done(OrtStatus* status) {
    ThrowOnError(status);
    return *this;
  }
  detail::CompileFunctions& functions() {
    if (!functions_) functions_ = std::make_shared<detail::CompileFunctions>();
    return *functions_;
  }

  std::shared_ptr<detail::CompileFunctions> functions_;
};

/// Compiles and waits for the end. Output is all or nothing. Throws nothing: look at the status.
inline Status CompileModel(const Env& env, const ModelCompilationOptions& options) {
  return Status(ORT_CXX_COMPILE_CALL(CompileModel)(env, options));
}

}  // namespace ORT_CXX_NAMESPACE
}  // namespace Ort
