// SPDX-License-Identifier: MIT
//! Several models, compiled into one context binary that holds equal weights once.

use std::any::Any;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use ortc_sys as sys;

use super::compile_options::Target;
use super::compiler::ModelCompiler;
use super::functions::Output;
use crate::call::Owned;
use crate::callback::{lock, resume, Slot};
use crate::env::{Env, Kept};
use crate::error::Result;
use crate::text::{default_allocator, taken_text};

/// A group of models that share weights: N models make N + 1 files in one folder, and the binary
/// has the name of the first model. The files appear together at the [`commit`](Self::commit);
/// until then, and after any failure, the folder is as it was.
///
/// Members may be compiled by several threads at once. A model that fails fails the group. A group
/// that was not published is given up at its end. The binary is a file: a member cannot have
/// [`context_data_writer`](ModelCompiler::context_data_writer).
///
/// ```no_run
/// use ortc::{Env, ModelCompiler, SessionOptions, SharingGroup};
///
/// # let (env, options) = (Env::new("")?, SessionOptions::new()?);
/// let group = SharingGroup::new(&env)?;
/// for name in ["prefill", "decode"] {
///     let compiler = ModelCompiler::new(&env, &options)?.input(format!("{name}.onnx"));
///     group.add_to_file(compiler, format!("{name}_ctx.onnx"))?;
/// }
/// group.commit()?; // prefill_ctx.onnx, decode_ctx.onnx, prefill_aot.bin
/// # Ok::<(), ortc::Error>(())
/// ```
pub struct SharingGroup {
    handle: Owned<sys::OrtSharingGroup>,
    // After the handle: what the library calls until the group is published.
    kept: Arc<KeptByGroup>,
}

/// What a group needs as long as it is there: in options that name it, also after its end here.
pub(crate) struct KeptByGroup {
    members: Mutex<Vec<Member>>,
    closures: Mutex<Vec<Kept>>,
    env: Env,
}

impl KeptByGroup {
    /// Keeps the closures of a member's options.
    pub(crate) fn keep(&self, closures: Kept) {
        lock(&self.closures).push(closures);
    }
}

/// What a member's compile left for the publishing.
struct Member {
    slot: Slot,
    _kept: Box<dyn Any + Send>,
}

impl SharingGroup {
    /// A group without members.
    #[doc(alias = "OrtCreateSharingGroup")]
    pub fn new(env: &Env) -> Result<Self> {
        // SAFETY: a new object.
        let handle = unsafe { Owned::new(get!(OrtCreateSharingGroup(env.as_ptr()))?) };
        let kept =
            KeptByGroup { members: Mutex::default(), closures: Mutex::default(), env: env.clone() };
        Ok(SharingGroup { handle, kept: Arc::new(kept) })
    }

    /// Compiles a model as a member, to a file that appears at the commit. What the compiler's
    /// progress function, deadline or tokens stop fails the group.
    #[doc(alias = "OrtSharingGroup_Add")]
    pub fn add_to_file(
        &self,
        compiler: ModelCompiler<'static>,
        path: impl AsRef<Path>,
    ) -> Result<()> {
        self.add(compiler, Target::File(path.as_ref()), None)
    }

    /// Compiles a model as a member, to a writer that gets it at the commit and is flushed.
    pub fn add_to_writer(
        &self,
        compiler: ModelCompiler<'static>,
        writer: impl io::Write + Send + 'static,
    ) -> Result<()> {
        let slot = compiler.slot();
        let output = Box::new(Output { slot, writer: Mutex::new(Box::new(writer)) });
        let state = output.state(); // the box keeps its place, and the group keeps the box
        self.add(compiler, Target::Writer(state), Some(output))
    }

    fn add(
        &self,
        compiler: ModelCompiler<'static>,
        target: Target<'_>,
        output: Option<Box<Output<'static>>>,
    ) -> Result<()> {
        let slot = compiler.slot();
        let is_watched = compiler.is_watched();
        if is_watched {
            // C's function for members cannot be watched; a compile with options that name the
            // group does the same. Only C's copy names it: the group keeps what ours keep.
            // SAFETY: the options keep what they need of the group.
            unsafe {
                call!(OrtSessionOptionsSetSharingGroup(compiler.options.as_ptr(), self.as_ptr()))
            }?;
        }
        let prepared = compiler.options.prepare()?;
        let options = compiler.create_options(&prepared, target)?;
        let result = if is_watched {
            compiler.run(&self.kept.env, &options).map(drop)
        } else {
            // SAFETY: what the options refer to lives for the call, and what the group calls later
            // is kept by it, also after a failure.
            unsafe { call!(OrtSharingGroup_Add(self.as_ptr(), options.as_ptr())) }
        };
        let result = prepared.settle(slot.settle(result));
        drop(options);
        let kept = (prepared.kept(), compiler.functions, output);
        lock(&self.kept.members).push(Member { slot, _kept: Box::new(kept) });
        resume(result)
    }

    /// Publishes the files of all members, or none.
    #[doc(alias = "OrtSharingGroup_Commit")]
    pub fn commit(&self) -> Result<()> {
        // SAFETY: thread-safe.
        let result = unsafe { call!(OrtSharingGroup_Commit(self.as_ptr())) };
        let slots: Vec<Slot> =
            lock(&self.kept.members).iter().map(|member| member.slot.clone()).collect();
        resume(slots.iter().fold(result, |result, slot| slot.settle(result)))
    }

    /// Gives the group up: nothing is written, and members that are being compiled fail. Does
    /// nothing once the group is published.
    #[doc(alias = "OrtSharingGroup_Abort")]
    pub fn abort(&self) -> Result<()> {
        // SAFETY: thread-safe.
        unsafe { call!(OrtSharingGroup_Abort(self.as_ptr())) }
    }

    /// State, members, files with their sizes, bytes of all tensors and of those stored, as JSON.
    #[doc(alias = "OrtSharingGroup_GetReportJson")]
    pub fn report(&self) -> Result<String> {
        let allocator = default_allocator()?;
        // SAFETY: thread-safe; a new text of the allocator.
        unsafe {
            let json = get!(OrtSharingGroup_GetReportJson(self.as_ptr(), allocator))?;
            Ok(taken_text(json)?.unwrap_or_default())
        }
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::OrtSharingGroup {
        self.handle.as_ptr()
    }

    pub(crate) fn kept(&self) -> Arc<KeptByGroup> {
        self.kept.clone()
    }
}
