// SPDX-License-Identifier: MIT
//! Memory: what kind it is, and who hands it out.

mod allocator;
mod arena;
mod interop;
mod memory_info;
mod program_allocator;
mod sync_stream;

pub use allocator::{Allocator, Block};
pub use arena::ArenaConfig;
pub use interop::{ExternalMemory, ExternalResourceImporter, ExternalSemaphore, NativeHandle};
pub use memory_info::MemoryInfo;
pub use program_allocator::{AllocateMemory, ProgramAllocator};
pub use sync_stream::{copy_tensors, SyncStream};

pub(crate) use sync_stream::Stream;
