// SPDX-License-Identifier: MIT
// Compiling a model ahead of time: from an ONNX model to a model whose compiled parts are EPContext
// nodes, with their data in a context binary beside it or inside.
//
//   OrtModelCompilationOptions* options = NULL;
//   OrtCreateModelCompilationOptionsFromSessionOptions(env, session_options, &options);
//   OrtModelCompilationOptions_SetInputModelPath(options, "m.onnx");
//   OrtModelCompilationOptions_SetOutputModelPath(options, "m_ctx.onnx");
//   OrtCompileModel(env, options);
//
// OrtModelCompiler is the same with progress and a report. Output is all or nothing: after a
// failure the files that were there before are there still.
#pragma once

#include "ort_c/allocator.h"
#include "ort_c/session_options.h"
#include "ort_c/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Makes compile options from session options.
///
/// Execution providers, config entries and so on are copied. The graph optimization level starts at
/// ORT_DISABLE_ALL, contexts go to a file beside the model, existing files are replaced.
///
/// `env`              Borrowed; may be released before the result.
/// `session_options`  Borrowed for this call; later changes have no effect here.
/// `out`              A new object; give it back with OrtReleaseModelCompilationOptions(). NULL
///                    after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateModelCompilationOptionsFromSessionOptions(
    const OrtEnv* env, const OrtSessionOptions* session_options, OrtModelCompilationOptions** out);

/// Gives compile options back.
///
/// `options`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseModelCompilationOptions(OrtModelCompilationOptions* options);

/// Takes the model from a file. The last call that names an input counts.
///
/// `input_model_path`  Copied, UTF-8. External data are looked for beside the file.
///
/// Fails with INVALID_ARGUMENT for NULL or an empty path. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtModelCompilationOptions_SetInputModelPath(
    OrtModelCompilationOptions* model_compile_options, const char* input_model_path);

/// Takes the model from memory. The last call that names an input counts.
///
/// `input_model_data`       Borrowed until the last compile with these options is done.
/// `input_model_data_size`  In bytes, at least 1.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtModelCompilationOptions_SetInputModelFromBuffer(
    OrtModelCompilationOptions* model_compile_options, const void* input_model_data,
    size_t input_model_data_size);

/// Writes the compiled model to a file. The last call that names an output counts.
///
/// `output_model_path`  Copied, UTF-8; needs a file name with extension. Without any output it is
///                      the input's path with `_ctx.onnx` in place of the extension.
///
/// Fails with INVALID_ARGUMENT for NULL or an empty path. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtModelCompilationOptions_SetOutputModelPath(
    OrtModelCompilationOptions* model_compile_options, const char* output_model_path);

/// Writes the compiled model to memory. The last call that names an output counts.
///
/// `allocator`                     Borrowed until the compile is done. Gives the memory.
/// `output_model_buffer_ptr`       Borrowed until then. Set to the bytes; give them back with
///                                 OrtAllocatorFree(). NULL after a failure.
/// `output_model_buffer_size_ptr`  Borrowed until then. Set to their number; 0 after a failure.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtModelCompilationOptions_SetOutputModelBuffer(
    OrtModelCompilationOptions* model_compile_options, OrtAllocator* allocator,
    void** output_model_buffer_ptr, size_t* output_model_buffer_size_ptr);

/// Takes the next piece of a compiled model.
///
/// `state`             The pointer given together with the function.
/// `buffer`            Lives for this call.
/// `buffer_num_bytes`  1 to 1048576. All of them must be taken.
///
/// NULL goes on. Any other result ends the compile, which returns that status with code and text
/// unchanged; the library takes the object over. Called in order, from the thread that compiles,
/// never while the library holds a lock of this process; that of the output's folder may be held.
typedef OrtStatus* (*OrtWriteBufferFunc)(void* state, const void* buffer, size_t buffer_num_bytes);

/// Writes the compiled model to a function. The last call that names an output counts.
///
/// The function is called when everything else is written and safe: what fails after its first
/// call is the function itself, or the renaming of files. A binary that is not embedded goes where
/// OrtModelCompilationOptions_SetEpContextBinaryInformation() says.
///
/// `write_func`  Must stay callable until the last compile with these options is done.
/// `state`       Passed to each call. Stays the caller's.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtModelCompilationOptions_SetOutputModelWriteFunc(
    OrtModelCompilationOptions* model_compile_options, OrtWriteBufferFunc write_func, void* state);

/// Says where an initializer of the compiled model stands.
///
/// `state`              The pointer given together with the function.
/// `initializer_name`   Lives for this call.
/// `initializer_value`  Borrowed; lives for this call. Never strings.
/// `external_info`      Where the source had it. Borrowed; NULL when it stood in the model.
/// `new_external_info`  NULL beforehand, which keeps the initializer in the model. Else a new
///                      object of OrtCreateExternalInitializerInfo(), never `external_info` itself;
///                      the library takes it over and writes the place into the model. The program
///                      sees to the bytes. The path is relative to the model and stays beneath its
///                      folder; the size is that of the initializer.
///
/// NULL goes on. Any other result ends the compile, as of OrtWriteBufferFunc.
typedef OrtStatus* (*OrtGetInitializerLocationFunc)(void* state, const char* initializer_name,
                                                    const OrtValue* initializer_value,
                                                    const OrtExternalInitializerInfo* external_info,
                                                    OrtExternalInitializerInfo** new_external_info);

/// Has a function say where each initializer stands that stays in the compiled model. It is called
/// once for each, those of inner graphs first, by name in each graph; not for those that a compiled
/// part took.
///
/// `get_initializer_location_func`  Must stay callable until the last compile with these options is
///                                  done. In place of an external initializers file; the last call
///                                  of both counts.
/// `state`                          Passed to each call. Stays the caller's.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(
    OrtModelCompilationOptions* model_compile_options,
    OrtGetInitializerLocationFunc get_initializer_location_func, void* state);

/// Writes initializers of the compiled model into one block of memory, in place of a file or of the
/// model. The last call that names a place for initializers counts.
///
/// `logical_file_name`   Copied. What the model calls the block: a path relative to it, under which
///                       readers get the bytes, from a file or from
///                       OrtAddExternalInitializersFromFilesInMemory(). Leading "./" are dropped.
/// `external_initializers_size_threshold`  In bytes; smaller ones stay in the model.
/// `allocator`           Borrowed until the compile is done. Gives the memory, of the host.
/// `output_buffer_ptr`   Borrowed until then. Set to the bytes, when all has succeeded; give them
///                       back with OrtAllocatorFree(). NULL when no initializer is that large. As
///                       it was after a failure.
/// `output_buffer_size_ptr`  Borrowed until then. Set to their number, likewise.
///
/// Fails with INVALID_ARGUMENT; so does the compile when the model goes to the same places. One
/// thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtModelCompilationOptions_SetOutputModelExternalInitializersBuffer(
    OrtModelCompilationOptions* model_compile_options, const char* logical_file_name,
    size_t external_initializers_size_threshold, OrtAllocator* allocator, void** output_buffer_ptr,
    size_t* output_buffer_size_ptr);

/// Says where large initializers begin in the file or block that they go to; all others begin on 64
/// bytes. Without this call those of 64 KiB and more begin on 4 KiB, so that they can be mapped.
///
/// `alignment`     In bytes: a power of two up to 2^30, or 0 to treat all alike.
/// `minimum_size`  In bytes: those that are smaller are not large.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtModelCompilationOptions_SetOutputModelExternalInitializersAlignment(
    OrtModelCompilationOptions* model_compile_options, size_t alignment, size_t minimum_size);

/// Takes one context binary whole, in place of a file.
///
/// `state`             The pointer given together with the function.
/// `file_name`         What the EPContext node says; lives for this call.
/// `buffer`            Lives for this call.
/// `buffer_num_bytes`  At least 1.
///
/// NULL goes on. Any other result ends the compile, as of OrtWriteBufferFunc.
typedef OrtStatus* (*OrtWriteNamedBufferFunc)(void* state, const char* file_name,
                                              const void* buffer, size_t buffer_num_bytes);

/// Gives context binaries to a function: none is written to a file then. Has no effect on contexts
/// that are embedded.
///
/// Called once for each binary, before the model is written. A compile that fails afterwards says
/// so by its status: what the function took must be dropped then.
///
/// `write_func`  Must stay callable until the last compile with these options is done. NULL: they
///               are files.
/// `state`       Passed to each call. Stays the caller's.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtModelCompilationOptions_SetEpContextDataWriteFunc(
    OrtModelCompilationOptions* model_compile_options, OrtWriteNamedBufferFunc write_func,
    void* state);

/// Compiles without weights: contexts find them in the source model when they are loaded
/// (`ep.context_source_model_path`, OrtSessionOptionsSetWeightlessSourceModelBuffer()).
///
/// `use_weightless`  In place of the entry `ep.enable_weightless`.
///
/// Compiling fails with EP_FAIL when an execution provider that compiles a part cannot do so.
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtModelCompilationOptions_SetWeightlessEnabled(
    OrtModelCompilationOptions* model_compile_options, bool use_weightless);

/// Moves initializers that stay in the compiled model to a file of their own.
///
/// `external_initializers_file_path`      Copied. Relative to the folder of the output model; an
///                                        absolute path fails at compile time.
/// `external_initializers_size_threshold` In bytes. Smaller initializers stay in the model.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtModelCompilationOptions_SetOutputModelExternalInitializersFile(
    OrtModelCompilationOptions* model_compile_options, const char* external_initializers_file_path,
    size_t external_initializers_size_threshold);

/// Chooses where context data go.
///
/// `embed_ep_context_in_model`  true: into the model. false: into a file beside it. Until it is
///                              said here, ep.context_embed_mode of the session options counts.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtModelCompilationOptions_SetEpContextEmbedMode(
    OrtModelCompilationOptions* model_compile_options, bool embed_ep_context_in_model);

/// Names the context binary of a model that is compiled to memory.
///
/// Without it the binary goes where ep.context_file_path of the session options says, else beside
/// the source; from memory there is no such place.
///
/// `output_directory`  Copied, UTF-8. The folder for the binary; with or without trailing slash.
/// `model_name`        Copied. The name of the model, from which that of the binary is made.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtModelCompilationOptions_SetEpContextBinaryInformation(
    OrtModelCompilationOptions* model_compile_options, const char* output_directory,
    const char* model_name);

/// Sets what counts as a failure.
///
/// `flags`  Bits of OrtCompileApiFlags; others are ignored.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtModelCompilationOptions_SetFlags(
    OrtModelCompilationOptions* model_compile_options, uint32_t flags);

/// Chooses how far the graph is rewritten before execution providers see it.
///
/// `graph_optimization_level`  The level of the session options does not count here. The compiling
///                             provider optimises its own parts at full strength at any level.
///
/// Fails with INVALID_ARGUMENT for an unknown level. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtModelCompilationOptions_SetGraphOptimizationLevel(
    OrtModelCompilationOptions* model_compile_options,
    GraphOptimizationLevel graph_optimization_level);

/// Compiles a model and waits for the end.
///
/// `env`            Borrowed.
/// `model_options`  Borrowed for this call.
///
/// Fails with INVALID_ARGUMENT (no input, the input file is missing, no output can be named),
/// INVALID_PROTOBUF, INVALID_GRAPH (a broken model, or one that is compiled already),
/// NOT_IMPLEMENTED (the message names the operator), FAIL (the output exists, nothing was compiled,
/// files cannot be written), or what an execution provider says. Thread-safe. Reads and writes
/// files. Since 1.0.
ORTC_API OrtStatus* OrtCompileModel(const OrtEnv* env,
                                    const OrtModelCompilationOptions* model_options);

// The compiler as an object: ortc's own.

/// Makes a compiler.
///
/// `env`      Borrowed; may be released before the compiler.
/// `options`  Borrowed for this call; later changes have no effect here. Buffers that the options
///            borrow must live until the compiler is released.
/// `out`      A new object; give it back with OrtReleaseModelCompiler(). NULL after a failure.
///
/// Fails with INVALID_ARGUMENT. Thread-safe. Since 1.0.
ORTC_API OrtStatus* OrtCreateModelCompiler(const OrtEnv* env,
                                           const OrtModelCompilationOptions* options,
                                           OrtModelCompiler** out);

/// Sets who hears about progress, in place of an earlier one.
///
/// `compiler`  Changed. Must not be compiling.
/// `progress`  NULL: none.
/// `state`     Passed to each call. After success it belongs to the compiler; after a failure it
///             stays the caller's and `release` is not called.
/// `release`   Called once with `state`, when it is replaced or the compiler is released. NULL when
///             there is nothing to give back.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtModelCompiler_SetProgress(OrtModelCompiler* compiler, OrtProgressFn progress,
                                                 void* state, OrtReleaseStateFn release);

/// Limits how long each compile may take.
///
/// `compiler`      Changed. Must not be compiling.
/// `milliseconds`  From the begin of OrtModelCompiler_Compile(). 0: no limit, the default.
///
/// Fails with INVALID_ARGUMENT. One thread at a time. Since 1.0.
ORTC_API OrtStatus* OrtModelCompiler_SetDeadline(OrtModelCompiler* compiler, uint64_t milliseconds);

/// Stops the compile at work, or the next one when there is none. It ends soon
/// (between two nodes, tensors or 16 MB of a file) with MODEL_LOAD_CANCELED, and leaves nothing
/// behind; when all its files are in place already it succeeds.
///
/// `compiler`  Must live until the call returns.
///
/// Fails with INVALID_ARGUMENT. Thread-safe; not from a signal handler. Since 1.0.
ORTC_API OrtStatus* OrtModelCompiler_Cancel(OrtModelCompiler* compiler);

/// Compiles and waits for the end. May be called again: it then compiles again.
///
/// `compiler`  Changed: has a new report afterwards, also after a failure.
///
/// Fails as OrtCompileModel() does, with MODEL_LOAD_CANCELED after a cancel or the deadline, or
/// with the status of the progress callback. One thread at a time. Reads and writes files.
/// Since 1.0.
ORTC_API OrtStatus* OrtModelCompiler_Compile(OrtModelCompiler* compiler);

/// Shows the report of the last compile as a JSON object: files written with their sizes, EPContext
/// nodes by execution provider, nodes left to the CPU with the reason, time by stage.
///
/// Members may be added in later releases; none changes its meaning. Times end in `ms`, sizes in
/// `bytes`. After a failed compile the report tells how far it came.
///
/// `compiler`  Borrowed. Must not be compiling.
/// `out`       Borrowed; lives until the next compile or the release. NULL after a failure.
///
/// Fails with INVALID_ARGUMENT, or NOT_FOUND when nothing was compiled yet. Since 1.0.
ORTC_API OrtStatus* OrtModelCompiler_GetReportJson(const OrtModelCompiler* compiler,
                                                   const char** out);

/// Gives a compiler back. It must not be compiling.
///
/// `compiler`  Ends here. NULL is allowed.
///
/// Since 1.0.
ORTC_API void OrtReleaseModelCompiler(OrtModelCompiler* compiler);

#ifdef __cplusplus
}
#endif
