// SPDX-License-Identifier: MIT
//! Why an execution provider does not serve hardware.

use ortc_sys as sys;

use super::{Env, HardwareDevice};
use crate::call::Owned;
use crate::error::{Error, Result};
use crate::text::{c_text, text};
use crate::ErrorCode;

impl Env {
    /// Asks an execution provider, by its name or short form, why it does not serve hardware; none
    /// when it does. A library that cannot say is believed to serve it.
    #[doc(alias = "OrtGetHardwareDeviceEpIncompatibilityDetails")]
    pub fn incompatibility(
        &self,
        ep_name: &str,
        device: &HardwareDevice,
    ) -> Result<Option<Incompatibility>> {
        if device.env().as_ptr() != self.as_ptr() {
            let message = "the device belongs to another environment";
            return Err(Error::new(ErrorCode::InvalidArgument, message));
        }
        let ep_name = c_text(ep_name)?;
        // SAFETY: everything is borrowed for the call; a new object, which is read before it ends.
        unsafe {
            let details = Owned::new(get!(OrtGetHardwareDeviceEpIncompatibilityDetails(
                self.as_ptr(),
                ep_name.as_ptr(),
                device.as_ptr()
            ))?);
            Incompatibility::read(details.as_ptr())
        }
    }
}

/// Why an execution provider does not serve hardware.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Incompatibility {
    /// At least one.
    pub reasons: IncompatibilityReasons,
    /// The provider's own words; empty when it has none.
    pub notes: String,
    /// The provider's own; 0 when it has none.
    pub error_code: i32,
}

impl Incompatibility {
    /// # Safety
    /// `details` lives.
    #[doc(alias = "OrtDeviceEpIncompatibilityDetails_GetReasonsBitmask")]
    #[doc(alias = "OrtDeviceEpIncompatibilityDetails_GetNotes")]
    #[doc(alias = "OrtDeviceEpIncompatibilityDetails_GetErrorCode")]
    unsafe fn read(details: *const sys::OrtDeviceEpIncompatibilityDetails) -> Result<Option<Self>> {
        // SAFETY: as the caller promises; the text lives as long, and is copied.
        unsafe {
            let reasons = get!(OrtDeviceEpIncompatibilityDetails_GetReasonsBitmask(details))?;
            if reasons == 0 {
                return Ok(None);
            }
            Ok(Some(Incompatibility {
                reasons: IncompatibilityReasons(reasons),
                notes: text(get!(OrtDeviceEpIncompatibilityDetails_GetNotes(details))?),
                error_code: get!(OrtDeviceEpIncompatibilityDetails_GetErrorCode(details))?,
            }))
        }
    }
}

/// Bits: why an execution provider does not serve hardware.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IncompatibilityReasons(u32);

impl IncompatibilityReasons {
    /// The driver is too old, or another one.
    pub const DRIVER: Self = Self(1);
    /// The hardware itself.
    pub const DEVICE: Self = Self(2);
    /// Something that the provider needs is not there.
    pub const DEPENDENCY: Self = Self(4);
    /// A reason that has no bit.
    pub const UNKNOWN: Self = Self(0x8000_0000);

    /// All bits as a number.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Whether all bits of `other` are set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}
