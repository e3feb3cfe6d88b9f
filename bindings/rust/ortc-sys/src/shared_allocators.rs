// SPDX-License-Identifier: MIT
//! `shared_allocators.h`. Allocators that the sessions of an environment share.

use std::os::raw::{c_char, c_int};

use crate::*;

extern "C" {
    /// Describes an arena.
    pub fn OrtCreateArenaCfg(
        max_mem: usize,
        arena_extend_strategy: c_int,
        initial_chunk_size_bytes: c_int,
        max_dead_bytes_per_chunk: c_int,
        out: *mut *mut OrtArenaCfg,
    ) -> *mut OrtStatus;
    /// Describes an arena by keys: "max_mem", "arena_extend_strategy", "initial_chunk_size_bytes",
    /// "max_dead_bytes_per_chunk", "initial_growth_chunk_size_bytes",
    /// "max_power_of_two_extend_bytes".
    pub fn OrtCreateArenaCfgV2(
        arena_config_keys: *const *const c_char,
        arena_config_values: *const usize,
        num_keys: usize,
        out: *mut *mut OrtArenaCfg,
    ) -> *mut OrtStatus;
    /// Gives a description back.
    pub fn OrtReleaseArenaCfg(input: *mut OrtArenaCfg);
    /// Makes an allocator for memory of the CPU and registers it, in place of one that is there.
    pub fn OrtCreateAndRegisterAllocator(
        env: *mut OrtEnv,
        mem_info: *const OrtMemoryInfo,
        arena_cfg: *const OrtArenaCfg,
    ) -> *mut OrtStatus;
    /// The same for an execution provider.
    pub fn OrtCreateAndRegisterAllocatorV2(
        env: *mut OrtEnv,
        provider_type: *const c_char,
        mem_info: *const OrtMemoryInfo,
        arena_cfg: *const OrtArenaCfg,
        provider_options_keys: *const *const c_char,
        provider_options_values: *const *const c_char,
        num_keys: usize,
    ) -> *mut OrtStatus;
    /// Registers an allocator of the program, in place of one that is there for the same memory.
    pub fn OrtRegisterAllocator(env: *mut OrtEnv, allocator: *mut OrtAllocator) -> *mut OrtStatus;
    /// Takes a registered allocator away.
    pub fn OrtUnregisterAllocator(
        env: *mut OrtEnv,
        mem_info: *const OrtMemoryInfo,
    ) -> *mut OrtStatus;
    /// Looks for a registered allocator.
    pub fn OrtGetSharedAllocator(
        env: *mut OrtEnv,
        mem_info: *const OrtMemoryInfo,
        allocator: *mut *mut OrtAllocator,
    ) -> *mut OrtStatus;
    /// Makes the allocator of a device and registers it.
    pub fn OrtCreateSharedAllocator(
        env: *mut OrtEnv,
        ep_device: *const OrtEpDevice,
        mem_type: OrtDeviceMemoryType,
        allocator_type: OrtAllocatorType,
        allocator_options: *const OrtKeyValuePairs,
        allocator: *mut *mut OrtAllocator,
    ) -> *mut OrtStatus;
    /// Takes the allocator of a device away.
    pub fn OrtReleaseSharedAllocator(
        env: *mut OrtEnv,
        ep_device: *const OrtEpDevice,
        mem_type: OrtDeviceMemoryType,
    ) -> *mut OrtStatus;
}
