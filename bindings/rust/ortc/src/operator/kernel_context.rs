// SPDX-License-Identifier: MIT
//! What a kernel sees of the call that it computes.

use std::any::Any;
use std::mem::MaybeUninit;
use std::os::raw::c_void;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::Mutex;

use ortc_sys as sys;

use super::KernelOutput;
use crate::call::{Owned, Ref};
use crate::callback::lock;
use crate::env::Logger;
use crate::error::{Error, Result};
use crate::memory::{Allocator, MemoryInfo, SyncStream};
use crate::value::{shape_ptr, Value};
use crate::ErrorCode;

/// One call of a kernel: its inputs, and room for its outputs.
pub struct KernelContext {
    context: *mut sys::OrtKernelContext,
    /// Outputs that were handed out for writing.
    taken: Mutex<Vec<usize>>,
}

// SAFETY: the functions of a context may be called by several threads during the call.
unsafe impl Sync for KernelContext {}

impl KernelContext {
    /// # Safety
    /// `context` lives as long as the result, which is the only one for it.
    pub(super) unsafe fn new(context: *mut sys::OrtKernelContext) -> Self {
        KernelContext { context, taken: Mutex::default() }
    }

    /// How many inputs the node has, omitted ones included.
    #[doc(alias = "OrtKernelContext_GetInputCount")]
    pub fn input_count(&self) -> Result<usize> {
        // SAFETY: the context lives.
        unsafe { get!(OrtKernelContext_GetInputCount(self.as_ptr())) }
    }

    /// How many outputs the node has, omitted ones included.
    #[doc(alias = "OrtKernelContext_GetOutputCount")]
    pub fn output_count(&self) -> Result<usize> {
        // SAFETY: the context lives.
        unsafe { get!(OrtKernelContext_GetOutputCount(self.as_ptr())) }
    }

    /// An input, without a copy. [`Value::to_sequence`] reads one that is a sequence.
    ///
    /// Fails when the node leaves it out.
    pub fn input(&self, index: usize) -> Result<Ref<'_, Value>> {
        self.optional_input(index)?.ok_or_else(|| omitted("input", index))
    }

    /// An input; none when the node leaves it out.
    #[doc(alias = "OrtKernelContext_GetInput")]
    pub fn optional_input(&self, index: usize) -> Result<Option<Ref<'_, Value>>> {
        if index >= self.input_count()? {
            return Ok(None);
        }
        // SAFETY: the value lives as long as the call, and nobody writes to it.
        unsafe {
            let value: *const sys::OrtValue =
                get!(OrtKernelContext_GetInput(self.as_ptr(), index))?;
            Ok((!value.is_null()).then(|| Value::borrow(value)))
        }
    }

    /// Makes an output, a tensor of the type that the model or the operator declares. Its elements
    /// are undefined until they are written. Each output can be made once.
    ///
    /// Fails when the node leaves it out.
    pub fn output(&self, index: usize, shape: &[i64]) -> Result<KernelOutput<'_>> {
        self.optional_output(index, shape)?.ok_or_else(|| omitted("output", index))
    }

    /// Makes an output; none when the node leaves it out.
    #[doc(alias = "OrtKernelContext_GetOutput")]
    pub fn optional_output(&self, index: usize, shape: &[i64]) -> Result<Option<KernelOutput<'_>>> {
        if index >= self.output_count()? {
            return Ok(None);
        }
        let mut taken = lock(&self.taken);
        if taken.contains(&index) {
            let message = format!("output {index} was made already");
            return Err(Error::new(ErrorCode::InvalidArgument, message));
        }
        let (dims, rank) = (shape_ptr(shape), shape.len());
        // SAFETY: the value lives as long as the call, and is handed out once.
        unsafe {
            let value: *mut sys::OrtValue =
                get!(OrtKernelContext_GetOutput(self.context, index, dims, rank))?;
            if value.is_null() {
                return Ok(None);
            }
            taken.push(index);
            KernelOutput::new(value).map(Some)
        }
    }

    /// Calls a closure for each number below `total`, on the threads of the session, and returns
    /// when all are done. `batches` says into how many parts the numbers are divided; 0: the
    /// library chooses. After a panic the rest is left out, and it goes on here.
    #[doc(alias = "OrtKernelContext_ParallelFor")]
    pub fn parallel_for(
        &self,
        total: usize,
        batches: usize,
        body: impl Fn(usize) + Sync,
    ) -> Result<()> {
        let work = Work { body: &body, panic: Mutex::new(None) };
        let state = &work as *const Work<'_> as *mut c_void;
        // SAFETY: the work lives until all calls have returned.
        unsafe {
            call!(OrtKernelContext_ParallelFor(self.as_ptr(), Some(step), total, batches, state))
        }?;
        let panic = lock(&work.panic).take();
        panic.map_or(Ok(()), |payload| resume_unwind(payload))
    }

    /// The log of the session.
    #[doc(alias = "OrtKernelContext_GetLogger")]
    pub fn logger(&self) -> Result<Logger<'_>> {
        // SAFETY: the logger lives as long as the call.
        unsafe {
            get!(OrtKernelContext_GetLogger(self.as_ptr())).map(|logger| Logger::from_raw(logger))
        }
    }

    /// An allocator of a memory. What it allocates may outlive the call.
    #[doc(alias = "OrtKernelContext_GetAllocator")]
    pub fn allocator(&self, memory: &MemoryInfo) -> Result<Allocator> {
        // SAFETY: a new object.
        unsafe {
            let allocator = get!(OrtKernelContext_GetAllocator(self.as_ptr(), memory.as_ptr()))?;
            Ok(Allocator::of_kernel(Owned::new(allocator)))
        }
    }

    /// Memory for the time of the call; each time other memory.
    #[doc(alias = "OrtKernelContext_GetScratchBuffer")]
    #[allow(clippy::mut_from_ref)] // the memory is new at each call
    pub fn scratch(&self, memory: &MemoryInfo, bytes: usize) -> Result<&mut [MaybeUninit<u8>]> {
        // SAFETY: as many bytes, which nobody else has, until the call returns.
        unsafe {
            let (context, memory) = (self.as_ptr(), memory.as_ptr());
            let data: *mut c_void =
                get!(OrtKernelContext_GetScratchBuffer(context, memory, bytes))?;
            if data.is_null() {
                return Ok(&mut []);
            }
            Ok(std::slice::from_raw_parts_mut(data.cast(), bytes))
        }
    }

    /// The handle of the device's stream that the call works on; null when there is none.
    #[doc(alias = "OrtKernelContext_GetGPUComputeStream")]
    pub fn compute_stream(&self) -> Result<*mut c_void> {
        // SAFETY: the context lives.
        unsafe { get!(OrtKernelContext_GetGPUComputeStream(self.as_ptr())) }
    }

    /// The stream that the call works on; none on the CPU.
    #[doc(alias = "OrtKernelContext_GetSyncStream")]
    pub fn sync_stream(&self) -> Result<Option<Ref<'_, SyncStream>>> {
        // SAFETY: the stream lives as long as the call.
        unsafe {
            let stream: *mut sys::OrtSyncStream =
                get!(OrtKernelContext_GetSyncStream(self.as_ptr()))?;
            Ok((!stream.is_null()).then(|| SyncStream::borrow(stream)))
        }
    }

    /// A resource of the stream, as a handle of a vendor's library. Fails where there is none.
    #[doc(alias = "OrtKernelContext_GetResource")]
    pub fn resource(&self, version: i32, id: i32) -> Result<*mut c_void> {
        // SAFETY: the context lives.
        unsafe { get!(OrtKernelContext_GetResource(self.as_ptr(), version, id)) }
    }

    pub(super) fn as_ptr(&self) -> *const sys::OrtKernelContext {
        self.context
    }
}

fn omitted(what: &str, index: usize) -> Error {
    Error::new(ErrorCode::InvalidArgument, format!("the node leaves {what} {index} out"))
}

/// A divided loop.
struct Work<'a> {
    body: &'a (dyn Fn(usize) + Sync),
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// # Safety
/// `state` is a live [`Work`].
unsafe extern "C" fn step(state: *mut c_void, index: usize) {
    // SAFETY: as the caller promises.
    let work = unsafe { &*(state as *const Work<'_>) };
    if lock(&work.panic).is_some() {
        return;
    }
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| (work.body)(index))) {
        lock(&work.panic).get_or_insert(payload);
    }
}
