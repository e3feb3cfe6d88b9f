// SPDX-License-Identifier: MIT
//! Compiling a model ahead of time.

use std::borrow::Cow;
use std::io;
use std::os::raw::c_void;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::Mutex;
use std::time::Duration;

use ortc_sys as sys;

use super::functions::{self, Functions, Output};
use super::ExternalInitializer;
use crate::call::Owned;
use crate::callback::{resume, CallbackResult, Progress, ProgressAnswer, Slot};
use crate::cancel::CancelToken;
use crate::env::Env;
use crate::error::{Error, Result};
use crate::graph::Model;
use crate::options::{Prepared, SessionOptions};
use crate::text::{c_path, c_text, default_allocator, taken_bytes, text};
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
    input: Option<Input<'a>>,
    external_initializers: Option<(PathBuf, usize)>,
    embed: Option<bool>,
    weightless: Option<bool>,
    binary_information: Option<(PathBuf, String)>,
    flags: Option<CompileFlags>,
    level: Option<GraphOptimizationLevel>,
    deadline: Option<Duration>,
    tokens: Vec<CancelToken>,
    pub(super) functions: Box<Functions<'a>>,
}

enum Input<'a> {
    File(PathBuf),
    Bytes(Cow<'a, [u8]>),
    Model(&'a Model),
}

/// Where a compiled model goes.
pub(super) enum Target<'t> {
    File(&'t Path),
    /// The file that is named after the input.
    Beside,
    Memory(&'t mut *mut c_void, &'t mut usize),
    /// The state of an [`Output`].
    Writer(*mut c_void),
}

impl<'a> ModelCompiler<'a> {
    /// A compiler with a copy of session options: their providers, config entries and so on.
    pub fn new(env: &Env, options: &SessionOptions) -> Result<Self> {
        Ok(ModelCompiler {
            env: env.clone(),
            options: options.try_clone()?,
            input: None,
            external_initializers: None,
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
        let (mut data, mut size) = (null_mut(), 0);
        let report = self.compile(Target::Memory(&mut data, &mut size));
        // SAFETY: null after a failure, else bytes of the allocator; they end here.
        let bytes = unsafe { taken_bytes(data, size) };
        let report = report?;
        Ok((bytes?, report))
    }

    /// Compiles to a writer. Gives the report. The model is written when everything else is done
    /// and safe; when the writer fails, its error is the [`source`](std::error::Error::source).
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
        // SAFETY: a new object; what the options refer to lives longer.
        let compiler = unsafe {
            Owned::new(get!(OrtCreateModelCompiler(self.env.as_ptr(), options.as_ptr()))?)
        };
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
        let result = match result {
            Ok(()) => report,
            Err(error) => Err(match report {
                Ok(report) => error.with_detail("report", report),
                Err(_) => error,
            }),
        };
        resume(prepared.settle(self.functions.slot.settle(result)))
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

    fn state(&self) -> *mut c_void {
        &*self.functions as *const Functions<'a> as *mut c_void
    }

    /// The options for C. Whoever uses them keeps `prepared`, this object and the target longer.
    pub(super) fn create_options(
        &self,
        prepared: &Prepared<'_>,
        target: Target<'_>,
    ) -> Result<Owned<sys::OrtModelCompilationOptions>> {
        // SAFETY: a new object; texts are copied, everything else lives longer.
        unsafe {
            let options = Owned::new(get!(OrtCreateModelCompilationOptionsFromSessionOptions(
                self.env.as_ptr(),
                prepared.as_ptr()
            ))?);
            let this = options.as_ptr();
            self.set_input(this)?;
            set_target(this, target)?;
            self.set_rules(this)?;
            self.set_functions(this)?;
            Ok(options)
        }
    }

    /// # Safety
    /// `options` live, and are not used after this object.
    unsafe fn set_input(&self, options: *mut sys::OrtModelCompilationOptions) -> Result<()> {
        // SAFETY: as the caller promises.
        unsafe {
            match &self.input {
                Some(Input::File(path)) => {
                    let path = c_path(path)?;
                    call!(OrtModelCompilationOptions_SetInputModelPath(options, path.as_ptr()))
                }
                Some(Input::Bytes(bytes)) => {
                    let (data, size) = (bytes.as_ptr().cast(), bytes.len());
                    call!(OrtModelCompilationOptions_SetInputModelFromBuffer(options, data, size))
                }
                Some(Input::Model(model)) => {
                    call!(OrtModelCompilationOptions_SetInputModel(options, model.as_ptr()))
                }
                None => Ok(()), // the compile says what is missing
            }
        }
    }

    /// # Safety
    /// `options` live.
    unsafe fn set_rules(&self, options: *mut sys::OrtModelCompilationOptions) -> Result<()> {
        // SAFETY: as the caller promises.
        unsafe {
            if let Some((path, threshold)) = &self.external_initializers {
                let path = c_path(path)?;
                let (path, least) = (path.as_ptr(), *threshold);
                call!(OrtModelCompilationOptions_SetOutputModelExternalInitializersFile(
                    options, path, least
                ))?;
            }
            if let Some(embed) = self.embed {
                call!(OrtModelCompilationOptions_SetEpContextEmbedMode(options, embed))?;
            }
            if let Some(weightless) = self.weightless {
                call!(OrtModelCompilationOptions_SetWeightlessEnabled(options, weightless))?;
            }
            if let Some((folder, model)) = &self.binary_information {
                let (folder, model) = (c_path(folder)?, c_text(model)?);
                let (folder, model) = (folder.as_ptr(), model.as_ptr());
                call!(OrtModelCompilationOptions_SetEpContextBinaryInformation(
                    options, folder, model
                ))?;
            }
            if let Some(flags) = self.flags {
                call!(OrtModelCompilationOptions_SetFlags(options, flags.bits()))?;
            }
            if let Some(level) = self.level {
                let level = level.to_raw();
                call!(OrtModelCompilationOptions_SetGraphOptimizationLevel(options, level))?;
            }
            Ok(())
        }
    }

    /// # Safety
    /// `options` live, and are not used after this object.
    unsafe fn set_functions(&self, options: *mut sys::OrtModelCompilationOptions) -> Result<()> {
        let state = self.state();
        // SAFETY: as the caller promises.
        unsafe {
            if self.functions.location.is_some() {
                let location = Some(functions::location as _);
                call!(OrtModelCompilationOptions_SetOutputModelGetInitializerLocationFunc(
                    options, location, state
                ))?;
            }
            if self.functions.data.is_some() {
                let write = Some(functions::write_data as _);
                call!(OrtModelCompilationOptions_SetEpContextDataWriteFunc(options, write, state))?;
            }
            Ok(())
        }
    }

    pub(super) fn slot(&self) -> Slot {
        self.functions.slot.clone()
    }
}

/// # Safety
/// `options` live, and are not used after the target.
unsafe fn set_target(
    options: *mut sys::OrtModelCompilationOptions,
    target: Target<'_>,
) -> Result<()> {
    // SAFETY: as the caller promises.
    unsafe {
        match target {
            Target::File(path) => {
                let path = c_path(path)?;
                call!(OrtModelCompilationOptions_SetOutputModelPath(options, path.as_ptr()))
            }
            Target::Beside => Ok(()),
            Target::Memory(data, size) => {
                let memory = default_allocator()?;
                call!(OrtModelCompilationOptions_SetOutputModelBuffer(options, memory, data, size))
            }
            Target::Writer(state) => {
                let write = Some(functions::write as _);
                call!(OrtModelCompilationOptions_SetOutputModelWriteFunc(options, write, state))
            }
        }
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
