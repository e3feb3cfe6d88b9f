// SPDX-License-Identifier: MIT
//! Allocators that the sessions of an environment share: those with the config entry
//! `session.use_env_allocators=1` take the memory of their results from them.

use std::ptr::{null, null_mut};
use std::sync::Arc;

use super::{Env, EpDevice};
use crate::error::Result;
use crate::key_values::KeyValuePairs;
use crate::memory::{Allocator, ArenaConfig, MemoryInfo, ProgramAllocator};
use crate::text::{c_text, CTexts};
use crate::{AllocatorType, DeviceMemoryType};

impl Env {
    /// Makes an allocator for memory of the CPU and registers it, in place of one that is there.
    #[doc(alias = "OrtCreateAndRegisterAllocator")]
    pub fn create_allocator(&self, memory: &MemoryInfo, arena: Option<&ArenaConfig>) -> Result<()> {
        let arena = arena.map_or(null(), ArenaConfig::as_ptr);
        // SAFETY: descriptions are borrowed for the call, which is thread-safe.
        unsafe { call!(OrtCreateAndRegisterAllocator(self.as_ptr(), memory.as_ptr(), arena)) }
    }

    /// The same for an execution provider with its options.
    #[doc(alias = "OrtCreateAndRegisterAllocatorV2")]
    pub fn create_provider_allocator(
        &self,
        provider: &str,
        memory: &MemoryInfo,
        arena: Option<&ArenaConfig>,
        options: &[(&str, &str)],
    ) -> Result<()> {
        let provider = c_text(provider)?;
        let keys = CTexts::new(options.iter().map(|(key, _)| key))?;
        let values = CTexts::new(options.iter().map(|(_, value)| value))?;
        // SAFETY: everything is borrowed for the call, which is thread-safe.
        unsafe {
            call!(OrtCreateAndRegisterAllocatorV2(
                self.as_ptr(),
                provider.as_ptr(),
                memory.as_ptr(),
                arena.map_or(null(), ArenaConfig::as_ptr),
                keys.as_ptr(),
                values.as_ptr(),
                keys.len()
            ))
        }
    }

    /// Registers an allocator of the program, in place of one that is there for the same memory.
    /// The environment keeps it, and so do values of sessions that are made from now on.
    #[doc(alias = "OrtRegisterAllocator")]
    pub fn register_allocator(&self, allocator: &Arc<ProgramAllocator>) -> Result<()> {
        // Before the call: sessions made meanwhile by other threads see it.
        self.keep_allocator(allocator.clone());
        // SAFETY: environment, sessions and values keep the allocator.
        unsafe { call!(OrtRegisterAllocator(self.as_ptr(), allocator.as_ptr())) }
    }

    /// Takes a registered allocator away. Sessions that use it keep it.
    #[doc(alias = "OrtUnregisterAllocator")]
    pub fn unregister_allocator(&self, memory: &MemoryInfo) -> Result<()> {
        // SAFETY: the description is borrowed for the call, which is thread-safe.
        unsafe { call!(OrtUnregisterAllocator(self.as_ptr(), memory.as_ptr())) }
    }

    /// The allocator that is registered for a memory; for plain memory of the CPU the default one
    /// stands in.
    #[doc(alias = "OrtGetSharedAllocator")]
    pub fn shared_allocator(&self, memory: &MemoryInfo) -> Result<Option<Allocator>> {
        // SAFETY: the allocator lives as long as the environment, which the result keeps.
        unsafe {
            let allocator = get!(OrtGetSharedAllocator(self.as_ptr(), memory.as_ptr()))?;
            Ok(Allocator::of_env(allocator, self))
        }
    }

    /// Makes the allocator of a device and registers it;
    /// [`shared_allocator`](Self::shared_allocator) finds it then.
    ///
    /// Fails for devices without memory of their own, as those of this library are.
    #[doc(alias = "OrtCreateSharedAllocator")]
    pub fn create_shared_allocator(
        &self,
        device: &EpDevice,
        memory: DeviceMemoryType,
        allocator_type: AllocatorType,
        options: Option<&KeyValuePairs>,
    ) -> Result<()> {
        // SAFETY: everything is borrowed for the call.
        unsafe {
            call!(OrtCreateSharedAllocator(
                self.as_ptr(),
                device.as_ptr(),
                memory.to_raw(),
                allocator_type.to_raw(),
                options.map_or(null(), |options| options.as_ptr()),
                null_mut()
            ))
        }
    }

    /// Takes the allocator of a device away. Fails as
    /// [`create_shared_allocator`](Self::create_shared_allocator).
    #[doc(alias = "OrtReleaseSharedAllocator")]
    pub fn release_shared_allocator(
        &self,
        device: &EpDevice,
        memory: DeviceMemoryType,
    ) -> Result<()> {
        // SAFETY: the device is borrowed for the call.
        unsafe { call!(OrtReleaseSharedAllocator(self.as_ptr(), device.as_ptr(), memory.to_raw())) }
    }
}
