// SPDX-License-Identifier: MIT
//! Compiled models seen from outside. Nothing here makes a session or runs anything.

use std::path::Path;

use ortc_sys as sys;

use crate::call::Owned;
use crate::env::{device_pointers, EpDevice};
use crate::error::Result;
use crate::text::{c_path, c_text, default_allocator, taken_text, text, Taken};
use crate::{Compatibility, InspectFlags};

/// Describes a file as JSON: an ONNX model, compiled or not, or a context binary.
///
/// ```
/// use ortc::{inspect, InspectFlags};
///
/// # let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/data/matmul.onnx");
/// let json = inspect(model, InspectFlags::DETAILS)?;
/// assert!(json.contains("\"kind\":\"onnx_model\"") || json.contains("\"kind\": \"onnx_model\""));
/// # Ok::<(), ortc::Error>(())
/// ```
#[doc(alias = "OrtInspectFile")]
pub fn inspect(path: impl AsRef<Path>, flags: InspectFlags) -> Result<String> {
    let path = c_path(path)?;
    // SAFETY: a new object.
    unsafe { json(get!(OrtInspectFile(path.as_ptr(), flags.bits()))) }
}

/// Says as JSON what is different in two files: two models, or two context binaries.
#[doc(alias = "OrtDiffFiles")]
pub fn diff(first: impl AsRef<Path>, second: impl AsRef<Path>) -> Result<String> {
    let (first, second) = (c_path(first)?, c_path(second)?);
    // SAFETY: a new object.
    unsafe { json(get!(OrtDiffFiles(first.as_ptr(), second.as_ptr()))) }
}

/// Makes a model that also gives every tensor of its main graph, so that two models can be compared
/// step by step. Files beside the model stay there: a session of the bytes needs its folder.
#[doc(alias = "OrtExposeModelValues")]
pub fn expose_values(model: impl AsRef<Path>) -> Result<Vec<u8>> {
    let path = c_path(model)?;
    let mut memory = Taken::default();
    // SAFETY: new bytes of the allocator, which `memory` gives back.
    unsafe {
        let (allocator, data, size) = (default_allocator()?, &mut memory.data, &mut memory.size);
        call!(OrtExposeModelValues(path.as_ptr(), allocator, data, size))?;
        Ok(memory.to_vec())
    }
}

/// What a model file was compiled for, as its execution provider says it; none when it has nothing
/// of that provider.
#[doc(alias = "OrtGetCompatibilityInfoFromModel")]
pub fn compatibility_info(model: impl AsRef<Path>, ep_name: &str) -> Result<Option<String>> {
    let (path, ep_name) = (c_path(model)?, c_text(ep_name)?);
    // SAFETY: a new text of the allocator, or null.
    unsafe {
        let (path, ep_name) = (path.as_ptr(), ep_name.as_ptr());
        taken_text(get!(OrtGetCompatibilityInfoFromModel(path, ep_name, default_allocator()?))?)
    }
}

/// As [`compatibility_info`], of the bytes of a model.
#[doc(alias = "OrtGetCompatibilityInfoFromModelBytes")]
pub fn compatibility_info_of_bytes(model: &[u8], ep_name: &str) -> Result<Option<String>> {
    let ep_name = c_text(ep_name)?;
    // SAFETY: a new text of the allocator, or null.
    unsafe {
        taken_text(get!(OrtGetCompatibilityInfoFromModelBytes(
            model.as_ptr().cast(),
            model.len(),
            ep_name.as_ptr(),
            default_allocator()?
        ))?)
    }
}

/// Says how well a compiled model fits devices, all of one execution provider, by what
/// [`compatibility_info`] gave.
#[doc(alias = "OrtGetModelCompatibilityForEpDevices")]
pub fn compatibility(devices: &[EpDevice], info: &str) -> Result<Compatibility> {
    let (pointers, info) = (device_pointers(devices), c_text(info)?);
    // SAFETY: everything is borrowed for the call.
    let answer = unsafe {
        get!(OrtGetModelCompatibilityForEpDevices(pointers.as_ptr(), pointers.len(), info.as_ptr()))
    };
    answer.map(Compatibility::from_raw)
}

/// The JSON of a description.
///
/// # Safety
/// `inspection` is new. It ends here.
#[doc(alias = "OrtInspection_GetJson")]
pub(crate) unsafe fn json(inspection: Result<*mut sys::OrtInspection>) -> Result<String> {
    // SAFETY: as the caller promises; the text lives as long as the object.
    unsafe {
        let inspection = Owned::new(inspection?);
        get!(OrtInspection_GetJson(inspection.as_ptr())).map(|json| text(json))
    }
}
