// SPDX-License-Identifier: MIT
//! Changes of compiled models. None compiles; contexts are carried over.

use std::os::raw::{c_char, c_void};
use std::path::Path;
use std::sync::Mutex;

use ortc_sys as sys;

use super::functions::ProgressFn;
use super::inspect::json;
use crate::callback::{lock, Progress, ProgressAnswer, Slot};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::text::{c_path, c_text, shown, CTexts};
use crate::{EditFlags, ErrorCode};

/// Changes compiled models: output is all or nothing, and models that are read are never replaced.
/// Each change gives a report as JSON, with the files that were written.
///
/// ```no_run
/// use ortc::{EditFlags, ModelEdit};
///
/// // One file in place of two.
/// ModelEdit::new().pack("model_ctx.onnx", "packed.onnx")?;
/// // And back.
/// ModelEdit::new().flags(EditFlags::EXTERNAL).pack("packed.onnx", "again_ctx.onnx")?;
/// # Ok::<(), ortc::Error>(())
/// ```
#[derive(Default)]
#[must_use]
pub struct ModelEdit<'a> {
    flags: EditFlags,
    state: Box<State<'a>>,
}

/// What C gets as `state`.
#[derive(Default)]
struct State<'a> {
    slot: Slot,
    progress: Option<Mutex<Box<ProgressFn<'a>>>>,
    tokens: Vec<CancelToken>,
}

impl<'a> ModelEdit<'a> {
    /// A change that replaces files, but not those that other models of the folder read.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets what may be replaced, and where contexts go.
    pub fn flags(mut self, flags: EditFlags) -> Self {
        self.flags = flags;
        self
    }

    /// Has a closure hear how far the change has come; its answer may stop that.
    pub fn on_progress<F, R>(mut self, mut progress: F) -> Self
    where
        F: FnMut(Progress<'_>) -> R + Send + 'a,
        R: ProgressAnswer,
    {
        let progress = Box::new(move |step: Progress<'_>| progress(step).into_result());
        self.state.progress = Some(Mutex::new(progress));
        self
    }

    /// Stops the change when the token is cancelled; it leaves nothing behind then.
    pub fn cancel_with(mut self, token: &CancelToken) -> Self {
        self.state.tokens.push(token.clone());
        self
    }

    /// Puts everything that a compiled model needs into it; with [`EditFlags::EXTERNAL`] its
    /// contexts go to files beside the output.
    #[doc(alias = "OrtPackModel")]
    pub fn pack(&mut self, model: impl AsRef<Path>, output: impl AsRef<Path>) -> Result<String> {
        let (model, output) = (c_path(model)?, c_path(output)?);
        // SAFETY: texts and state are borrowed for the call.
        self.settle(unsafe {
            get!(OrtPackModel(
                model.as_ptr(),
                output.as_ptr(),
                self.flags.bits(),
                Some(progress),
                self.state()
            ))
        })
    }

    /// Makes one model of several. A connection "enc.y=dec.x" says that output y of the model
    /// "enc_ctx.onnx" is input x of "dec_ctx.onnx"; numbers from 1 name models too.
    #[doc(alias = "OrtMergeModels")]
    pub fn merge<P: AsRef<Path>>(
        &mut self,
        models: &[P],
        connections: &[&str],
        output: impl AsRef<Path>,
    ) -> Result<String> {
        let models = models.iter().map(c_path).collect::<Result<Vec<_>>>()?;
        let paths: Vec<_> = models.iter().map(|path| path.as_ptr()).collect();
        let (connections, output) = (CTexts::new(connections)?, c_path(output)?);
        // SAFETY: texts and state are borrowed for the call.
        self.settle(unsafe {
            get!(OrtMergeModels(
                paths.as_ptr(),
                paths.len(),
                connections.as_ptr(),
                connections.len(),
                output.as_ptr(),
                self.flags.bits(),
                Some(progress),
                self.state()
            ))
        })
    }

    /// Makes a model of one EPContext node, with its own graph of the context alone.
    #[doc(alias = "OrtExtractContext")]
    pub fn extract(
        &mut self,
        model: impl AsRef<Path>,
        node: &str,
        output: impl AsRef<Path>,
    ) -> Result<String> {
        let (model, node, output) = (c_path(model)?, c_text(node)?, c_path(output)?);
        // SAFETY: texts and state are borrowed for the call.
        self.settle(unsafe {
            get!(OrtExtractContext(
                model.as_ptr(),
                node.as_ptr(),
                output.as_ptr(),
                self.flags.bits(),
                Some(progress),
                self.state()
            ))
        })
    }

    /// Puts a prefix in front of the names of EPContext nodes and of their graphs.
    #[doc(alias = "OrtPrefixModel")]
    pub fn prefix(
        &mut self,
        model: impl AsRef<Path>,
        prefix: &str,
        output: impl AsRef<Path>,
    ) -> Result<String> {
        let (model, prefix, output) = (c_path(model)?, c_text(prefix)?, c_path(output)?);
        // SAFETY: texts and state are borrowed for the call.
        self.settle(unsafe {
            get!(OrtPrefixModel(
                model.as_ptr(),
                prefix.as_ptr(),
                output.as_ptr(),
                self.flags.bits(),
                Some(progress),
                self.state()
            ))
        })
    }

    fn state(&self) -> *mut c_void {
        &*self.state as *const State<'a> as *mut c_void
    }

    fn settle(&self, report: Result<*mut sys::OrtInspection>) -> Result<String> {
        // SAFETY: new; it ends there.
        self.state.slot.settle(unsafe { json(report) })
    }
}

/// # Safety
/// `state` is a live [`State`]; the texts live for the call.
unsafe extern "C" fn progress(
    state: *mut c_void,
    stage: *const c_char,
    detail: *const c_char,
    fraction: f64,
) -> *mut sys::OrtStatus {
    // SAFETY: as the caller promises.
    let (state, stage, detail) =
        unsafe { (&*(state as *const State<'_>), shown(stage), shown(detail)) };
    state.slot.guard(|| {
        if state.tokens.iter().any(CancelToken::is_cancelled) {
            return Err(Error::new(ErrorCode::ModelLoadCanceled, "the token was cancelled").into());
        }
        match &state.progress {
            Some(progress) => {
                (*lock(progress))(Progress { stage: &stage, detail: &detail, fraction })
            }
            None => Ok(()),
        }
    })
}
