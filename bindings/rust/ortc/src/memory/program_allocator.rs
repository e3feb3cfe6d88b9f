// SPDX-License-Identifier: MIT
//! Allocators that the program implements.

use std::os::raw::c_void;
use std::ptr::{null_mut, NonNull};
use std::sync::Arc;

use ortc_sys as sys;

use super::{Allocator, MemoryInfo};
use crate::callback::{CallbackResult, Slot};
use crate::error::Result;
use crate::key_values::KeyValuePairs;
use crate::AllocatorType;

/// The interface that the members of the C struct are of.
const INTERFACE: u32 = 25;

/// Memory for the library. Called from any thread, also from several at once. A panic in a
/// function counts as having no memory.
///
/// # Safety
/// A block of `allocate` has at least `bytes` bytes, is aligned to 64, and is nobody else's until
/// `free`.
pub unsafe trait AllocateMemory: Send + Sync + 'static {
    /// Gets a block; none when there is no memory.
    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>>;

    /// Takes a block back.
    ///
    /// # Safety
    /// `block` came from `allocate` or `reserve` of this object and is not used any more.
    unsafe fn free(&self, block: NonNull<u8>);

    /// Gets a block that stays long.
    fn reserve(&self, bytes: usize) -> Option<NonNull<u8>> {
        self.allocate(bytes)
    }

    /// Figures, as [`Allocator::stats`] shows them.
    fn stats(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Gives unused memory back to the system.
    fn shrink(&self) -> CallbackResult {
        Ok(())
    }
}

/// An allocator of the program in the form that the library calls.
#[repr(C)]
pub struct ProgramAllocator {
    base: sys::OrtAllocator, // first: the library's pointer is the object's
    info: MemoryInfo,
    memory: Box<dyn AllocateMemory>,
}

// SAFETY: the struct does not change, and its parts may be shared.
unsafe impl Send for ProgramAllocator {}
// SAFETY: as above.
unsafe impl Sync for ProgramAllocator {}

impl ProgramAllocator {
    /// An allocator for memory of the CPU.
    pub fn new(memory: impl AllocateMemory) -> Result<Arc<Self>> {
        Ok(Arc::new(ProgramAllocator {
            base: sys::OrtAllocator {
                version: INTERFACE,
                Alloc: Some(allocate),
                Free: Some(free),
                Info: Some(info),
                Reserve: Some(reserve),
                GetStats: Some(stats),
                AllocOnStream: None,
                Shrink: Some(shrink),
            },
            info: MemoryInfo::cpu(AllocatorType::Device)?,
            memory: Box::new(memory),
        }))
    }

    /// The allocator as any other, for values.
    pub fn as_allocator(self: &Arc<Self>) -> Allocator {
        Allocator::of_program(self.as_ptr(), self.clone())
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::OrtAllocator {
        self as *const Self as *mut sys::OrtAllocator
    }
}

/// # Safety
/// `this` is the base of a live [`ProgramAllocator`].
unsafe fn program<'a>(this: *const sys::OrtAllocator) -> &'a ProgramAllocator {
    // SAFETY: the base is the first member of a C struct.
    unsafe { &*this.cast::<ProgramAllocator>() }
}

/// A panic means null; the panic hook has told of it.
fn or_null(get: impl FnOnce() -> Option<NonNull<u8>>) -> *mut c_void {
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(get));
    result.ok().flatten().map_or(null_mut(), |block| block.as_ptr().cast())
}

unsafe extern "C" fn allocate(this: *mut sys::OrtAllocator, bytes: usize) -> *mut c_void {
    // SAFETY: the library hands back what it was given.
    let this = unsafe { program(this) };
    or_null(|| this.memory.allocate(bytes))
}

unsafe extern "C" fn reserve(this: *mut sys::OrtAllocator, bytes: usize) -> *mut c_void {
    // SAFETY: as in `allocate`.
    let this = unsafe { program(this) };
    or_null(|| this.memory.reserve(bytes))
}

unsafe extern "C" fn free(this: *mut sys::OrtAllocator, block: *mut c_void) {
    // SAFETY: as in `allocate`; the library frees what it got, once.
    or_null(|| unsafe {
        if let Some(block) = NonNull::new(block.cast()) {
            program(this).memory.free(block);
        }
        None
    });
}

unsafe extern "C" fn info(this: *const sys::OrtAllocator) -> *const sys::OrtMemoryInfo {
    // SAFETY: as in `allocate`; the description lives as long as the object.
    unsafe { program(this) }.info.as_ptr()
}

unsafe extern "C" fn stats(
    this: *const sys::OrtAllocator,
    out: *mut *mut sys::OrtKeyValuePairs,
) -> *mut sys::OrtStatus {
    // SAFETY: as in `allocate`.
    let this = unsafe { program(this) };
    Slot::default().guard(|| {
        let figures = KeyValuePairs::try_from(&this.memory.stats()[..])?;
        // SAFETY: the library takes the list over.
        unsafe { *out = figures.into_raw() };
        Ok(())
    })
}

unsafe extern "C" fn shrink(this: *mut sys::OrtAllocator) -> *mut sys::OrtStatus {
    // SAFETY: as in `allocate`.
    let this = unsafe { program(this) };
    Slot::default().guard(|| this.memory.shrink())
}
