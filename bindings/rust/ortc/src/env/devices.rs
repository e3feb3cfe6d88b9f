// SPDX-License-Identifier: MIT
//! What can run models here: hardware devices, and execution providers paired with them.

use std::fmt;
use std::path::Path;
use std::ptr::null;

use ortc_sys as sys;

use super::Env;
use crate::call::Ref;
use crate::error::Result;
use crate::key_values::KeyValuePairs;
use crate::memory::MemoryInfo;
use crate::text::{array, c_path, c_text, text};
use crate::{DeviceMemoryType, HardwareDeviceType};

impl Env {
    /// Every pair of an execution provider and a device. Hand a choice of them to
    /// [`add_provider_for_devices`](crate::SessionOptions::add_provider_for_devices).
    #[doc(alias = "OrtGetEpDevices")]
    pub fn ep_devices(&self) -> Result<Vec<EpDevice>> {
        let (mut devices, mut count) = (null(), 0);
        // SAFETY: an array of `count` devices that lives as long as the environment.
        unsafe {
            call!(OrtGetEpDevices(self.as_ptr(), &mut devices, &mut count))?;
            Ok(array(devices, count).iter().map(|device| EpDevice::new(self, *device)).collect())
        }
    }

    /// Loads a shared library of execution providers, under a name that no other library of the
    /// environment has, and adds its devices to [`ep_devices`](Env::ep_devices). A name that ends
    /// in ".virtual" allows it to offer virtual devices. When anything fails, nothing was added.
    ///
    /// # Safety
    ///
    /// The library's code runs in this process, now and in every session that chooses its devices:
    /// nothing holds it to Rust's rules.
    #[doc(alias = "OrtRegisterExecutionProviderLibrary")]
    pub unsafe fn register_provider_library(
        &self,
        name: &str,
        path: impl AsRef<Path>,
    ) -> Result<()> {
        let (name, path) = (c_text(name)?, c_path(path)?);
        // SAFETY: the texts are copied; what the library does, the caller answers for.
        unsafe {
            call!(OrtRegisterExecutionProviderLibrary(self.as_ptr(), name.as_ptr(), path.as_ptr()))
        }
    }

    /// Takes the devices of a library away again. It is unloaded when the last session that uses it
    /// is dropped; its devices tell what they were, and can be used no more.
    #[doc(alias = "OrtUnregisterExecutionProviderLibrary")]
    pub fn unregister_provider_library(&self, name: &str) -> Result<()> {
        let name = c_text(name)?;
        // SAFETY: the text is copied, and the handles of devices live as long as the environment.
        unsafe { call!(OrtUnregisterExecutionProviderLibrary(self.as_ptr(), name.as_ptr())) }
    }

    /// The hardware devices.
    #[doc(alias = "OrtGetHardwareDevices")]
    #[doc(alias = "OrtGetNumHardwareDevices")]
    pub fn hardware_devices(&self) -> Result<Vec<HardwareDevice>> {
        // SAFETY: the array has the room that the first call asked for; what it is filled with
        // lives as long as the environment.
        unsafe {
            let count: usize = get!(OrtGetNumHardwareDevices(self.as_ptr()))?;
            let mut devices = vec![null(); count];
            call!(OrtGetHardwareDevices(self.as_ptr(), devices.as_mut_ptr(), count))?;
            let env = || self.clone();
            Ok(devices.into_iter().map(|device| HardwareDevice { device, env: env() }).collect())
        }
    }
}

/// An execution provider and a device that it serves. Keeps its environment.
#[derive(Clone)]
pub struct EpDevice {
    device: *const sys::OrtEpDevice,
    env: Env,
}

// SAFETY: devices do not change, and the environment that owns them is kept.
unsafe impl Send for EpDevice {}
// SAFETY: as above.
unsafe impl Sync for EpDevice {}

impl EpDevice {
    pub(crate) fn new(env: &Env, device: *const sys::OrtEpDevice) -> Self {
        EpDevice { device, env: env.clone() }
    }

    /// The execution provider's name, as "AotExecutionProvider".
    #[doc(alias = "OrtEpDevice_EpName")]
    pub fn ep_name(&self) -> String {
        // SAFETY: the device lives.
        unsafe { text(sys::OrtEpDevice_EpName(self.device)) }
    }

    /// Who made the execution provider.
    #[doc(alias = "OrtEpDevice_EpVendor")]
    pub fn ep_vendor(&self) -> String {
        // SAFETY: the device lives.
        unsafe { text(sys::OrtEpDevice_EpVendor(self.device)) }
    }

    /// What the execution provider says about itself; `version` is always there.
    #[doc(alias = "OrtEpDevice_EpMetadata")]
    pub fn ep_metadata(&self) -> Ref<'_, KeyValuePairs> {
        // SAFETY: the list lives as long as the device.
        unsafe { KeyValuePairs::borrow(sys::OrtEpDevice_EpMetadata(self.device)) }
    }

    /// The provider options that suit this device; they apply when a session chooses it.
    #[doc(alias = "OrtEpDevice_EpOptions")]
    pub fn ep_options(&self) -> Ref<'_, KeyValuePairs> {
        // SAFETY: the list lives as long as the device.
        unsafe { KeyValuePairs::borrow(sys::OrtEpDevice_EpOptions(self.device)) }
    }

    /// The hardware of the pair.
    #[doc(alias = "OrtEpDevice_Device")]
    pub fn device(&self) -> HardwareDevice {
        // SAFETY: the device lives as long as the environment.
        let device = unsafe { sys::OrtEpDevice_Device(self.device) };
        HardwareDevice { device, env: self.env.clone() }
    }

    /// A memory of the device; none when it is that of the processor.
    #[doc(alias = "OrtEpDevice_MemoryInfo")]
    pub fn memory_info(&self, memory: DeviceMemoryType) -> Option<Ref<'_, MemoryInfo>> {
        // SAFETY: the description lives as long as the device.
        unsafe {
            let info = sys::OrtEpDevice_MemoryInfo(self.device, memory.to_raw());
            (!info.is_null()).then(|| MemoryInfo::borrow(info))
        }
    }

    pub(crate) fn as_ptr(&self) -> *const sys::OrtEpDevice {
        self.device
    }

    pub(crate) fn env(&self) -> &Env {
        &self.env
    }
}

/// Devices for C as an array of pointers.
pub(crate) fn device_pointers(devices: &[EpDevice]) -> Vec<*const sys::OrtEpDevice> {
    devices.iter().map(|device| device.device).collect()
}

impl PartialEq for EpDevice {
    fn eq(&self, other: &Self) -> bool {
        self.device == other.device
    }
}

impl Eq for EpDevice {}

impl fmt::Debug for EpDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EpDevice")
            .field("ep_name", &self.ep_name())
            .field("device", &self.device())
            .finish()
    }
}

/// A processor, a graphics card, an accelerator. Keeps its environment.
#[derive(Clone)]
pub struct HardwareDevice {
    device: *const sys::OrtHardwareDevice,
    env: Env,
}

// SAFETY: devices do not change, and the environment that owns them is kept.
unsafe impl Send for HardwareDevice {}
// SAFETY: as above.
unsafe impl Sync for HardwareDevice {}

impl HardwareDevice {
    /// What kind of hardware it is.
    #[doc(alias = "OrtHardwareDevice_Type")]
    pub fn device_type(&self) -> HardwareDeviceType {
        // SAFETY: the device lives.
        HardwareDeviceType::from_raw(unsafe { sys::OrtHardwareDevice_Type(self.device) })
    }

    /// The vendor's number, as on the PCI bus; 0 when there is none.
    #[doc(alias = "OrtHardwareDevice_VendorId")]
    pub fn vendor_id(&self) -> u32 {
        // SAFETY: the device lives.
        unsafe { sys::OrtHardwareDevice_VendorId(self.device) }
    }

    /// The vendor's name; empty when it is not known.
    #[doc(alias = "OrtHardwareDevice_Vendor")]
    pub fn vendor(&self) -> String {
        // SAFETY: the device lives.
        unsafe { text(sys::OrtHardwareDevice_Vendor(self.device)) }
    }

    /// The number of the device model; devices of one model share it. 0 when there is none.
    #[doc(alias = "OrtHardwareDevice_DeviceId")]
    pub fn device_id(&self) -> u32 {
        // SAFETY: the device lives.
        unsafe { sys::OrtHardwareDevice_DeviceId(self.device) }
    }

    /// Further facts; `is_virtual` is always there, as "0" or "1".
    #[doc(alias = "OrtHardwareDevice_Metadata")]
    pub fn metadata(&self) -> Ref<'_, KeyValuePairs> {
        // SAFETY: the list lives as long as the device.
        unsafe { KeyValuePairs::borrow(sys::OrtHardwareDevice_Metadata(self.device)) }
    }

    pub(crate) fn as_ptr(&self) -> *const sys::OrtHardwareDevice {
        self.device
    }

    /// The environment that the device was found in.
    pub fn env(&self) -> &Env {
        &self.env
    }
}

impl PartialEq for HardwareDevice {
    fn eq(&self, other: &Self) -> bool {
        self.device == other.device
    }
}

impl Eq for HardwareDevice {}

impl fmt::Debug for HardwareDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HardwareDevice")
            .field("type", &self.device_type())
            .field("vendor", &self.vendor())
            .finish()
    }
}
