// SPDX-License-Identifier: MIT
//! Compiling a model ahead of time.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use ortc_sys as sys;

use super::compile_options::{Memories, Target};
use super::functions::{self, Functions, Output};
use super::ExternalInitializer;
use crate::call::Owned;
use crate::callback::{resume, CallbackResult, Progress, ProgressAnswer, Slot};
use crate::cancel::CancelToken;
use crate::env::Env;
use crate::error::{Error, Result};
use crate::graph::Model;
use crate::options::SessionOptions;
use crate::text::{text, Taken};
use crate::value::Value;
use crate::{CompileFlags, ErrorCode, GraphOptimizationLevel};

/// Compiles a model to a model whose compiled parts are EPContext nodes, with their data in a
/// context binary beside it or inside.
///
/// Output is all or nothing: after a failure the files that were there before are there still. A
/// compile gives its report, a JSON object: files written, nodes by execution provider, nodes left
/// to the CPU with the reason, time by stage. After a failure the error's details have it, as
/// `report`.
///
/// ```no_run
/// use ortc::{Env, ModelCompiler, SessionOptions};
///
/// let env = Env::new("example")?;
/// let mut options = SessionOptions::new()?;
/// options.add_provider("AOT", &[])?;
/// let report = ModelCompiler::new(&env, &options)?
///     .input("model.onnx")
///     .on_progress(|step| eprintln!("{} {:.0} %", step.stage, 100.0 * step.fraction))
///     .compile_to_file("model_ctx.onnx")?;
/// # Ok::<(), ortc::Error>(())
/// ```
#[must_use]
pub struct ModelCompiler<'a> {
    pub(super) env: Env,
    pub(super) options: SessionOptions,
    pub(super) input: Option<Input<'a>>,
    pub(super) external_initializers: Option<(PathBuf, usize)>,
    pub(super) external_initializers_alignment: Option<(usize, usize)>,
    pub(super) embed: Option<bool>,
    pub(super) weightless: Option<bool>,
    pub(super) binary_information: Option<(PathBuf, String)>,
    pub(super) flags: Option<CompileFlags>,
    pub(super) level: Option<GraphOptimizationLevel>,
    deadline: Option<Duration>,
    tokens: Vec<CancelToken>,
    pub(super) functions: Box<Functions<'a>>,
}

pub(super) enum Input<'a> {
    File(PathBuf),
    Bytes(Cow<'a, [u8]>),
    Model(&'a Model),
}

impl<'a> ModelCompiler<'a> {
    /// A compiler with a copy of session options: their providers, config entries and so on.
    pub fn new(env: &Env, options: &SessionOptions) -> Result<Self> {
        Ok(ModelCompiler {
            env: env.clone(),
            options: options.try_clone()?,
            input: None,
            external_initializers: None,
            external_initializers_alignment: None,
            embed: None,
            weightless: None,
            binary_information: None,
            flags: None,
            level: None,
            deadline: None,
            tokens: Vec::new(),
            functions: Box::default(),
        })
    }

    /// Takes the model from a file. External data are looked for beside it.
    #[doc(alias = "OrtModelCompilationOptions_SetInputModelPath")]
    pub fn input(mut self, path: impl Into<PathBuf>) -> Self {
        self.input = Some(Input::File(path.into()));
        self
    }

    /// Takes the model from memory.
    #[doc(alias = "OrtModelCompilationOptions_SetInputModelFromBuffer")]
    pub fn input_bytes(mut self, bytes: impl Into<Cow<'a, [u8]>>) -> Self {
        self.input = Some(Input::Bytes(bytes.into()));
        self
    }

    /// Takes a model of the model editor. Where the output goes must be said.
    #[doc(alias = "OrtModelCompilationOptions_SetInputModel")]
    pub fn input_model(mut self, model: &'a Model) -> Self {
        self.input = Some(Input::Model(model));
        self
    }

    /// Moves initializers that stay in the compiled model to a file of their own, relative to the
    /// folder of the output; those of fewer bytes than the threshold stay.
    #[doc(alias = "OrtModelCompilationOptions_SetOutputModelExternalInitializersFile")]
    pub fn external_initializers(mut self, path: impl Into<PathBuf>, threshold: usize) -> Self {
        self.functions.location = None; // the last call of both counts
        self.external_initializers = Some((path.into(), threshold));
        self
    }

    /// Says where initializers of so many bytes and more begin in the file or block that they go to:
    /// an alignment of 0, or a power of two up to 2^30. All others begin on 64 bytes. By default
    /// those of 64 KiB and more begin on 4 KiB.
    #[doc(alias = "OrtModelCompilationOptions_SetOutputModelExternalInitializersAlignment")]
    pub fn external_initializers_alignment(
        mut self,
        alignment: usize,
        minimum_size: usize,
    ) -> Self {
        self.external_initializers_alignment = Some((alignment, minimum_size));
        self
    }

    /// Has a closure say where each initializer stands that stays in the compiled model. It gets
    /// the name, the value, and where the source had it; `None` keeps it in the model. The program
    /// sees to the bytes.
    #[doc(alias = "OrtModelCompilationOptions_SetOutputModelGetInitializerLocationFunc")]
    pub fn initializer_location<F>(mut self, location: F) -> Self
    where
        F: FnMut(
                &str,
                &Value,
                Option<ExternalInitializer>,
            ) -> CallbackResult<Option<ExternalInitializer>>
            + Send
            + 'a,
    {
        self.external_initializers = None; // the last call of both counts
        self.functions.location = Some(Mutex::new(Box::new(location)));
        self
    }

    /// Gives context binaries to a closure, with the names that EPContext nodes have for them: none
    /// is written to a file then. Has no effect on contexts that are embedded. What the closure
    /// took must be dropped when the compile fails afterwards.
    #[doc(alias = "OrtModelCompilationOptions_SetEpContextDataWriteFunc")]
    pub fn context_data_writer<F>(mut self, write: F) -> Self
    where
        F: FnMut(&str, &[u8]) -> CallbackResult + Send + 'a,
    {
        self.functions.data = Some(Mutex::new(Box::new(write)));
        self
    }

    /// Chooses where context data go: into the model, or into a file beside it, the default.
    #[doc(alias = "OrtModelCompilationOptions_SetEpContextEmbedMode")]
    pub fn embed(mut self, embed: bool) -> Self {
        self.embed = Some(embed);
        self
    }

    /// Compiles without weights: contexts find them in the source model when they are loaded.
    #[doc(alias = "OrtModelCompilationOptions_SetWeightlessEnabled")]
    pub fn weightless(mut self, weightless: bool) -> Self {
        self.weightless = Some(weightless);
        self
    }

    /// Names the context binary of a model that is compiled to memory: its folder, and the name of
    /// the model, from which that of the binary is made.
    #[doc(alias = "OrtModelCompilationOptions_SetEpContextBinaryInformation")]
    pub fn binary_information(mut self, folder: impl Into<PathBuf>, model: &str) -> Self {
        self.binary_information = Some((folder.into(), model.into()));
        self
    }

    /// Sets what counts as a failure.
    #[doc(alias = "OrtModelCompilationOptions_SetFlags")]
    pub fn flags(mut self, flags: CompileFlags) -> Self {
        self.flags = Some(flags);
        self
    }

    /// Chooses how far the graph is rewritten before execution providers see it: not at all unless
    /// it is said here. The level of the session options does not count.
    #[doc(alias = "OrtModelCompilationOptions_SetGraphOptimizationLevel")]
    pub fn graph_optimization_level(mut self, level: GraphOptimizationLevel) -> Self {
        self.level = Some(level);
        self
    }

    /// Has a closure hear how far the compile has come; its answer may stop that.
    #[doc(alias = "OrtModelCompiler_SetProgress")]
    pub fn on_progress<F, R>(mut self, mut progress: F) -> Self
    where
        F: FnMut(Progress<'_>) -> R + Send + 'a,
        R: ProgressAnswer,
    {
        let progress = Box::new(move |step: Progress<'_>| progress(step).into_result());
        self.functions.progress = Some(Mutex::new(progress));
        self
    }

    /// Limits how long each compile may take.
    #[doc(alias = "OrtModelCompiler_SetDeadline")]
    pub fn deadline(mut self, limit: Duration) -> Self {
        self.deadline = Some(limit);
        self
    }

    /// Stops the compile when the token is cancelled; it leaves nothing behind then.
    #[doc(alias = "OrtModelCompiler_Cancel")]
    pub fn cancel_with(mut self, token: &CancelToken) -> Self {
        self.tokens.push(token.clone());
        self
    }

    /// Compiles to a file, which needs an extension. Gives the report.
    #[doc(alias = "OrtModelCompilationOptions_SetOutputModelPath")]
    pub fn compile_to_file(&mut self, path: impl AsRef<Path>) -> Result<String> {
        self.compile(Target::File(path.as_ref()))
    }

    /// Compiles to the file that is named after the input, with `_ctx.onnx` in place of the
    /// extension. Gives the report.
    pub fn compile_beside_input(&mut self) -> Result<String> {
        self.compile(Target::Beside)
    }

    /// Compiles to memory. Gives the model and the report.
    #[doc(alias = "OrtModelCompilationOptions_SetOutputModelBuffer")]
    pub fn compile_to_vec(&mut self) -> Result<(Vec<u8>, String)> {
        let mut memory = Taken::default();
        let report = self.compile(Target::Memory(&mut memory))?;
        // SAFETY: after a success bytes of the allocator.
        Ok((unsafe { memory.to_vec() }, report))
    }

    /// Compiles to memory, with initializers that have at least so many bytes in a block of their
    /// own, in place of another place for them. Gives the model, the block and the report. The
    /// model calls the block by the file name, a path relative to it: readers get it from there, or
    /// from [`SessionOptions::add_external_files`]. It is empty when no initializer is that large.
    #[doc(alias = "OrtModelCompilationOptions_SetOutputModelExternalInitializersBuffer")]
    pub fn compile_to_vecs(
        &mut self,
        file_name: impl AsRef<Path>,
        threshold: usize,
    ) -> Result<(Vec<u8>, Vec<u8>, String)> {
        let (mut model, mut initializers) = (Taken::default(), Taken::default());
        let report = self.compile(Target::Memories(Memories {
            model: &mut model,
            initializers: &mut initializers,
            name: file_name.as_ref(),
            threshold,
        }))?;
        // SAFETY: after a success bytes of the allocator.
        unsafe { Ok((model.to_vec(), initializers.to_vec(), report)) }
    }

    /// Compiles to a writer, which is flushed. Gives the report. The model is written when
    /// everything else is done and safe; when the writer fails, also at the flush, its error is the
    /// [`source`](std::error::Error::source).
    #[doc(alias = "OrtModelCompilationOptions_SetOutputModelWriteFunc")]
    pub fn compile_to_writer(&mut self, writer: impl io::Write + Send) -> Result<String> {
        let slot = self.functions.slot.clone();
        let output = Output { slot, writer: Mutex::new(Box::new(writer)) };
        self.compile(Target::Writer(output.state()))
    }

    fn compile(&mut self, target: Target<'_>) -> Result<String> {
        self.check_group(&target)?;
        let prepared = self.options.prepare()?;
        prepared.keep_for_group(&self.env)?;
        let options = self.create_options(&prepared, target)?;
        let result = self.run(&self.env, &options);
        resume(prepared.settle(self.functions.slot.settle(result)))
    }

    /// Whether anything but the result is to be told about a compile, or may stop it.
    pub(super) fn is_watched(&self) -> bool {
        self.functions.progress.is_some() || self.deadline.is_some() || !self.tokens.is_empty()
    }

    /// Compiles as C's options say, with progress, deadline and tokens. Gives the report.
    pub(super) fn run(
        &self,
        env: &Env,
        options: &Owned<sys::OrtModelCompilationOptions>,
    ) -> Result<String> {
        // SAFETY: a new object; what the options refer to lives longer.
        let compiler =
            unsafe { Owned::new(get!(OrtCreateModelCompiler(env.as_ptr(), options.as_ptr()))?) };
        let this = compiler.as_ptr();
        // SAFETY: the functions live longer than the compiler, which is at work in the third call.
        let result = unsafe {
            self.set_up(this)?;
            let hooks: Vec<_> = self.tokens.iter().map(|token| cancel_hook(this, token)).collect();
            let result = call!(OrtModelCompiler_Compile(this));
            drop(hooks);
            result
        };
        // SAFETY: the text lives as long as the compiler.
        let report = unsafe { get!(OrtModelCompiler_GetReportJson(this)).map(|json| text(json)) };
        match result {
            Ok(()) => report,
            Err(error) => Err(match report {
                Ok(report) => error.with_detail("report", report),
                Err(_) => error,
            }),
        }
    }

    /// A group calls functions until it is published, which may be after this compile.
    fn check_group(&self, target: &Target<'_>) -> Result<()> {
        let called_later = self.functions.data.is_some() || matches!(target, Target::Writer(_));
        if called_later && self.options.is_sharing()? {
            let message = "a member of a group whose output goes to a function of the program: \
                           use SharingGroup::add_to_file or add_to_writer";
            return Err(Error::new(ErrorCode::InvalidArgument, message));
        }
        Ok(())
    }

    /// # Safety
    /// `compiler` lives, and ends before this object.
    unsafe fn set_up(&self, compiler: *mut sys::OrtModelCompiler) -> Result<()> {
        // SAFETY: as the caller promises.
        unsafe {
            if self.functions.progress.is_some() {
                let (function, state) = (Some(functions::progress as _), self.state());
                call!(OrtModelCompiler_SetProgress(compiler, function, state, None))?;
            }
            if let Some(limit) = self.deadline {
                // Less than a millisecond is not "no limit".
                let limit = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX).max(1);
                call!(OrtModelCompiler_SetDeadline(compiler, limit))?;
            }
            Ok(())
        }
    }

    pub(super) fn slot(&self) -> Slot {
        self.functions.slot.clone()
    }
}

/// # Safety
/// `compiler` lives until the hook is dropped.
unsafe fn cancel_hook(
    compiler: *mut sys::OrtModelCompiler,
    token: &CancelToken,
) -> crate::cancel::Hook {
    struct Compiler(*mut sys::OrtModelCompiler);
    // SAFETY: a compile may be cancelled from any thread.
    unsafe impl Send for Compiler {}
    let compiler = Compiler(compiler);
    token.attach(move || {
        let compiler = &compiler; // the whole, which may be sent
                                  // SAFETY: as the caller promises. It cannot fail.
        let _ = unsafe { call!(OrtModelCompiler_Cancel(compiler.0)) };
    })
}

/// Compiles a model file to a model file, with the providers and config entries of session options
/// and nothing else to say. [`ModelCompiler`] has the rest.
#[doc(alias = "OrtCompileModel")]
pub fn compile_file(
    env: &Env,
    options: &SessionOptions,
    input: impl Into<PathBuf>,
    output: impl AsRef<Path>,
) -> Result<()> {
    let compiler = ModelCompiler::new(env, options)?.input(input);
    let prepared = compiler.options.prepare()?;
    prepared.keep_for_group(env)?;
    let options = compiler.create_options(&prepared, Target::File(output.as_ref()))?;
    // SAFETY: everything is borrowed for the call.
    let result = unsafe { call!(OrtCompileModel(env.as_ptr(), options.as_ptr())) };
    resume(prepared.settle(result))
}
