// SPDX-License-Identifier: MIT
//! Models ready to run.

mod assignment;
mod future;
mod info;
mod io_binding;
mod metadata;
mod outputs;
mod prepacked_weights;
mod run;

use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::c_char;
use std::path::Path;
use std::ptr::null;
use std::sync::Arc;

use ortc_sys as sys;

pub use assignment::{AssignedNode, AssignedSubgraph};
pub use future::RunFuture;
pub use info::NamedType;
pub use io_binding::IoBinding;
pub use metadata::ModelMetadata;
pub use outputs::Outputs;
pub use prepacked_weights::PrepackedWeights;

use crate::call::Owned;
use crate::callback::resume;
use crate::env::{Env, Kept};
use crate::error::Result;
use crate::options::SessionOptions;
use crate::text::{c_path, default_allocator, taken_text};

/// A model ready to run. Clones are the same session, and any number of threads may run it at once.
///
/// ```no_run
/// use ortc::{Env, Session, SessionOptions, Tensor};
///
/// let env = Env::new("example")?;
/// let session = Session::new(&env, "model.onnx", &SessionOptions::new()?)?;
/// let x = Tensor::from_vec([1, 4], vec![1.0f32; 4])?;
/// let outputs = session.run(&[("x", &x)])?;
/// println!("{:?}", outputs["y"].data::<f32>()?);
/// # Ok::<(), ortc::Error>(())
/// ```
#[derive(Clone)]
pub struct Session(Arc<Inner>);

struct Inner {
    handle: Owned<sys::OrtSession>,
    inputs: Vec<CString>,
    outputs: Arc<Vec<CString>>,
    /// What output values may lie in: allocators of the program.
    memory_of_values: Option<Kept>,
    // After the handle: what the library calls and reads until its end.
    _kept: Vec<Kept>,
    env: Env,
}

impl Session {
    /// Makes a session from a model file: a plain ONNX model or a compiled one.
    ///
    /// External data and context binaries are looked for beside the file. A compiled model is
    /// checked and mapped; nothing is optimised or copied then.
    #[doc(alias = "OrtCreateSession")]
    pub fn new(env: &Env, path: impl AsRef<Path>, options: &SessionOptions) -> Result<Self> {
        let path = path.as_ref();
        let c_path = c_path(path)?;
        // SAFETY: everything is borrowed for the call; a new session.
        let made = Self::make(env, options, |options| unsafe {
            get!(OrtCreateSession(env.as_ptr(), c_path.as_ptr(), options))
        });
        made.map_err(|error| error.with_detail("path", path.to_string_lossy()))
    }

    /// Makes a session from the bytes of a model; what is needed later is copied.
    ///
    /// Context binaries are looked for in the folder of `ep.context_file_path`, external data in
    /// `session.model_external_initializers_file_folder_path`.
    #[doc(alias = "OrtCreateSessionFromArray")]
    pub fn from_bytes(env: &Env, model: &[u8], options: &SessionOptions) -> Result<Self> {
        let (data, size) = (model.as_ptr().cast(), model.len());
        // SAFETY: everything is borrowed for the call; a new session.
        Self::make(env, options, |options| unsafe {
            get!(OrtCreateSessionFromArray(env.as_ptr(), data, size, options))
        })
    }

    /// Makes a session with options, by a function of the library.
    pub(crate) fn make(
        env: &Env,
        options: &SessionOptions,
        create: impl FnOnce(*const sys::OrtSessionOptions) -> Result<*mut sys::OrtSession>,
    ) -> Result<Self> {
        Self::make_keeping(env, options, &[], create)
    }

    /// The same, of something whose memory the session uses.
    pub(crate) fn make_keeping(
        env: &Env,
        options: &SessionOptions,
        memory: &[Kept],
        create: impl FnOnce(*const sys::OrtSessionOptions) -> Result<*mut sys::OrtSession>,
    ) -> Result<Self> {
        let prepared = options.prepare()?;
        prepared.keep_for_group(env)?;
        // Asked before: an allocator that is registered meanwhile is kept all the same.
        let memory_of_values = env.memory_of_values();
        let handle = create(prepared.as_ptr());
        // SAFETY: new, and ours.
        let handle = handle.map(|handle| unsafe { Owned::new(handle) });
        let handle = resume(prepared.settle(handle))?;
        let mut kept = prepared.kept();
        kept.extend_from_slice(memory);
        Self::of(env, kept, memory_of_values.or_else(|| env.memory_of_values()), handle)
    }

    /// A session that the library made. It comes last because it ends first when this fails.
    pub(crate) fn of(
        env: &Env,
        kept: Vec<Kept>,
        memory_of_values: Option<Kept>,
        handle: Owned<sys::OrtSession>,
    ) -> Result<Self> {
        let session = handle.as_ptr();
        // SAFETY: the session lives; indices are below the counts.
        let (inputs, outputs) = unsafe {
            let inputs = names(get!(OrtSessionGetInputCount(session))?, |index, allocator| {
                get!(OrtSessionGetInputName(session, index, allocator))
            })?;
            let outputs = names(get!(OrtSessionGetOutputCount(session))?, |index, allocator| {
                get!(OrtSessionGetOutputName(session, index, allocator))
            })?;
            (inputs, Arc::new(outputs))
        };
        Ok(Session(Arc::new(Inner {
            handle,
            inputs,
            outputs,
            memory_of_values,
            _kept: kept,
            env: env.clone(),
        })))
    }

    /// The environment that the session was made in.
    pub fn env(&self) -> &Env {
        &self.0.env
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::OrtSession {
        self.0.handle.as_ptr()
    }
}

/// Names of inputs or outputs, as C has them.
///
/// # Safety
/// `get` gives a new text of the library's allocator.
unsafe fn names(
    count: usize,
    get: impl Fn(usize, *mut sys::OrtAllocator) -> Result<*mut c_char>,
) -> Result<Vec<CString>> {
    let allocator = default_allocator()?;
    let mut names = Vec::with_capacity(count);
    for index in 0..count {
        let text = get(index, allocator)?;
        // SAFETY: as the caller promises; it ends with the next call.
        unsafe {
            names.push(if text.is_null() {
                CString::default()
            } else {
                CStr::from_ptr(text).into()
            });
            taken_text(text)?;
        }
    }
    Ok(names)
}

/// Options for C, null for the defaults.
pub(crate) fn run_options_ptr(options: Option<&crate::RunOptions>) -> *const sys::OrtRunOptions {
    options.map_or(null(), |options| options.as_ptr())
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("inputs", &self.0.inputs)
            .field("outputs", &self.0.outputs)
            .finish()
    }
}
