// SPDX-License-Identifier: MIT
//! What can be asked of a session.

use std::ffi::CStr;
use std::os::raw::c_char;
use std::path::PathBuf;
use std::ptr::null;

use ortc_sys as sys;

use super::{ModelMetadata, Session};
use crate::call::{Owned, Ref};
use crate::env::EpDevice;
use crate::error::Result;
use crate::memory::{Allocator, MemoryInfo};
use crate::text::{c_text, default_allocator, taken_text, CTexts};
use crate::value::TypeInfo;

/// An input or an output: its name and its type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamedType {
    /// The name.
    pub name: String,
    /// The type.
    pub type_info: TypeInfo,
}

impl NamedType {
    /// # Safety
    /// `info` is new.
    unsafe fn new(name: &CStr, info: Result<*mut sys::OrtTypeInfo>) -> Result<Self> {
        // SAFETY: as the caller promises; read before it ends.
        let type_info = unsafe { TypeInfo::read(Owned::new(info?).as_ptr()) }?;
        Ok(NamedType { name: name.to_string_lossy().into_owned(), type_info })
    }
}

impl Session {
    /// The inputs that a run must give. Those with an initializer:
    /// [`overridable_initializers`](Self::overridable_initializers).
    #[doc(alias = "OrtSessionGetInputTypeInfo")]
    pub fn inputs(&self) -> Result<Vec<NamedType>> {
        let names = self.0.inputs.iter().enumerate();
        // SAFETY: the session lives, and the index is below the count.
        let typed = names.map(|(index, name)| unsafe {
            NamedType::new(name, get!(OrtSessionGetInputTypeInfo(self.as_ptr(), index)))
        });
        typed.collect()
    }

    /// The outputs.
    #[doc(alias = "OrtSessionGetOutputTypeInfo")]
    pub fn outputs(&self) -> Result<Vec<NamedType>> {
        let names = self.0.outputs.iter().enumerate();
        // SAFETY: the session lives, and the index is below the count.
        let typed = names.map(|(index, name)| unsafe {
            NamedType::new(name, get!(OrtSessionGetOutputTypeInfo(self.as_ptr(), index)))
        });
        typed.collect()
    }

    /// The inputs with an initializer, which a run may give or not.
    #[doc(alias = "OrtSessionGetOverridableInitializerName")]
    #[doc(alias = "OrtSessionGetOverridableInitializerTypeInfo")]
    pub fn overridable_initializers(&self) -> Result<Vec<NamedType>> {
        let session = self.as_ptr();
        // SAFETY: the session lives, and indices are below the count.
        unsafe {
            let count = get!(OrtSessionGetOverridableInitializerCount(session))?;
            let names = super::names(count, |index, allocator| {
                get!(OrtSessionGetOverridableInitializerName(session, index, allocator))
            })?;
            let typed = names.iter().enumerate().map(|(index, name)| {
                let info = get!(OrtSessionGetOverridableInitializerTypeInfo(session, index));
                NamedType::new(name, info)
            });
            typed.collect()
        }
    }

    /// What the model says about itself.
    #[doc(alias = "OrtSessionGetModelMetadata")]
    pub fn metadata(&self) -> Result<ModelMetadata> {
        // SAFETY: a new object.
        unsafe {
            get!(OrtSessionGetModelMetadata(self.as_ptr())).map(|new| ModelMetadata::from_raw(new))
        }
    }

    /// The version of an operator set that the model imports; "" is ONNX's own.
    #[doc(alias = "OrtSessionGetOpsetForDomain")]
    pub fn opset(&self, domain: &str) -> Result<i32> {
        let domain = c_text(domain)?;
        // SAFETY: the session lives.
        unsafe { get!(OrtSessionGetOpsetForDomain(self.as_ptr(), domain.as_ptr())) }
    }

    /// Where the load time went, nodes per execution provider, and memory, as JSON.
    #[doc(alias = "OrtSession_GetReportJson")]
    pub fn report(&self) -> Result<String> {
        let allocator = default_allocator()?;
        // SAFETY: a new text of the allocator.
        unsafe { self.text(get!(OrtSession_GetReportJson(self.as_ptr(), allocator))) }
    }

    /// Where the memory of the session is, by page, as JSON.
    #[doc(alias = "OrtSession_GetMemoryReportJson")]
    pub fn memory_report(&self) -> Result<String> {
        let allocator = default_allocator()?;
        // SAFETY: a new text of the allocator.
        unsafe { self.text(get!(OrtSession_GetMemoryReportJson(self.as_ptr(), allocator))) }
    }

    /// Ends the profile and gives the name of its file; empty when there was no profile, or it has
    /// ended before. Without this call the file is written when the session ends.
    #[doc(alias = "OrtSessionEndProfiling")]
    pub fn end_profiling(&self) -> Result<PathBuf> {
        let allocator = default_allocator()?;
        // SAFETY: thread-safe; a new text of the allocator.
        unsafe { self.text(get!(OrtSessionEndProfiling(self.as_ptr(), allocator))) }.map(Into::into)
    }

    /// When the profile began, in nanoseconds since 1970; 0 without a profile.
    #[doc(alias = "OrtSessionGetProfilingStartTimeNs")]
    pub fn profiling_start_ns(&self) -> Result<u64> {
        // SAFETY: the session lives.
        unsafe { get!(OrtSessionGetProfilingStartTimeNs(self.as_ptr())) }
    }

    /// In which memory a run wants each input.
    #[doc(alias = "OrtSessionGetMemoryInfoForInputs")]
    pub fn input_memory(&self) -> Result<Vec<Ref<'_, MemoryInfo>>> {
        let mut infos = vec![null(); self.0.inputs.len()];
        let (room, count) = (infos.as_mut_ptr(), infos.len());
        // SAFETY: room for each input; descriptions live as long as the library.
        unsafe {
            call!(OrtSessionGetMemoryInfoForInputs(self.as_ptr(), room, count))?;
            Ok(infos.into_iter().map(|info| MemoryInfo::borrow(info)).collect())
        }
    }

    /// In which memory a run leaves each output.
    #[doc(alias = "OrtSessionGetMemoryInfoForOutputs")]
    pub fn output_memory(&self) -> Result<Vec<Ref<'_, MemoryInfo>>> {
        let mut infos = vec![null(); self.0.outputs.len()];
        let (room, count) = (infos.as_mut_ptr(), infos.len());
        // SAFETY: as in `input_memory`.
        unsafe {
            call!(OrtSessionGetMemoryInfoForOutputs(self.as_ptr(), room, count))?;
            Ok(infos.into_iter().map(|info| MemoryInfo::borrow(info)).collect())
        }
    }

    /// On which device each input is read; none for one that no node reads.
    #[doc(alias = "OrtSessionGetEpDeviceForInputs")]
    pub fn input_devices(&self) -> Result<Vec<Option<EpDevice>>> {
        let mut devices = vec![null(); self.0.inputs.len()];
        let (room, count) = (devices.as_mut_ptr(), devices.len());
        // SAFETY: room for each input; devices live as long as the environment, which is kept.
        unsafe { call!(OrtSessionGetEpDeviceForInputs(self.as_ptr(), room, count)) }?;
        Ok(self.devices(devices))
    }

    /// On which device each output is made.
    #[doc(alias = "OrtSessionGetEpDeviceForOutputs")]
    pub fn output_devices(&self) -> Result<Vec<Option<EpDevice>>> {
        let mut devices = vec![null(); self.0.outputs.len()];
        let (room, count) = (devices.as_mut_ptr(), devices.len());
        // SAFETY: as in `input_devices`.
        unsafe { call!(OrtSessionGetEpDeviceForOutputs(self.as_ptr(), room, count)) }?;
        Ok(self.devices(devices))
    }

    fn devices(&self, devices: Vec<*const sys::OrtEpDevice>) -> Vec<Option<EpDevice>> {
        let device = |device: *const sys::OrtEpDevice| {
            (!device.is_null()).then(|| EpDevice::new(self.env(), device))
        };
        devices.into_iter().map(device).collect()
    }

    /// The session's allocator for one kind of memory.
    ///
    /// Fails for memory that the session does not use.
    #[doc(alias = "OrtCreateAllocator")]
    pub fn allocator(&self, memory: &MemoryInfo) -> Result<Allocator> {
        // SAFETY: the allocator keeps what it needs of the session, and allocators of the program
        // are kept here.
        unsafe {
            get!(OrtCreateAllocator(self.as_ptr(), memory.as_ptr()))
                .map(|new| Allocator::of_session(Owned::new(new), self.0.memory_of_values.clone()))
        }
    }

    /// Changes options of execution providers while the session lives: keys that begin with
    /// `ep.dynamic.`.
    #[doc(alias = "OrtSetEpDynamicOptions")]
    pub fn set_dynamic_options(&self, options: &[(&str, &str)]) -> Result<()> {
        let keys = CTexts::new(options.iter().map(|(key, _)| key))?;
        let values = CTexts::new(options.iter().map(|(_, value)| value))?;
        let (keys, values, count) = (keys.as_ptr(), values.as_ptr(), options.len());
        // SAFETY: texts are borrowed for the call, which is thread-safe.
        unsafe { call!(OrtSetEpDynamicOptions(self.as_ptr(), keys, values, count)) }
    }

    /// Ends a graph that a provider has captured in a run, so that the next run captures it again.
    /// `id` is what runs have as their entry `gpu_graph_id`; 0 for runs without. Nothing happens
    /// when no provider of the session captures graphs.
    #[doc(alias = "OrtSessionReleaseCapturedGraph")]
    pub fn release_captured_graph(&self, id: i32) -> Result<()> {
        // SAFETY: thread-safe, as far as the provider is.
        unsafe { call!(OrtSessionReleaseCapturedGraph(self.as_ptr(), id)) }
    }

    /// # Safety
    /// `text` is a new text of the library's allocator.
    unsafe fn text(&self, text: Result<*mut c_char>) -> Result<String> {
        // SAFETY: as the caller promises.
        Ok(unsafe { taken_text(text?) }?.unwrap_or_default())
    }
}
