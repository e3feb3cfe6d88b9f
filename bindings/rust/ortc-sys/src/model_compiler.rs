// SPDX-License-Identifier: MIT
//! `model_compiler.h`. Compiling a model ahead of time: from an ONNX model to a model whose
//! compiled parts are EPContext nodes, with their data in a context binary beside it or inside.

use std::os::raw::{c_char, c_void};

use crate::*;

extern "C" {
    /// Makes compile options from session options.
    pub fn OrtCreateModelCompilationOptionsFromSessionOptions(
        env: *const OrtEnv,
        session_options: *const OrtSessionOptions,
        out: *mut *mut OrtModelCompilationOptions,
    ) -> *mut OrtStatus;
    /// Gives compile options back.
    pub fn OrtReleaseModelCompilationOptions(options: *mut OrtModelCompilationOptions);
    /// Takes the model from a file.
    pub fn OrtModelCompilationOptions_SetInputModelPath(
        model_compile_options: *mut OrtModelCompilationOptions,
        input_model_path: *const c_char,
    ) -> *mut OrtStatus;
    /// Takes the model from memory.
    pub fn OrtModelCompilationOptions_SetInputModelFromBuffer(
        model_compile_options: *mut OrtModelCompilationOptions,
        input_model_data: *const c_void,
        input_model_data_size: usize,
    ) -> *mut OrtStatus;
    /// Writes the compiled model to a file.
    pub fn OrtModelCompilationOptions_SetOutputModelPath(
        model_compile_options: *mut OrtModelCompilationOptions,
        output_model_path: *const c_char,
    ) -> *mut OrtStatus;
    /// Writes the compiled model to memory.
    pub fn OrtModelCompilationOptions_SetOutputModelBuffer(
        model_compile_options: *mut OrtModelCompilationOptions,
        allocator: *mut OrtAllocator,
        output_model_buffer_ptr: *mut *mut c_void,
        output_model_buffer_size_ptr: *mut usize,
    ) -> *mut OrtStatus;
    /// Writes the compiled model to a function.
    pub fn OrtModelCompilationOptions_SetOutputModelWriteFunc(
        model_compile_options: *mut OrtModelCompilationOptions,
        write_func: OrtWriteBufferFunc,
        state: *mut c_void,
    ) -> *mut OrtStatus;
    /// Has a function say where each initializer stands that stays in the compiled model.
    pub fn OrtModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(
        model_compile_options: *mut OrtModelCompilationOptions,
        get_initializer_location_func: OrtGetInitializerLocationFunc,
        state: *mut c_void,
    ) -> *mut OrtStatus;
    /// Writes initializers of the compiled model into one block of memory, in place of a file or of
    /// the model.
    pub fn OrtModelCompilationOptions_SetOutputModelExternalInitializersBuffer(
        model_compile_options: *mut OrtModelCompilationOptions,
        logical_file_name: *const c_char,
        external_initializers_size_threshold: usize,
        allocator: *mut OrtAllocator,
        output_buffer_ptr: *mut *mut c_void,
        output_buffer_size_ptr: *mut usize,
    ) -> *mut OrtStatus;
    /// Says where large initializers begin in the file or block that they go to.
    pub fn OrtModelCompilationOptions_SetOutputModelExternalInitializersAlignment(
        model_compile_options: *mut OrtModelCompilationOptions,
        alignment: usize,
        minimum_size: usize,
    ) -> *mut OrtStatus;
    /// Gives context binaries to a function: none is written to a file then.
    pub fn OrtModelCompilationOptions_SetEpContextDataWriteFunc(
        model_compile_options: *mut OrtModelCompilationOptions,
        write_func: OrtWriteNamedBufferFunc,
        state: *mut c_void,
    ) -> *mut OrtStatus;
    /// Compiles without weights: contexts find them in the source model when they are loaded
    /// (`ep.context_source_model_path`, OrtSessionOptionsSetWeightlessSourceModelBuffer()).
    pub fn OrtModelCompilationOptions_SetWeightlessEnabled(
        model_compile_options: *mut OrtModelCompilationOptions,
        use_weightless: bool,
    ) -> *mut OrtStatus;
    /// Moves initializers that stay in the compiled model to a file of their own.
    pub fn OrtModelCompilationOptions_SetOutputModelExternalInitializersFile(
        model_compile_options: *mut OrtModelCompilationOptions,
        external_initializers_file_path: *const c_char,
        external_initializers_size_threshold: usize,
    ) -> *mut OrtStatus;
    /// Chooses where context data go.
    pub fn OrtModelCompilationOptions_SetEpContextEmbedMode(
        model_compile_options: *mut OrtModelCompilationOptions,
        embed_ep_context_in_model: bool,
    ) -> *mut OrtStatus;
    /// Names the context binary of a model that is compiled to memory.
    pub fn OrtModelCompilationOptions_SetEpContextBinaryInformation(
        model_compile_options: *mut OrtModelCompilationOptions,
        output_directory: *const c_char,
        model_name: *const c_char,
    ) -> *mut OrtStatus;
    /// Sets what counts as a failure.
    pub fn OrtModelCompilationOptions_SetFlags(
        model_compile_options: *mut OrtModelCompilationOptions,
        flags: u32,
    ) -> *mut OrtStatus;
    /// Chooses how far the graph is rewritten before execution providers see it.
    pub fn OrtModelCompilationOptions_SetGraphOptimizationLevel(
        model_compile_options: *mut OrtModelCompilationOptions,
        graph_optimization_level: GraphOptimizationLevel,
    ) -> *mut OrtStatus;
    /// Compiles a model and waits for the end.
    pub fn OrtCompileModel(
        env: *const OrtEnv,
        model_options: *const OrtModelCompilationOptions,
    ) -> *mut OrtStatus;
    /// Makes a compiler.
    pub fn OrtCreateModelCompiler(
        env: *const OrtEnv,
        options: *const OrtModelCompilationOptions,
        out: *mut *mut OrtModelCompiler,
    ) -> *mut OrtStatus;
    /// Sets who hears about progress, in place of an earlier one.
    pub fn OrtModelCompiler_SetProgress(
        compiler: *mut OrtModelCompiler,
        progress: OrtProgressFn,
        state: *mut c_void,
        release: OrtReleaseStateFn,
    ) -> *mut OrtStatus;
    /// Limits how long each compile may take.
    pub fn OrtModelCompiler_SetDeadline(
        compiler: *mut OrtModelCompiler,
        milliseconds: u64,
    ) -> *mut OrtStatus;
    /// Stops the compile at work, or the next one when there is none.
    pub fn OrtModelCompiler_Cancel(compiler: *mut OrtModelCompiler) -> *mut OrtStatus;
    /// Compiles and waits for the end.
    pub fn OrtModelCompiler_Compile(compiler: *mut OrtModelCompiler) -> *mut OrtStatus;
    /// Shows the report of the last compile as a JSON object: files written with their sizes,
    /// EPContext nodes by execution provider, nodes left to the CPU with the reason, time by stage.
    pub fn OrtModelCompiler_GetReportJson(
        compiler: *const OrtModelCompiler,
        out: *mut *const c_char,
    ) -> *mut OrtStatus;
    /// Gives a compiler back.
    pub fn OrtReleaseModelCompiler(compiler: *mut OrtModelCompiler);
}
