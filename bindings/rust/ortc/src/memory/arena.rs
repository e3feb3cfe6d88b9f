// SPDX-License-Identifier: MIT
//! Descriptions of arenas.

use ortc_sys as sys;

use crate::call::Owned;
use crate::error::Result;
use crate::text::CTexts;

/// How an arena takes memory from the system, for
/// [`Env::create_allocator`](crate::Env::create_allocator).
#[derive(Debug)]
pub struct ArenaConfig(Owned<sys::OrtArenaCfg>);

impl ArenaConfig {
    /// An arena that takes at most `max_bytes`; 0: no limit. The numbers after it are -1 for the
    /// default: whether extensions double (0) or are as large as needed (1), the first extension,
    /// and by how much a block may be larger than asked for.
    #[doc(alias = "OrtCreateArenaCfg")]
    pub fn new(
        max_bytes: usize,
        extend_strategy: i32,
        initial_chunk_bytes: i32,
        max_dead_bytes_per_chunk: i32,
    ) -> Result<Self> {
        // SAFETY: a new object.
        unsafe {
            get!(OrtCreateArenaCfg(
                max_bytes,
                extend_strategy,
                initial_chunk_bytes,
                max_dead_bytes_per_chunk
            ))
            .map(|config| ArenaConfig(Owned::new(config)))
        }
    }

    /// An arena described by keys: "max_mem", "arena_extend_strategy", "initial_chunk_size_bytes",
    /// "max_dead_bytes_per_chunk", "initial_growth_chunk_size_bytes",
    /// "max_power_of_two_extend_bytes".
    #[doc(alias = "OrtCreateArenaCfgV2")]
    pub fn from_keys(entries: &[(&str, usize)]) -> Result<Self> {
        let keys = CTexts::new(entries.iter().map(|(key, _)| key))?;
        let values: Vec<usize> = entries.iter().map(|(_, value)| *value).collect();
        // SAFETY: arrays are borrowed for the call; a new object.
        unsafe {
            get!(OrtCreateArenaCfgV2(keys.as_ptr(), values.as_ptr(), keys.len()))
                .map(|config| ArenaConfig(Owned::new(config)))
        }
    }

    pub(crate) fn as_ptr(&self) -> *const sys::OrtArenaCfg {
        self.0.as_ptr()
    }
}
