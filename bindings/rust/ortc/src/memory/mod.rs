// SPDX-License-Identifier: MIT
//! Memory: what kind it is, and who hands it out.

mod allocator;
mod arena;
mod memory_info;
mod program_allocator;
mod sync_stream;

pub use allocator::{Allocator, Block};
pub use arena::ArenaConfig;
pub use memory_info::MemoryInfo;
pub use program_allocator::{AllocateMemory, ProgramAllocator};
pub use sync_stream::{copy_tensors, SyncStream};
