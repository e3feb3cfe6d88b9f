// SPDX-License-Identifier: MIT
//! LoRA adapters: sets of tensors in a file of their own that a run feeds to inputs of the model.

use std::path::Path;
use std::ptr::null_mut;

use ortc_sys as sys;

use crate::call::Owned;
use crate::error::Result;
use crate::text::c_path;

/// An adapter in ONNX Runtime's format, for
/// [`RunOptions::add_lora_adapter`](crate::RunOptions::add_lora_adapter).
#[derive(Debug)]
pub struct LoraAdapter(Owned<sys::OrtLoraAdapter>);

impl LoraAdapter {
    /// Reads an adapter from a file, which is mapped and stays open.
    #[doc(alias = "OrtCreateLoraAdapter")]
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        let path = c_path(path)?;
        // SAFETY: a new object; without an allocator parameters stay where the CPU reads them.
        unsafe {
            get!(OrtCreateLoraAdapter(path.as_ptr(), null_mut())).map(|new| Self(Owned::new(new)))
        }
    }

    /// Reads an adapter from bytes, which are copied.
    #[doc(alias = "OrtCreateLoraAdapterFromArray")]
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (data, size) = (bytes.as_ptr().cast(), bytes.len());
        // SAFETY: as in `from_file`.
        unsafe {
            get!(OrtCreateLoraAdapterFromArray(data, size, null_mut()))
                .map(|new| Self(Owned::new(new)))
        }
    }

    pub(super) fn as_ptr(&self) -> *const sys::OrtLoraAdapter {
        self.0.as_ptr()
    }
}
