// SPDX-License-Identifier: MIT
//! Allocators of the library, and blocks of memory from them.

use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use ortc_sys as sys;

use super::MemoryInfo;
use crate::call::{Owned, Ref};
use crate::env::{Env, Kept};
use crate::error::Result;
use crate::key_values::KeyValuePairs;
use crate::text::default_allocator;

/// Hands out memory. Clones are the same allocator.
///
/// ```
/// let allocator = ortc::Allocator::cpu()?;
/// let block = allocator.allocate(4096)?;
/// assert_eq!(block.as_ptr() as usize % 64, 0);
/// # Ok::<(), ortc::Error>(())
/// ```
#[derive(Clone)]
pub struct Allocator {
    allocator: *mut sys::OrtAllocator,
    /// What the allocator lives in; none for the library's own.
    kept: Option<Kept>,
}

// SAFETY: one allocator may be used by any number of threads, and what it lives in is kept.
unsafe impl Send for Allocator {}
// SAFETY: as above.
unsafe impl Sync for Allocator {}

impl Allocator {
    /// The library's CPU allocator: one for the whole process. Blocks are aligned to 64 bytes.
    #[doc(alias = "OrtGetAllocatorWithDefaultOptions")]
    pub fn cpu() -> Result<Self> {
        Ok(Allocator { allocator: default_allocator()?, kept: None })
    }

    /// Gets a block.
    #[doc(alias = "OrtAllocatorAlloc")]
    pub fn allocate(&self, bytes: usize) -> Result<Block> {
        // SAFETY: the allocator lives; a block ends in its drop.
        unsafe {
            let data: *mut std::os::raw::c_void = get!(OrtAllocatorAlloc(self.allocator, bytes))?;
            let data = NonNull::new(data.cast::<u8>());
            Ok(Block { data, bytes: data.map_or(0, |_| bytes), allocator: self.clone() })
        }
    }

    /// What memory it hands out.
    #[doc(alias = "OrtAllocatorGetInfo")]
    pub fn info(&self) -> Result<Ref<'_, MemoryInfo>> {
        // SAFETY: the description lives as long as the allocator.
        unsafe {
            let info = get!(OrtAllocatorGetInfo(self.allocator))?;
            Ok(MemoryInfo::borrow(info))
        }
    }

    /// Figures: "InUse", "MaxInUse", "TotalAllocated", "NumAllocs" and more, numbers as texts.
    /// Empty for allocators that do not count.
    #[doc(alias = "OrtAllocatorGetStats")]
    pub fn stats(&self) -> Result<KeyValuePairs> {
        // SAFETY: a new list.
        unsafe {
            get!(OrtAllocatorGetStats(self.allocator)).map(|list| KeyValuePairs::from_raw(list))
        }
    }

    /// An allocator that a session made, over memory that may be the program's: `memory` keeps it.
    pub(crate) fn of_session(allocator: Owned<sys::OrtAllocator>, memory: Option<Kept>) -> Self {
        // The memory comes last: the handle ends before what it stands for.
        Allocator { allocator: allocator.as_ptr(), kept: Some(Arc::new((allocator, memory))) }
    }

    /// An allocator that a kernel was given. It is the library's own, never the program's, and
    /// keeps itself.
    pub(crate) fn of_kernel(allocator: Owned<sys::OrtAllocator>) -> Self {
        Self::of_session(allocator, None)
    }

    /// An allocator that lives as long as an environment; none for null.
    pub(crate) fn of_env(allocator: *mut sys::OrtAllocator, env: &Env) -> Option<Self> {
        let kept: Kept = Arc::new(env.clone());
        (!allocator.is_null()).then(|| Allocator { allocator, kept: Some(kept) })
    }

    pub(super) fn of_program(allocator: *mut sys::OrtAllocator, kept: Kept) -> Self {
        Allocator { allocator, kept: Some(kept) }
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::OrtAllocator {
        self.allocator
    }

    /// What a value in memory of this allocator has to keep.
    pub(crate) fn kept(&self) -> Option<Kept> {
        self.kept.clone()
    }
}

impl fmt::Debug for Allocator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Allocator").field("info", &self.info()).finish()
    }
}

/// A block of memory of an allocator, which gets it back at the end.
///
/// [`Tensor::from_block`](crate::Tensor::from_block) makes a tensor of it without a copy.
#[derive(Debug)]
pub struct Block {
    data: Option<NonNull<u8>>,
    bytes: usize,
    allocator: Allocator,
}

// SAFETY: a block is plain memory, and its allocator is thread-safe.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Block {
    /// Where the block begins; null when it has no bytes. What is in it was not written yet.
    pub fn as_ptr(&self) -> *mut u8 {
        self.data.map_or(std::ptr::null_mut(), NonNull::as_ptr)
    }

    /// Its size in bytes.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    pub(crate) fn allocator(&self) -> &Allocator {
        &self.allocator
    }

    /// Gives the memory up to who has taken it over.
    pub(crate) fn forget(mut self) {
        self.data = None;
    }
}

impl Drop for Block {
    #[doc(alias = "OrtAllocatorFree")]
    fn drop(&mut self) {
        // SAFETY: the block came from this allocator; null is allowed. It cannot fail.
        let _ = unsafe { call!(OrtAllocatorFree(self.allocator.allocator, self.as_ptr().cast())) };
    }
}
