// SPDX-License-Identifier: MIT
//! Several models, compiled into one context binary that holds equal weights once.

use std::any::Any;
use std::io;
use std::path::Path;
use std::sync::Mutex;

use ortc_sys as sys;

use super::compiler::{ModelCompiler, Target};
use super::functions::Output;
use crate::call::Owned;
use crate::callback::{lock, resume, Slot};
use crate::env::Env;
use crate::error::Result;
use crate::text::{default_allocator, taken_text};

/// A group of models that share weights: N models make N + 1 files in one folder, and the binary
/// has the name of the first model. The files appear together at the [`commit`](Self::commit);
/// until then, and after any failure, the folder is as it was.
///
/// Members may be compiled by several threads at once. A model that fails fails the group. A group
/// that was not published is given up at its end.
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
    members: Mutex<Vec<Member>>,
    _env: Env,
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
        Ok(SharingGroup { handle, members: Mutex::default(), _env: env.clone() })
    }

    /// Compiles a model as a member, to a file that appears at the commit. Progress, deadline and
    /// tokens of the compiler do not count here.
    #[doc(alias = "OrtSharingGroup_Add")]
    pub fn add_to_file(
        &self,
        compiler: ModelCompiler<'static>,
        path: impl AsRef<Path>,
    ) -> Result<()> {
        self.add(compiler, Target::File(path.as_ref()), None)
    }

    /// Compiles a model as a member, to a writer that gets it at the commit.
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
        let prepared = compiler.options.prepare()?;
        let options = compiler.create_options(&prepared, target)?;
        // SAFETY: what the options refer to lives for the call, and what the group calls later is
        // kept by it, also after a failure.
        let result = unsafe { call!(OrtSharingGroup_Add(self.as_ptr(), options.as_ptr())) };
        let result = prepared.settle(slot.settle(result));
        drop(options);
        let kept = (prepared.kept(), compiler.functions, output);
        lock(&self.members).push(Member { slot, _kept: Box::new(kept) });
        resume(result)
    }

    /// Publishes the files of all members, or none.
    #[doc(alias = "OrtSharingGroup_Commit")]
    pub fn commit(&self) -> Result<()> {
        // SAFETY: thread-safe.
        let result = unsafe { call!(OrtSharingGroup_Commit(self.as_ptr())) };
        let slots: Vec<Slot> =
            lock(&self.members).iter().map(|member| member.slot.clone()).collect();
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
}
