// SPDX-License-Identifier: MIT
//! Descriptions of memory.

use std::fmt;

use ortc_sys as sys;

use crate::call::{Owned, Ref};
use crate::error::Result;
use crate::text::{c_text, text};
use crate::{AllocatorType, DeviceMemoryType, MemType, MemoryDeviceType};

/// What kind of memory something is in. Two descriptions are equal when they mean the same memory.
pub struct MemoryInfo(Owned<sys::OrtMemoryInfo>);

impl MemoryInfo {
    /// Memory of the CPU.
    #[doc(alias = "OrtCreateCpuMemoryInfo")]
    pub fn cpu(allocator: AllocatorType) -> Result<Self> {
        let (allocator, memory) = (allocator.to_raw(), MemType::Default.to_raw());
        // SAFETY: a new object.
        unsafe { get!(OrtCreateCpuMemoryInfo(allocator, memory)).map(|info| Self::from_raw(info)) }
    }

    /// Memory of a device known by its name, as "Cpu".
    #[doc(alias = "OrtCreateMemoryInfo")]
    pub fn named(name: &str, allocator: AllocatorType, id: i32, memory: MemType) -> Result<Self> {
        let name = c_text(name)?;
        let (allocator, memory) = (allocator.to_raw(), memory.to_raw());
        // SAFETY: the name is copied; a new object.
        unsafe {
            let info = get!(OrtCreateMemoryInfo(name.as_ptr(), allocator, id, memory))?;
            Ok(Self::from_raw(info))
        }
    }

    /// Memory of a device known by its numbers. `alignment` in bytes, a power of two; 0 for the
    /// default.
    #[doc(alias = "OrtCreateMemoryInfo_V2")]
    pub fn of_device(
        name: &str,
        device: MemoryDeviceType,
        vendor_id: u32,
        device_id: i32,
        memory: DeviceMemoryType,
        alignment: usize,
        allocator: AllocatorType,
    ) -> Result<Self> {
        let name = c_text(name)?;
        // SAFETY: the name is copied; a new object.
        unsafe {
            let info = get!(OrtCreateMemoryInfo_V2(
                name.as_ptr(),
                device.to_raw(),
                vendor_id,
                device_id,
                memory.to_raw(),
                alignment,
                allocator.to_raw()
            ))?;
            Ok(Self::from_raw(info))
        }
    }

    /// The name of the memory.
    #[doc(alias = "OrtMemoryInfoGetName")]
    pub fn name(&self) -> Result<String> {
        // SAFETY: the text lives as long as the description.
        unsafe { get!(OrtMemoryInfoGetName(self.as_ptr())).map(|name| text(name)) }
    }

    /// The number of the device.
    #[doc(alias = "OrtMemoryInfoGetId")]
    pub fn device_id(&self) -> Result<i32> {
        // SAFETY: the description lives.
        unsafe { get!(OrtMemoryInfoGetId(self.as_ptr())) }
    }

    /// What the memory is for.
    #[doc(alias = "OrtMemoryInfoGetMemType")]
    pub fn mem_type(&self) -> Result<MemType> {
        // SAFETY: the description lives.
        unsafe { get!(OrtMemoryInfoGetMemType(self.as_ptr())) }.map(MemType::from_raw)
    }

    /// How the memory is got.
    #[doc(alias = "OrtMemoryInfoGetType")]
    pub fn allocator_type(&self) -> Result<AllocatorType> {
        // SAFETY: the description lives.
        unsafe { get!(OrtMemoryInfoGetType(self.as_ptr())) }.map(AllocatorType::from_raw)
    }

    /// The kind of device.
    #[doc(alias = "OrtMemoryInfoGetDeviceType")]
    pub fn device_type(&self) -> MemoryDeviceType {
        let mut device = MemoryDeviceType::Cpu.to_raw();
        // SAFETY: the description lives, and the result is a local.
        unsafe { sys::OrtMemoryInfoGetDeviceType(self.as_ptr(), &mut device) };
        MemoryDeviceType::from_raw(device)
    }

    /// Where on the device the memory lies.
    #[doc(alias = "OrtMemoryInfoGetDeviceMemType")]
    pub fn device_memory_type(&self) -> DeviceMemoryType {
        // SAFETY: the description lives.
        let memory = unsafe { sys::OrtMemoryInfoGetDeviceMemType(self.as_ptr()) };
        DeviceMemoryType::from_raw(memory)
    }

    /// The vendor's number; 0 for none.
    #[doc(alias = "OrtMemoryInfoGetVendorId")]
    pub fn vendor_id(&self) -> u32 {
        // SAFETY: the description lives.
        unsafe { sys::OrtMemoryInfoGetVendorId(self.as_ptr()) }
    }

    pub(crate) fn as_ptr(&self) -> *const sys::OrtMemoryInfo {
        self.0.as_ptr()
    }

    /// # Safety
    /// `info` is live, and this is its only owner.
    unsafe fn from_raw(info: *mut sys::OrtMemoryInfo) -> Self {
        // SAFETY: as the caller promises.
        MemoryInfo(unsafe { Owned::new(info) })
    }

    /// # Safety
    /// `info` lives as long as `'a`.
    pub(crate) unsafe fn borrow<'a>(info: *const sys::OrtMemoryInfo) -> Ref<'a, Self> {
        // SAFETY: as the caller promises; a `Ref` never gives it back.
        unsafe { Ref::new(Self::from_raw(info as *mut _)) }
    }
}

impl PartialEq for MemoryInfo {
    #[doc(alias = "OrtCompareMemoryInfo")]
    fn eq(&self, other: &Self) -> bool {
        // SAFETY: both live.
        let difference = unsafe { get!(OrtCompareMemoryInfo(self.as_ptr(), other.as_ptr())) };
        matches!(difference, Ok(0))
    }
}

impl fmt::Debug for MemoryInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryInfo")
            .field("name", &self.name())
            .field("device_type", &self.device_type())
            .field("device_id", &self.device_id())
            .finish()
    }
}
